import type { TriangleMesh } from './mesh.ts';

/** Unit normal and three corners of each triangle, in twelve numbers; (0, 0, 0) is the normal of one without area. */
export function listFacets({ positions, indices }: TriangleMesh): Float32Array {
  const facets = new Float32Array(4 * indices.length);
  for (let t = 0, at = 0; t < indices.length; t += 3, at += 12) {
    const a = indices[t] * 3;
    const b = indices[t + 1] * 3;
    const c = indices[t + 2] * 3;
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
    facets[at] = nx / length;
    facets[at + 1] = ny / length;
    facets[at + 2] = nz / length;
    for (let axis = 0; axis < 3; axis++) {
      facets[at + 3 + axis] = positions[a + axis];
      facets[at + 6 + axis] = positions[b + axis];
      facets[at + 9 + axis] = positions[c + axis];
    }
  }
  return facets;
}
