import type { TriangleMesh } from '#kernels/mesh/mesh.ts';

/**
 * A mesh as binary STL, in mm, with the normal of each facet; 84 + 50 · triangles bytes, little endian.
 * A triangle without area gets the normal (0, 0, 0), as the format allows.
 */
export function writeStl(mesh: TriangleMesh): Uint8Array {
  const { positions, indices } = mesh;
  const triangles = indices.length / 3;
  const bytes = new Uint8Array(84 + 50 * triangles);
  // Must not begin with "solid": readers take that for the text form.
  bytes.set(new TextEncoder().encode('binary STL, millimetres, SPACE=LPS, Scanwright'), 0);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, triangles, true);
  for (let t = 0, at = 84; t < triangles; t++, at += 50) {
    const a = indices[3 * t] * 3;
    const b = indices[3 * t + 1] * 3;
    const c = indices[3 * t + 2] * 3;
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    const length = Math.hypot(nx, ny, nz) || 1;
    view.setFloat32(at, nx / length, true);
    view.setFloat32(at + 4, ny / length, true);
    view.setFloat32(at + 8, nz / length, true);
    for (let corner = 0, from = 0; corner < 3; corner++) {
      from = corner === 0 ? a : corner === 1 ? b : c;
      view.setFloat32(at + 12 + corner * 12, positions[from], true);
      view.setFloat32(at + 16 + corner * 12, positions[from + 1], true);
      view.setFloat32(at + 20 + corner * 12, positions[from + 2], true);
    }
  }
  return bytes;
}

export const stlWriter = async function* (mesh: TriangleMesh): AsyncGenerator<Uint8Array> {
  yield writeStl(mesh);
};
