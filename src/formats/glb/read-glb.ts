import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import {
  determinant3,
  type Matrix4,
  multiply4,
  transformNormals,
  transformPoints,
  triangulate,
  turnTriangles,
} from '#kernels/mesh/transform.ts';
import { FormatError, malformed, unsupported } from '../format-error.ts';
import { readFloats, readIntegers } from './accessor.ts';
import { checkedGltf, type Gltf, type GltfPrimitive, quoteValue } from './gltf-shape.ts';
import { nodeMatrix } from './node-matrix.ts';

/** Limit for the numbers of all vertices and triangles: a small file may place one mesh a million times. */
const maximumNumbers = 400_000_000;

interface Piece {
  positions: Float32Array;
  indices: Uint32Array;
  normals?: Float32Array;
  scalars: Record<string, Float32Array>;
}

/**
 * The triangles of a binary glTF 2.0 file as one mesh in mm: node transforms are applied, glTF's metres with y up are
 * converted to the product's frame, and `_<name>` vertex attributes become scalars. Vertices are not welded. No Node
 * imports: runs in a web worker.
 *
 * Scalars that only some pieces have are NaN in the others; normals are kept only if every piece has them.
 *
 * @throws FormatError MALFORMED, or UNSUPPORTED (Draco compression, external buffers; meshopt data must be unpacked
 * with `unpackGlb` first)
 */
export function readGlb(bytes: Uint8Array): TriangleMesh {
  const { gltf, binary } = parseChunks(bytes);
  const placed: { primitive: GltfPrimitive; matrix: Matrix4 }[] = [];
  const nodes = gltf.nodes ?? [];

  const scene = gltf.scenes?.[gltf.scene ?? 0];
  const children = new Set(nodes.flatMap((node) => node.children ?? []));
  const roots = scene?.nodes ?? [...nodes.keys()].filter((index) => !children.has(index));
  // Iterative depth-first traversal; a node may have only one parent, so a second visit is a cycle or an error.
  const inward = isUpright(gltf) ? fromGltf : fromEarlierVersion;
  const stack = roots.map((index) => ({ index, parent: inward }));
  const visited = new Set<number>();
  let numbers = 0;
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    const node = nodes[entry.index];
    if (!node) throw malformed(`GLB: node ${quoteValue(entry.index)} is referred to but does not exist.`);
    if (visited.has(entry.index)) throw malformed(`GLB: node ${entry.index} has more than one parent.`);
    visited.add(entry.index);
    const matrix = multiply4(entry.parent, nodeMatrix(node, entry.index));
    for (const child of node.children ?? []) stack.push({ index: child, parent: matrix });
    if (node.mesh === undefined) continue;
    const mesh = gltf.meshes?.[node.mesh];
    if (!mesh) throw malformed(`GLB: mesh ${quoteValue(node.mesh)} is referred to but does not exist.`);
    for (const primitive of mesh.primitives ?? []) {
      numbers += countNumbers(gltf, primitive);
      placed.push({ primitive, matrix });
    }
  }
  if (!scene && visited.size < nodes.length) throw malformed('GLB: a node contains itself.');
  if (!(numbers <= maximumNumbers)) {
    throw unsupported(
      `GLB: the scene places ${numbers} numbers of vertices and triangles; at most ${maximumNumbers} are read.`,
    );
  }
  const pieces = placed.map(({ primitive, matrix }) => readPrimitive(gltf, binary, primitive, matrix));
  return merge(pieces.filter((piece) => piece !== undefined));
}

/** Metres with y up to millimetres with z up: (x, y, z) becomes (x, −z, y). */
const fromGltf: Matrix4 = [1000, 0, 0, 0, 0, 0, 1000, 0, 0, -1000, 0, 0, 0, 0, 0, 1];
const fromEarlierVersion: Matrix4 = [1000, 0, 0, 0, 0, 1000, 0, 0, 0, 0, 1000, 0, 0, 0, 0, 1];

/** Earlier versions of our writer used z up, contrary to the standard; their files must keep their positions. */
const isUpright = ({ asset }: Gltf): boolean =>
  asset?.generator !== 'Scanwright' || asset.extras?.upAxis === 'y';

/** Number of values in a primitive, as declared by its accessors. */
function countNumbers(gltf: Gltf, { attributes = {}, indices, mode = 4 }: GltfPrimitive): number {
  // Negative counts, which are refused later, must not offset others.
  const count = (accessor: number | undefined) => Math.max(0, gltf.accessors?.[accessor ?? -1]?.count ?? 0);
  const vertices = count(attributes['POSITION']);
  const scalars = Object.keys(attributes).filter((name) => name.startsWith('_')).length;
  const corners = indices === undefined ? vertices : count(indices);
  return (6 + scalars) * vertices + (mode === 4 ? 1 : 3) * corners;
}

/**
 * The JSON and the binary chunk of a GLB.
 *
 * @param known extensions that the caller handles
 * @throws FormatError
 */
export function parseChunks(
  bytes: Uint8Array,
  known: readonly string[] = [],
): { gltf: Gltf; binary: Uint8Array } {
  if (bytes.length < 20)
    throw malformed(`GLB: the file has ${bytes.length} bytes, fewer than its header needs.`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== 0x46546c67) throw malformed('GLB: the file does not begin with "glTF".');
  const version = view.getUint32(4, true);
  if (version !== 2) throw unsupported(`GLB: version ${version} of glTF is not read, only version 2.`);
  const total = view.getUint32(8, true);
  if (total > bytes.length) {
    throw malformed(`GLB: the header declares ${total} bytes, but the file ends after ${bytes.length}.`);
  }
  let gltf: Gltf | undefined;
  let binary = new Uint8Array(0);
  for (let at = 12; at + 8 <= total; ) {
    const length = view.getUint32(at, true);
    const type = view.getUint32(at + 4, true);
    const start = at + 8;
    if (start + length > total) {
      throw malformed(`GLB: a chunk at byte ${at} declares ${length} bytes, beyond the end of the file.`);
    }
    const chunk = bytes.subarray(start, start + length);
    if (type === 0x4e4f534a && !gltf) gltf = parseJson(chunk);
    else if (type === 0x004e4942 && binary.length === 0) binary = new Uint8Array(chunk);
    at = start + length;
  }
  if (!gltf) throw malformed('GLB: there is no JSON chunk.');
  const declared = gltf.buffers?.[0]?.byteLength ?? 0;
  if (gltf.buffers?.[0]?.uri === undefined && declared > binary.length) {
    throw malformed(
      `GLB: ${quoteValue(declared)} bytes of data are declared, but the file has ${binary.length}.`,
    );
  }
  const refused = (gltf.extensionsRequired ?? []).filter(
    (name) => !known.includes(name) && !/^KHR_(materials|texture|lights|mesh_quantization|xmp)/.test(name),
  );
  if (refused.length > 0) {
    throw unsupported(
      `GLB: the file needs ${refused.join(', ')}, which is not read; export it without compression.`,
    );
  }
  return { gltf, binary };
}

function parseJson(chunk: Uint8Array): Gltf {
  try {
    return checkedGltf(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(chunk)));
  } catch (cause) {
    if (cause instanceof FormatError) throw cause;
    throw malformed('GLB: the JSON chunk is not valid JSON.', cause);
  }
}

function readPrimitive(
  gltf: Gltf,
  binary: Uint8Array,
  primitive: GltfPrimitive,
  matrix: Matrix4,
): Piece | undefined {
  const mode = primitive.mode ?? 4;
  if (mode < 4) return undefined; // points and lines have no surface
  if (mode > 6) throw malformed(`GLB: primitive mode ${quoteValue(mode)} does not exist.`);
  const attributes = primitive.attributes ?? {};
  if (attributes['POSITION'] === undefined) throw malformed('GLB: a primitive has no POSITION attribute.');
  const source = readFloats(gltf, binary, attributes['POSITION'], 3);
  const count = source.length / 3;
  const positions = new Float32Array(source.length);
  transformPoints(source, matrix, positions);
  const broken = positions.findIndex((value) => !Number.isFinite(value));
  if (broken >= 0) {
    throw malformed(`GLB: vertex ${Math.floor(broken / 3)} has a coordinate that is not a finite number.`);
  }
  const corners =
    primitive.indices === undefined
      ? Uint32Array.from({ length: count }, (_, i) => i)
      : readIntegers(gltf, binary, primitive.indices);
  const beyond = corners.findIndex((corner) => corner >= count);
  if (beyond >= 0) {
    throw malformed(
      `GLB: index ${beyond} points to vertex ${corners[beyond]}, but there are only ${count} vertices.`,
    );
  }
  const indices = triangulate(corners, mode === 4 ? 'triangles' : mode === 5 ? 'strip' : 'fan');
  if (determinant3(matrix) < 0) turnTriangles(indices);
  const piece: Piece = { positions, indices, scalars: {} };
  if (attributes['NORMAL'] !== undefined) {
    const normals = readFloats(gltf, binary, attributes['NORMAL'], 3);
    if (normals.length === positions.length) piece.normals = transformNormals(normals, matrix);
  }
  for (const [name, accessor] of Object.entries(attributes)) {
    if (!name.startsWith('_') || gltf.accessors?.[accessor]?.type !== 'SCALAR') continue;
    const values = readFloats(gltf, binary, accessor, 1);
    if (values.length !== count) continue;
    const missing = gltf.accessors[accessor]?.extras?.missingValue;
    piece.scalars[name.slice(1)] = values.map((value) => (value === missing ? Number.NaN : value));
  }
  return piece;
}

function merge(pieces: Piece[]): TriangleMesh {
  const [only] = pieces;
  if (only && pieces.length === 1) {
    const { positions, indices, normals, scalars } = only;
    const hasScalars = Object.keys(scalars).length > 0;
    return { positions, indices, ...(normals ? { normals } : {}), ...(hasScalars ? { scalars } : {}) };
  }
  const values = pieces.reduce((sum, piece) => sum + piece.positions.length, 0);
  const corners = pieces.reduce((sum, piece) => sum + piece.indices.length, 0);
  const mesh: TriangleMesh = { positions: new Float32Array(values), indices: new Uint32Array(corners) };
  if (pieces.length > 0 && pieces.every((piece) => piece.normals)) mesh.normals = new Float32Array(values);
  const names = new Set(pieces.flatMap((piece) => Object.keys(piece.scalars)));
  if (names.size > 0) mesh.scalars = {};
  for (const name of names) {
    if (mesh.scalars) mesh.scalars[name] = new Float32Array(values / 3).fill(Number.NaN);
  }
  let at = 0;
  let corner = 0;
  for (const piece of pieces) {
    mesh.positions.set(piece.positions, at);
    if (mesh.normals && piece.normals) mesh.normals.set(piece.normals, at);
    for (const [name, array] of Object.entries(piece.scalars)) mesh.scalars?.[name]?.set(array, at / 3);
    for (const index of piece.indices) mesh.indices[corner++] = index + at / 3;
    at += piece.positions.length;
  }
  return mesh;
}
