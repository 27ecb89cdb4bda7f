/** Edges that rise in two steps, as a part that moved or a centre of rotation that is off leaves them. */

/** What lies between two steps falls behind both by this share of the height, and by so many deviations of the noise in a mean of 16 lines. */
const [leastDip, dipDeviations] = [0.1, 1.4];
/** A part's own groove falls between its edges by more. */
const mostFall = 0.06;
/** Half of the time aside leaves half of the height between the steps: what is nearer to an end is a texture, or beside the edge. */
const leastHalf = 0.3;
/** Cells from one step to the other at least. */
const leastApart = 2;
/** Edges along an axis at least. */
const fewestEdges = 20;

/**
 * @param profile across an edge, from 0 to 1; noise: of a voxel, as a share of the height
 */
export function isDouble(profile: Float64Array, cells: number, noise: number): boolean {
  const least = Math.max(leastDip, dipDeviations * noise);
  let deepest = 0;
  for (let a = 1; a + leastApart < cells; a++) {
    const one = profile[a] - profile[a - 1];
    let between = Number.POSITIVE_INFINITY;
    let height = 0;
    for (let b = a + 1; b < cells; b++) {
      const other = profile[b] - profile[b - 1];
      const isHalf = height > leastHalf && height < 1 - leastHalf;
      if (isHalf && b - a >= leastApart && between > -mostFall - noise)
        deepest = Math.max(deepest, Math.min(one, other) - between);
      if (other < between) [between, height] = [other, (profile[b] + profile[b - 1]) / 2];
    }
  }
  return deepest > least;
}

/** Of each axis how many edges were looked at, and how many are double. */
export type EdgeCounts = [all: number, double: number][];

/** @returns the share of the edges along the axis where it is largest; null where each has too few */
export function findDoubleShare(counts: EdgeCounts): number | null {
  const shares = counts.flatMap(([all, double]) => (all < fewestEdges ? [] : [double / all]));
  return shares.length === 0 ? null : Math.max(...shares);
}
