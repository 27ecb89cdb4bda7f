import { KernelError } from '../kernel-error.ts';
import { seededRandom } from '../random.ts';

export interface SurfacePoints {
  /** xyz in mm, 3 · n */
  points: Float64Array;
  /** unit normals out of the material, 3 · n */
  normals: Float64Array;
}

/**
 * Points spread evenly over a mesh's area, in random order, so that any leading part of them also covers the surface.
 * The same mesh gives the same points. O(triangles + count).
 * @throws KernelError BAD_INPUT for a mesh without area
 */
export function surfacePoints(
  mesh: { positions: Float32Array; indices: Uint32Array },
  count: number,
): SurfacePoints {
  const { positions, indices } = mesh;
  const triangles = indices.length / 3;
  const crosses = new Float64Array(indices.length);
  const until = new Float64Array(triangles);
  let area = 0;
  for (let t = 0; t < triangles; t++) {
    const [a, b, c] = [3 * indices[3 * t], 3 * indices[3 * t + 1], 3 * indices[3 * t + 2]];
    const u = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]);
    const v = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
    crosses[3 * t] = u[1] * v[2] - u[2] * v[1];
    crosses[3 * t + 1] = u[2] * v[0] - u[0] * v[2];
    crosses[3 * t + 2] = u[0] * v[1] - u[1] * v[0];
    const twice = Math.hypot(crosses[3 * t], crosses[3 * t + 1], crosses[3 * t + 2]);
    if (twice < Number.POSITIVE_INFINITY) area += twice;
    until[t] = area;
  }
  if (!(area > 0)) throw new KernelError('BAD_INPUT', 'The mesh has no area: there is nothing to align.');
  const random = seededRandom(20050123);
  const order = new Uint32Array(count).map((_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  const points = new Float64Array(3 * count);
  const normals = new Float64Array(3 * count);
  let t = 0;
  for (let i = 0; i < count; i++) {
    // One point in each of `count` equal shares of the area.
    const wanted = ((i + random()) / count) * area;
    while (t < triangles - 1 && until[t] < wanted) t++;
    const root = Math.sqrt(random());
    const b = root * random();
    const c = root - b;
    const corners = [3 * indices[3 * t], 3 * indices[3 * t + 1], 3 * indices[3 * t + 2]];
    const length = Math.hypot(crosses[3 * t], crosses[3 * t + 1], crosses[3 * t + 2]);
    const at = 3 * order[i];
    for (let k = 0; k < 3; k++) {
      points[at + k] =
        (1 - root) * positions[corners[0] + k] +
        b * positions[corners[1] + k] +
        c * positions[corners[2] + k];
      normals[at + k] = crosses[3 * t + k] / length;
    }
  }
  return { points, normals };
}
