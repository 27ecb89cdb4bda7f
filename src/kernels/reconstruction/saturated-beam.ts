import type { VoxelArray } from '../grid/volume.ts';

/** Minimum share of the pixels that have the highest count, and its share of those within two deviations of it. */
const [minShare, minPile] = [0.01, 0.9];
/** Minimum noise as a share of the count. Simulations without noise have a uniform free beam without being saturated. */
const minNoise = 8e-4;
/** Minimum number of pixels from which the noise is estimated. */
const minPixels = 100;
/** Below this absolute value lies a quarter of normally distributed values of deviation 1. */
const quarter = 0.3186;

/**
 * Whether the detector was saturated in this projection: almost all bright pixels have exactly the highest count,
 * although the others are noisy. O(pixels).
 *
 * @param gains 0 for dead pixels
 */
export function isSaturated(counts: VoxelArray, gains: Float32Array, columns: number): boolean {
  let [highest, number] = [0, 0];
  for (let i = 0; i < counts.length; i++) {
    const count = gains[i] === 0 ? 0 : counts[i];
    if (count > highest) [highest, number] = [count, 1];
    else if (count === highest) number++;
  }
  if (highest === 0 || number < minShare * counts.length) return false;
  const noise = estimateNoise(counts, columns, highest);
  const isWhole = !(counts instanceof Float32Array || counts instanceof Float64Array);
  if (noise < minNoise || (isWhole && noise * highest < 1)) return false;
  let near = 0;
  const least = highest * (1 - 2 * noise);
  for (const count of counts) if (count >= least && count <= highest) near++;
  return number > minPile * near;
}

/** Photon noise of the free beam as a share of its count, from the pixels behind the part; 0 for too few of them. */
function estimateNoise(counts: VoxelArray, columns: number, highest: number): number {
  const deviations: number[] = [];
  const differ = (i: number) => counts[i - 1] - 2 * counts[i] + counts[i + 1];
  for (let row = columns; row + 2 * columns <= counts.length; row += columns) {
    for (let i = row + 1; i < row + columns - 1; i++) {
      const isBehind = [i - columns, i, i + columns].every(
        (middle) => Math.max(counts[middle - 1], counts[middle], counts[middle + 1]) < highest,
      );
      if (!isBehind || !(counts[i] > 0)) continue;
      // The part itself hardly curves along both directions at once. White noise makes this difference 6 deviations.
      const difference = differ(i - columns) - 2 * differ(i) + differ(i + columns);
      deviations.push(Math.abs(difference) / 6 / Math.sqrt(highest * counts[i]));
    }
  }
  if (deviations.length < minPixels) return 0;
  return deviations.sort((a, b) => a - b)[Math.floor(deviations.length / 4)] / quarter;
}
