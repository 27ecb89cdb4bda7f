import type { TriangleMesh } from '../mesh/mesh.ts';

/**
 * The same surface with no side longer than a length: each longer one is halved, in both of its triangles, until none
 * is left. A mesh of few large triangles has hardly a vertex where its faces are, and what is measured at vertices would
 * say nothing of them. Old vertices keep their numbers. O(triangles) a round.
 * @param most triangles: beyond so many it stops with what it has
 */
export function withShortSides(mesh: TriangleMesh, longestMm: number, most = 2_000_000): TriangleMesh {
  let { positions, indices } = mesh;
  let normals = mesh.normals;
  const limit = longestMm * longestMm;
  for (;;) {
    const vertices = positions.length / 3;
    const middles = new Map<number, number>();
    const middleOf = (a: number, b: number): number => {
      const squared =
        (positions[3 * a] - positions[3 * b]) ** 2 +
        (positions[3 * a + 1] - positions[3 * b + 1]) ** 2 +
        (positions[3 * a + 2] - positions[3 * b + 2]) ** 2;
      if (!(squared > limit)) return -1;
      const key = Math.min(a, b) * vertices + Math.max(a, b);
      const known = middles.get(key);
      if (known !== undefined) return known;
      const number = vertices + middles.size;
      middles.set(key, number);
      return number;
    };
    const next: number[] = [];
    for (let t = 0; t < indices.length; t += 3) cutTriangle(indices, t, middleOf, next);
    if (middles.size === 0 || next.length > 3 * most) break;
    const halved = (values: Float32Array, isUnit: boolean) => {
      const all = new Float32Array(3 * (vertices + middles.size));
      all.set(values);
      for (const [key, number] of middles) {
        const [a, b] = [Math.floor(key / vertices), key % vertices];
        const sum = [0, 1, 2].map((k) => values[3 * a + k] + values[3 * b + k]);
        const length = isUnit ? Math.hypot(...sum) || 1 : 2;
        for (let k = 0; k < 3; k++) all[3 * number + k] = sum[k] / length;
      }
      return all;
    };
    const moved = halved(positions, false);
    normals = normals && halved(normals, true);
    positions = moved;
    indices = Uint32Array.from(next);
  }
  return { positions, indices, ...(normals ? { normals } : {}) };
}

/** One to four triangles for one, by which of its sides are halved. */
function cutTriangle(
  indices: Uint32Array,
  t: number,
  middleOf: (a: number, b: number) => number,
  into: number[],
): void {
  let corners = [indices[t], indices[t + 1], indices[t + 2]];
  let middles = corners.map((a, k) => middleOf(a, corners[(k + 1) % 3]));
  const cuts = middles.filter((middle) => middle >= 0).length;
  if (cuts === 0) {
    into.push(...corners);
    return;
  }
  // Turned so that the first side is cut, and with two cuts the last one is not.
  while (middles[0] < 0 || (cuts === 2 && middles[2] >= 0)) {
    corners = [corners[1], corners[2], corners[0]];
    middles = [middles[1], middles[2], middles[0]];
  }
  const [a, b, c] = corners;
  const [ab, bc, ca] = middles;
  if (cuts === 1) into.push(a, ab, c, ab, b, c);
  else if (cuts === 2) into.push(ab, b, bc, a, ab, bc, a, bc, c);
  else into.push(a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca);
}
