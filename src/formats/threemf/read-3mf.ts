import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { type ByteSource, readExactly } from '../bytes/byte-source.ts';
import { malformed, unsupported } from '../format-error.ts';
import { GrowingFloats, GrowingIndices } from '../mesh/growing-array.ts';
import { mmPerNamedUnit } from '../units.ts';
import { readXml } from '../xml/tokens.ts';
import { readZipDirectory } from '../zip/zip-directory.ts';
import { UnpackedCache, zipEntrySource } from '../zip/zip-entry-source.ts';

/** The model is XML and read whole. */
const maximumModelBytes = 400 << 20;
/** Triangles after all instances are placed: a small file may place one part a million times. */
const maximumTriangles = 20_000_000;

/** Row-major 4×3 as 3MF writes it: a point is a row in front of it. */
type Transform = number[];
const identity: Transform = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

interface Placement {
  objectId: string;
  transform: Transform;
}

interface ModelObject {
  positions: GrowingFloats;
  indices: GrowingIndices;
  components: Placement[];
}

/**
 * The triangles of all items that a 3MF file builds, placed, in mm.
 *
 * @throws FormatError MALFORMED or UNSUPPORTED (production extension: parts in files of their own)
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
  const text = new TextDecoder().decode(await readExactly(source, 0, source.size, 'the 3MF model'));
  const model = readModel(text, where);
  return build(model, where);
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
      transform: given ? given.map((value) => number(value, 'a number of a transform')) : identity,
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
          if (!Number.isInteger(index) || index < 0)
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

/** a then b. */
function combine(a: Transform, b: Transform): Transform {
  const out: Transform = [];
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 3; column++) {
      let sum = row === 3 ? b[9 + column] : 0;
      for (let k = 0; k < 3; k++) sum += a[3 * row + k] * b[3 * k + column];
      out.push(sum);
    }
  }
  return out;
}

function build({ mm, objects, items }: Model, where: string): TriangleMesh {
  const positions = new GrowingFloats();
  const indices = new GrowingIndices();
  // Each branch carries its ancestors: an object that holds itself has no end.
  const stack = items.map((item) => ({ ...item, ancestors: new Set<string>() })).reverse();
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    const object = objects.get(entry.objectId);
    if (!object) throw malformed(`${where}: object "${entry.objectId}" is to be built, but does not exist.`);
    if (entry.ancestors.has(entry.objectId))
      throw malformed(`${where}: object "${entry.objectId}" contains itself.`);
    const t = entry.transform;
    const first = positions.length / 3;
    const vertices = object.positions.length / 3;
    for (let v = 0; v < vertices; v++) {
      const [x, y, z] = [
        object.positions.at(3 * v),
        object.positions.at(3 * v + 1),
        object.positions.at(3 * v + 2),
      ];
      for (let c = 0; c < 3; c++) positions.push(x * t[c] + y * t[3 + c] + z * t[6 + c] + t[9 + c]);
    }
    const mirrored =
      t[0] * (t[4] * t[8] - t[5] * t[7]) -
        t[1] * (t[3] * t[8] - t[5] * t[6]) +
        t[2] * (t[3] * t[7] - t[4] * t[6]) <
      0;
    const corners = object.indices.trimmed();
    for (let i = 0; i < corners.length; i += 3) {
      for (const corner of mirrored ? [0, 2, 1] : [0, 1, 2]) {
        const index = corners[i + corner];
        if (index >= vertices) {
          throw malformed(
            `${where}: a triangle refers to vertex ${index}, but its object has only ${vertices}.`,
          );
        }
        indices.push(first + index);
      }
    }
    if (indices.length > 3 * maximumTriangles || stack.length > 1_000_000) {
      throw malformed(
        `${where}: the model builds more than ${maximumTriangles} triangles or a million parts.`,
      );
    }
    if (object.components.length === 0) continue;
    const ancestors = new Set(entry.ancestors).add(entry.objectId);
    for (const component of object.components) {
      stack.push({ objectId: component.objectId, transform: combine(component.transform, t), ancestors });
    }
  }
  if (indices.length === 0) throw malformed(`${where}: the 3MF file builds no triangle.`);
  return { positions: positions.scaled(mm), indices: indices.trimmed() };
}
