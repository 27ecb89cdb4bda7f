import type { Vector3 } from '../grid/volume.ts';

export interface FaceSum {
  area: number;
  /** sum of the triangles' normals, each with the length of its area */
  normal: Vector3;
}

/** Area and normal of each face; @param faces face of each triangle, ascending */
export function sumFaces(positions: Float32Array, indices: Uint32Array, faces: Uint32Array): FaceSum[] {
  const sums = Array.from(
    { length: (faces.at(-1) ?? -1) + 1 },
    (): FaceSum => ({ area: 0, normal: [0, 0, 0] }),
  );
  for (const [t, face] of faces.entries()) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * indices[3 * t + k]);
    const edge = (to: number, k: number) => positions[to + k] - positions[a + k];
    const cross = [0, 1, 2].map((k) => {
      const [u, v] = [(k + 1) % 3, (k + 2) % 3];
      return (edge(b, u) * edge(c, v) - edge(b, v) * edge(c, u)) / 2;
    });
    const sum = sums[face];
    sum.area += Math.hypot(...cross);
    for (let k = 0; k < 3; k++) sum.normal[k] += cross[k];
  }
  return sums;
}
