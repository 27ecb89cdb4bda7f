import { GrowingIndices } from '#kernels/mesh/growing-array.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { malformed, unsupported } from '../format-error.ts';
import { listWords } from '../mesh/words.ts';
import { type PlyElement, type PlyHeader, type PlyType, plyBytes, readPlyHeader } from './ply-header.ts';

/** Vertex properties with a standard meaning, which are not measured values. */
const notScalars =
  /^(x|y|z|nx|ny|nz|red|green|blue|alpha|r|g|b|a|diffuse_\w+|ambient_\w+|specular_\w+|u|v|s|t|texture_[uv])$/;
const maximumCorners = 1_000_000;

/** Returns the next value of the body; throws at the end. */
type NextValue = (type: PlyType) => number;

/**
 * The faces of a text or binary PLY; polygons become triangle fans from their first corner, additional numeric vertex
 * properties become scalars with their names.
 *
 * @param mmPerFileUnit mm per unit of the file, as PLY states none
 */
export function readPly(bytes: Uint8Array, mmPerFileUnit: number, where: string): TriangleMesh {
  const header = readPlyHeader(bytes, where);
  const names = header.elements.map((element) => element.name);
  if (names.includes('tristrips'))
    throw unsupported(`${where}: triangle strips in PLY are not read; export faces.`);
  if (!names.includes('vertex')) throw malformed(`${where}: the PLY file has no vertices.`);
  if (!names.includes('face'))
    throw malformed(`${where} is a point cloud without faces; a mesh of triangles is needed.`);
  const next = bodyReader(bytes, header, where);
  let vertices: VertexColumns | undefined;
  let indices: Uint32Array = new Uint32Array(0);
  let left = bytes.length - header.dataOffset;
  for (const element of header.elements) {
    // Nothing is allocated for a count that the file cannot contain.
    const least = minBytes(element, header.encoding) * element.count;
    if (least > left) {
      throw malformed(
        `${where}: ${element.count} of element "${element.name}" need at least ${least} bytes, but only ${left} are left in the file.`,
      );
    }
    left -= least;
    if (element.name === 'vertex') vertices = readVertices(element, next, mmPerFileUnit, where);
    else if (element.name === 'face') indices = readFaces(element, next, where);
    else skipElement(element, next, where);
  }
  if (!vertices) throw malformed(`${where}: the PLY file has no vertices.`);
  const count = vertices.positions.length / 3;
  for (const index of indices) {
    if (index >= count)
      throw malformed(`${where}: a face refers to vertex ${index}, but there are only ${count} (from 0).`);
  }
  if (indices.length === 0) throw malformed(`${where}: the PLY file has no face.`);
  return { ...vertices, indices };
}

/** Smallest size of one element in the body: lists may be empty, a word takes a character and a space. */
function minBytes(element: PlyElement, encoding: PlyHeader['encoding']): number {
  let bytes = 0;
  for (const { type, countType } of element.properties) {
    bytes += encoding === 'ascii' ? 2 : plyBytes[countType ?? type];
  }
  // The last line may lack a newline, hence one less for text; an element without properties takes nothing.
  return encoding === 'ascii' && bytes > 0 ? bytes - 1 : bytes;
}

function bodyReader(bytes: Uint8Array, header: PlyHeader, where: string): NextValue {
  if (header.encoding === 'ascii') {
    const words = listWords(bytes, header.dataOffset);
    return () => {
      const word = words.next();
      if (word.done)
        throw malformed(`${where}: the PLY file ends before all elements that its header declares.`);
      const value = Number(word.value);
      if (Number.isNaN(value) && !/^[+-]?nan/i.test(word.value)) {
        throw malformed(`${where}: "${word.value.slice(0, 40)}" stands where a number should be.`);
      }
      return value;
    };
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = header.encoding === 'little';
  let at = header.dataOffset;
  return (type) => {
    const from = at;
    at += plyBytes[type];
    if (at > bytes.length)
      throw malformed(`${where}: the PLY file ends before all elements that its header declares.`);
    switch (type) {
      case 'int8':
        return view.getInt8(from);
      case 'uint8':
        return view.getUint8(from);
      case 'int16':
        return view.getInt16(from, little);
      case 'uint16':
        return view.getUint16(from, little);
      case 'int32':
        return view.getInt32(from, little);
      case 'uint32':
        return view.getUint32(from, little);
      case 'float32':
        return view.getFloat32(from, little);
      case 'float64':
        return view.getFloat64(from, little);
    }
  };
}

type VertexColumns = Pick<TriangleMesh, 'positions' | 'normals' | 'scalars'>;

function readVertices(element: PlyElement, next: NextValue, factor: number, where: string): VertexColumns {
  const has = (name: string) =>
    element.properties.some((property) => property.name === name && !property.countType);
  if (!has('x') || !has('y') || !has('z'))
    throw malformed(`${where}: the vertices of the PLY file lack x, y or z.`);
  const positions = new Float32Array(3 * element.count);
  const normals = has('nx') && has('ny') && has('nz') ? new Float32Array(3 * element.count) : undefined;
  const scalars: Record<string, Float32Array> = {};
  const chooseTarget = ({ name, countType }: PlyElement['properties'][number]) => {
    if (countType) return undefined;
    const place = ['x', 'y', 'z'].indexOf(name);
    if (place >= 0) return { into: positions, stride: 3, place, factor };
    const normalPlace = ['nx', 'ny', 'nz'].indexOf(name);
    if (normalPlace >= 0) return normals && { into: normals, stride: 3, place: normalPlace, factor: 1 };
    if (notScalars.test(name.toLowerCase())) return undefined;
    const into = new Float32Array(element.count);
    scalars[name] = into;
    return { into, stride: 1, place: 0, factor: 1 };
  };
  const columns = element.properties.map((property) => ({ property, target: chooseTarget(property) }));
  for (let v = 0; v < element.count; v++) {
    for (const { property, target } of columns) {
      if (property.countType) {
        skipList(property.countType, property.type, next, where);
        continue;
      }
      const value = next(property.type);
      if (target) target.into[v * target.stride + target.place] = value * target.factor;
    }
    if (!positions.subarray(3 * v, 3 * v + 3).every(Number.isFinite)) {
      throw malformed(`${where}: vertex ${v} has a coordinate that is not a finite number.`);
    }
  }
  return {
    positions,
    ...(normals ? { normals } : {}),
    ...(Object.keys(scalars).length > 0 ? { scalars } : {}),
  };
}

function listLength(countType: PlyType, next: NextValue, where: string): number {
  const count = next(countType);
  if (!Number.isInteger(count) || count < 0 || count > maximumCorners) {
    throw malformed(`${where}: a list of ${count} numbers is not possible.`);
  }
  return count;
}

function skipList(countType: PlyType, type: PlyType, next: NextValue, where: string): void {
  for (let left = listLength(countType, next, where); left > 0; left--) next(type);
}

function skipElement(element: PlyElement, next: NextValue, where: string): void {
  if (element.properties.length === 0) return;
  for (let i = 0; i < element.count; i++) {
    for (const { type, countType } of element.properties) {
      if (countType) skipList(countType, type, next, where);
      else next(type);
    }
  }
}

function readFaces(element: PlyElement, next: NextValue, where: string): Uint32Array {
  const indices = new GrowingIndices();
  if (element.properties.length === 0) return indices.trimmed();
  for (let f = 0; f < element.count; f++) {
    for (const { name, type, countType } of element.properties) {
      if (!countType) {
        next(type);
        continue;
      }
      if (name !== 'vertex_indices' && name !== 'vertex_index') {
        skipList(countType, type, next, where);
        continue;
      }
      const corners = listLength(countType, next, where);
      let first = 0;
      let before = 0;
      for (let k = 0; k < corners; k++) {
        const index = next(type);
        if (!Number.isInteger(index) || index < 0)
          throw malformed(`${where}: face ${f} refers to vertex ${index}.`);
        if (k === 0) first = index;
        else if (k >= 2) {
          indices.push(first);
          indices.push(before);
          indices.push(index);
        }
        before = index;
      }
    }
  }
  return indices.trimmed();
}
