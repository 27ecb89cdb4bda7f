/** Silhouettes and feature edges of a drawn surface, as in the viewer. */

export interface SeenSamples {
  width: number;
  /** distance before the eye in mm, `Infinity` where nothing is; rows from the top */
  depth: Float32Array;
  /** unit normals facing the eye, three numbers per sample */
  normals: Float32Array;
}

/**
 * Darkness of a line at a sample, 0 to 1. A silhouette is where the neighbours on both sides together are further away;
 * a feature edge is where the surface turns by more than about 40° from one side to the other.
 *
 * @param step samples to the neighbours: the width of a line
 * @param stepMm the same in mm at the sample
 */
export function lineAt(
  { width, depth, normals }: SeenSamples,
  at: number,
  step: number,
  stepMm: number,
): number {
  const height = depth.length / width;
  const x = at % width;
  const y = (at - x) / width;
  let silhouette = 0;
  let crease = 0;
  for (let axis = 0; axis < 2; axis++) {
    const a = axis === 0 ? at - x + Math.max(0, x - step) : Math.max(0, y - step) * width + x;
    const b =
      axis === 0 ? at - x + Math.min(width - 1, x + step) : Math.min(height - 1, y + step) * width + x;
    const fall = (depth[a] + depth[b] - 2 * depth[at]) / stepMm;
    if (fall > 6) silhouette = Math.max(silhouette, smoothStep(6, 14, fall));
    if (depth[a] === Infinity || depth[b] === Infinity || Math.abs(fall) >= 6) continue;
    const turn =
      1 -
      (normals[3 * a] * normals[3 * b] +
        normals[3 * a + 1] * normals[3 * b + 1] +
        normals[3 * a + 2] * normals[3 * b + 2]);
    if (turn > 0.2) crease = Math.max(crease, smoothStep(0.2, 0.5, turn));
  }
  return Math.max(0.62 * silhouette, 0.4 * crease);
}

function smoothStep(from: number, to: number, value: number): number {
  const share = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return share * share * (3 - 2 * share);
}
