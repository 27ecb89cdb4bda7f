/** The triangles of each CAD face, as a file beside the mesh. */
import { malformed } from '../format-error.ts';

interface FaceRanges {
  /** number of triangles of each face, in the order of the mesh's triangles */
  triangles: number[];
  /** name of each face's body in the CAD file */
  names: string[];
}

/** @param faces face index of each triangle, ascending */
export function writeFaceRanges(faces: Uint32Array, names: string[]): Uint8Array {
  const triangles = new Array<number>(names.length).fill(0);
  for (const face of faces) triangles[face] = (triangles[face] ?? 0) + 1;
  return new TextEncoder().encode(`${JSON.stringify({ triangles, names } satisfies FaceRanges)}\n`);
}

/** @throws FormatError MALFORMED */
export function readFaceRanges(bytes: Uint8Array): { faces: Uint32Array; faceNames: string[] } {
  let ranges: Partial<FaceRanges>;
  try {
    ranges = JSON.parse(new TextDecoder().decode(bytes)) as Partial<FaceRanges>;
  } catch (cause) {
    throw malformed('The list of CAD faces is not JSON.', cause);
  }
  const { triangles, names } = ranges;
  const isList =
    Array.isArray(triangles) && triangles.every((count) => Number.isSafeInteger(count) && count >= 0);
  if (!isList || !Array.isArray(names)) throw malformed('The list of CAD faces is not one.');
  const faces = new Uint32Array(triangles.reduce((sum, count) => sum + count, 0));
  let at = 0;
  for (const [face, count] of triangles.entries()) {
    faces.fill(face, at, at + count);
    at += count;
  }
  return { faces, faceNames: names.map(String) };
}
