import { listFacets } from '#kernels/mesh/facets.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';

/**
 * A mesh as binary STL in mm with facet normals; 84 + 50 · triangles bytes, little endian. Zero-area triangles get the
 * normal (0, 0, 0), which the format allows.
 */
export function writeStl(mesh: TriangleMesh): Uint8Array {
  const triangles = mesh.indices.length / 3;
  const bytes = new Uint8Array(84 + 50 * triangles);
  // Must not begin with "solid", which readers take for the text form.
  bytes.set(new TextEncoder().encode('binary STL, millimetres, SPACE=LPS, Scanwright'), 0);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, triangles, true);
  // The twelve numbers of each triangle are followed by two unused bytes.
  let at = 84;
  let numbers = 0;
  for (const value of listFacets(mesh)) {
    view.setFloat32(at, value, true);
    at += ++numbers % 12 === 0 ? 6 : 4;
  }
  return bytes;
}

export const stlWriter = async function* (mesh: TriangleMesh): AsyncGenerator<Uint8Array> {
  yield writeStl(mesh);
};
