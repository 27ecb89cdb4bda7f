/**
 * How far inside edges come to lie because focal spot and detector blur intensities, not what the logarithm makes of them: the
 * exponential edge-gradient effect (Joseph and Spital 1981, doi:10.1088/0031-9155/26/3/010).
 */

/** Deviations of blur that a volume has from its reconstruction alone, in voxels. */
const ownBlur = 0.3;
/** Of the most that a ray along a face shows; faces are seen by rays of all lengths. By simulated scans of known parts: 0.3 to 0.5. */
const seenShare = 0.5;
/** The logistic function follows the normal distribution to a hundredth with this factor. */
const logistic = 1.702;

/**
 * @param densest line integral of the part's dense places, as measured @param hardening b of the correction p + b p²
 * @param blurVoxels deviation of the volume's edges
 * @returns voxels
 */
export function estimateErosion(densest: number, hardening: number, blurVoxels: number): number {
  if (!(densest > 0)) return 0;
  const half = (densest + hardening * densest * densest) / 2;
  const atHalf = hardening > 0 ? (Math.sqrt(1 + 4 * hardening * half) - 1) / (2 * hardening) : half;
  const darkened = (1 - Math.exp(-atHalf)) / (1 - Math.exp(-densest));
  const deviations = Math.log(darkened / (1 - darkened)) / logistic;
  return seenShare * deviations * Math.sqrt(Math.max(0, blurVoxels ** 2 - ownBlur ** 2));
}
