import { GrowingFloats, GrowingIndices } from '#kernels/mesh/growing-array.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import {
  determinant3,
  type Matrix4,
  multiply4,
  transformPoints,
  turnTriangles,
} from '#kernels/mesh/transform.ts';
import { type ByteSource, readExactly } from '../bytes/byte-source.ts';
import { malformed, unsupported } from '../format-error.ts';
import { mmPerNamedUnit } from '../units.ts';
import { readXml } from '../xml/tokens.ts';
import { readZipDirectory } from '../zip/zip-directory.ts';
import { UnpackedCache, zipEntrySource } from '../zip/zip-entry-source.ts';

/** The model is XML and read as a whole. */
const maximumModelBytes = 400 << 20;
/** Counted after placing all instances: a small file may place one part a million times. */
const maximumTriangles = 20_000_000;
const maximumParts = 1_000_000;

const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

/** 3MF writes 4×3 matrices row-major for row vectors, which is column-major for column vectors. */
const toMatrix = ([
  a = 1,
  b = 0,
  c = 0,
  d = 0,
  e = 1,
  f = 0,
  g = 0,
  h = 0,
  i = 1,
  x = 0,
  y = 0,
  z = 0,
]: number[]): Matrix4 => [a, b, c, 0, d, e, f, 0, g, h, i, 0, x, y, z, 1];

interface Placement {
  objectId: string;
  transform: Matrix4;
}

interface ModelObject {
  positions: GrowingFloats;
  indices: GrowingIndices;
  components: Placement[];
}

/**
 * The triangles of all build items of a 3MF file, placed, in mm.
 *
 * @throws FormatError MALFORMED or UNSUPPORTED (production extension: parts in separate files)
 * @see https://github.com/3MFConsortium/spec_core
 */
export async function read3mf(archive: ByteSource): Promise<TriangleMesh> {
  const where = archive.name;
  const entries = await readZipDirectory(archive);
  const models = entries.filter((entry) => /\.model$/i.test(entry.path));
  const main = models.find((entry) => /^3D\/[^/]+\.model$/i.test(entry.path));
  if (!main) throw malformed(`${where}: the 3MF file holds no model in its folder 3D.`);
  if (main.unpackedBytes > maximumModelBytes) {
    throw unsupported(
      `${where}: the model has ${main.unpackedBytes} bytes of XML; at most ${maximumModelBytes} are read.`,
    );
  }
  const source = zipEntrySource(archive, main, new UnpackedCache());
  const bytes = await readExactly(source, 0, source.size, 'the 3MF model');
  const model = readModel(new TextDecoder(detectEncoding(bytes)).decode(bytes), where);
  return build(model, where);
}

/** XML is UTF-8 unless a byte order mark indicates UTF-16: 3MF allows both. */
function detectEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

interface Model {
  mm: number;
  objects: Map<string, ModelObject>;
  items: Placement[];
}

function readModel(text: string, where: string): Model {
  const objects = new Map<string, ModelObject>();
  const items: Placement[] = [];
  let mm = 1;
  let current: ModelObject | undefined;
  const number = (value: string | undefined, what: string) => {
    const parsed = Number(value);
    if (value === undefined || value.trim() === '' || !Number.isFinite(parsed)) {
      throw malformed(`${where}: ${what} is "${(value ?? '').slice(0, 40)}", which is no number.`);
    }
    return parsed;
  };
  const placement = (attributes: Record<string, string>): Placement => {
    if (attributes['path'] !== undefined) {
      throw unsupported(`${where}: parts in files of their own (production extension) are not read.`);
    }
    const given = attributes['transform']?.trim().split(/\s+/);
    if (given && given.length !== 12) throw malformed(`${where}: a transform must be 12 numbers.`);
    return {
      objectId: attributes['objectid'] ?? '',
      transform: toMatrix(given?.map((value) => number(value, 'a number of a transform')) ?? identity),
    };
  };
  for (const { kind, name, attributes } of readXml(text, where)) {
    if (kind !== 'open') continue;
    switch (name) {
      case 'model': {
        const unit = attributes['unit'] ?? 'millimeter';
        const known = mmPerNamedUnit(unit);
        if (known === undefined)
          throw malformed(`${where}: the unit "${unit.slice(0, 20)}" does not exist in 3MF.`);
        mm = known;
        break;
      }
      case 'object':
        current = { positions: new GrowingFloats(), indices: new GrowingIndices(), components: [] };
        objects.set(attributes['id'] ?? '', current);
        break;
      case 'vertex':
        for (const axis of ['x', 'y', 'z'])
          current?.positions.push(number(attributes[axis], `${axis} of a vertex`));
        break;
      case 'triangle':
        for (const corner of ['v1', 'v2', 'v3']) {
          const index = number(attributes[corner], 'a corner of a triangle');
          // Larger indices would wrap around to another vertex.
          if (!Number.isInteger(index) || index < 0 || index > 0xffff_ffff)
            throw malformed(`${where}: a triangle refers to vertex ${index}.`);
          current?.indices.push(index);
        }
        break;
      case 'component':
        current?.components.push(placement(attributes));
        break;
      case 'item':
        items.push(placement(attributes));
        break;
    }
  }
  return { mm, objects, items };
}

/** What an object places, including all nested objects. */
interface Placed {
  parts: number;
  vertices: number;
  triangles: number;
}

/**
 * Counts the placements of each object before anything is placed: a few objects that each contain the next one twice
 * exceed any machine. Each object is counted once.
 *
 * @throws FormatError MALFORMED for missing objects and cycles
 */
function countPlaced(objects: Map<string, ModelObject>, roots: readonly Placement[], where: string): Placed {
  const known = new Map<string, Placed | 'counting'>();
  const sum = (own: Placed, inside: readonly Placement[]): Placed => {
    const total = { ...own };
    for (const { objectId } of inside) {
      const placed = known.get(objectId);
      if (!placed || placed === 'counting') continue;
      total.parts += placed.parts;
      total.vertices += placed.vertices;
      total.triangles += placed.triangles;
    }
    return total;
  };
  const stack = roots.map(({ objectId }) => objectId);
  for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
    const object = objects.get(id);
    if (!object) throw malformed(`${where}: object "${id}" is to be built, but does not exist.`);
    const state = known.get(id);
    if (state === undefined) {
      known.set(id, 'counting');
      for (const { objectId } of object.components) {
        const inner = known.get(objectId);
        if (inner === 'counting') throw malformed(`${where}: object "${objectId}" contains itself.`);
        if (inner === undefined) stack.push(objectId);
      }
      continue;
    }
    if (state === 'counting') {
      const own = {
        parts: 1,
        vertices: object.positions.length / 3,
        triangles: object.indices.length / 3,
      };
      known.set(id, sum(own, object.components));
    }
    stack.pop();
  }
  return sum({ parts: 0, vertices: 0, triangles: 0 }, roots);
}

function build({ mm, objects, items }: Model, where: string): TriangleMesh {
  const { parts, vertices, triangles } = countPlaced(objects, items, where);
  if (parts > maximumParts || triangles > maximumTriangles || vertices > 3 * maximumTriangles) {
    throw unsupported(
      `${where}: the model places ${parts} parts with ${triangles} triangles and ${vertices} vertices; at most ${maximumParts} parts, ${maximumTriangles} triangles and ${3 * maximumTriangles} vertices are read.`,
    );
  }
  const positions = new Float32Array(3 * vertices);
  const indices = new Uint32Array(3 * triangles);
  const toMm = toMatrix([mm, 0, 0, 0, mm, 0, 0, 0, mm]);
  let [vertex, corner] = [0, 0];
  const stack = [...items].reverse();
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    const { components, positions: own, indices: corners } = objects.get(entry.objectId) as ModelObject;
    const { transform } = entry;
    const first = vertex;
    transformPoints(own.trimmed(), multiply4(toMm, transform), positions, 3 * first);
    vertex += own.length / 3;
    const placed = corners.trimmed();
    const beyond = placed.find((index) => 3 * index >= own.length);
    if (beyond !== undefined) {
      throw malformed(
        `${where}: a triangle refers to vertex ${beyond}, but its object has only ${own.length / 3}.`,
      );
    }
    if (determinant3(transform) < 0) turnTriangles(placed);
    for (const index of placed) indices[corner++] = first + index;
    for (const inner of components) {
      stack.push({ objectId: inner.objectId, transform: multiply4(transform, inner.transform) });
    }
  }
  if (indices.length === 0) throw malformed(`${where}: the 3MF file builds no triangle.`);
  return { positions, indices };
}
