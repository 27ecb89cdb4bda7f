/** Size limits of a scan: thickness of the part's features, and the smallest visible void. */

/** Percentile of thickness over the part. */
const thinnest = 0.05;

/**
 * @param widths measured thicknesses of walls thinner than two blocks, in cells
 * @param share of the part's blocks that belong to such walls
 * @returns 5th percentile of the part's thickness; null when it is more than two blocks
 */
export function findFeature(widths: readonly number[], share: number): number | null {
  if (!(share > thinnest) || widths.length < minWidths) return null;
  const sorted = Float64Array.from(widths).sort();
  return sorted[Math.floor((thinnest / Math.min(1, share)) * (sorted.length - 1))];
}
const minWidths = 20;

/**
 * At a contrast-to-noise ratio of seven, noise makes three adjacent voxels look like air once in 10¹¹; correlated noise
 * does so more often. White noise has a grain of 1.
 */
const [voidsFilteredBelow, filteredBelow, maxGrain] = [7, 10, 1.45];

/** Whether voids have to be searched after a median filter, which removes the smallest ones together with the noise. */
export const hidesVoids = (contrastToNoise: number, grain: number | null = 1): boolean =>
  contrastToNoise < ((grain ?? 1) > maxGrain ? filteredBelow : voidsFilteredBelow);

/**
 * A ball with a diameter of this many standard deviations of the edge spread has half of the contrast in its centre.
 */
const halfDeviations = 3.08;
/**
 * Additions in cells: for the ball's position on the grid; and for the 3 × 3 × 3 median used with strong noise, which
 * removes anything that fills less than half of it.
 */
const [ofCells, ofFilter] = [1, 1.5];

/**
 * Diameter of the smallest ball of air that is detected, in about half of all cases. @param blur standard deviation of
 * the edges, in cells
 */
export const findSmallestVoid = (blur: number, isFiltered: boolean): number =>
  halfDeviations * Math.hypot(blur, Math.sqrt(1 / 12)) + ofCells + (isFiltered ? ofFilter : 0);
