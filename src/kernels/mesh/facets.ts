import type { TriangleMesh } from './mesh.ts';
import { spanTriangle } from './span-triangle.ts';

/**
 * Unit normal and three corners of each triangle, twelve numbers each; the normal of a degenerate triangle is (0, 0,
 * 0).
 */
export function listFacets({ positions, indices }: TriangleMesh): Float32Array {
  const facets = new Float32Array(4 * indices.length);
  const normal = new Float64Array(3);
  for (let t = 0, at = 0; t < indices.length; t += 3, at += 12) {
    const a = indices[t] * 3;
    const b = indices[t + 1] * 3;
    const c = indices[t + 2] * 3;
    spanTriangle(positions, a, b, c, normal);
    const length = Math.hypot(normal[0], normal[1], normal[2]) || 1;
    for (let axis = 0; axis < 3; axis++) {
      facets[at + axis] = normal[axis] / length;
      facets[at + 3 + axis] = positions[a + axis];
      facets[at + 6 + axis] = positions[b + axis];
      facets[at + 9 + axis] = positions[c + axis];
    }
  }
  return facets;
}
