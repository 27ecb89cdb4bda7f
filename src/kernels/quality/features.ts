/** How small what a scan carries may be: the thickness of the part's features, and the smallest void that shows. */

/** Share of the part that is thinner. */
const thinnest = 0.05;

/**
 * @param widths that were measured of walls of fewer than two blocks, in cells
 * @param share of the part's blocks that are such walls
 * @returns thickness that a twentieth of the part stays below; null where that is more than two blocks
 */
export function findFeature(widths: readonly number[], share: number): number | null {
  if (!(share > thinnest) || widths.length < fewestWidths) return null;
  const sorted = Float64Array.from(widths).sort();
  return sorted[Math.floor((thinnest / Math.min(1, share)) * (sorted.length - 1))];
}
const fewestWidths = 20;

/**
 * Noise takes single voxels for air, but three beside each other by chance in one of 10¹¹ where the contrast is seven times as high.
 * With a grain it takes them together. White noise has a grain of 1.
 */
const [voidsFilteredBelow, filteredBelow, mostGrain] = [7, 10, 1.45];

/** Whether voids have to be looked for behind a median filter, which takes the smallest with the noise. */
export const hidesVoids = (contrastToNoise: number, grain: number | null = 1): boolean =>
  contrastToNoise < ((grain ?? 1) > mostGrain ? filteredBelow : voidsFilteredBelow);

/** In cells: the middle of a ball of so many deviations of its blurred edge across falls to half the contrast. */
const halfDeviations = 3.08;
/** And cells meet it anywhere; a median of 3 × 3 × 3, which is taken where noise is strong, takes away what fills less than half of it. */
const [ofCells, ofFilter] = [1, 1.5];

/** Across the smallest ball of air that is found, of about every second one. @param blur standard deviation of the edges, in cells */
export const findSmallestVoid = (blur: number, isFiltered: boolean): number =>
  halfDeviations * Math.hypot(blur, Math.sqrt(1 / 12)) + ofCells + (isFiltered ? ofFilter : 0);
