/**
 * Estimates how far edges are displaced inward because focal spot and detector blur intensities rather than their
 * logarithms: the exponential edge-gradient effect (Joseph and Spital 1981, doi:10.1088/0031-9155/26/3/010).
 */

/** Blur caused by the reconstruction itself (standard deviation), in voxels. */
const ownBlur = 0.3;
/**
 * Share of the maximum effect, which a ray along a face shows; faces are seen by rays of all lengths. Simulated scans
 * of known parts give 0.3 to 0.5.
 */
const seenShare = 0.5;
/** With this factor, the logistic function approximates the normal distribution to within 0.01. */
const logistic = 1.702;

/**
 * @param densest line integral of the part's dense places, as measured @param hardening b of the correction p + b p²
 * @param blurVoxels edge blur of the volume (standard deviation)
 * @returns displacement in voxels
 */
export function estimateErosion(densest: number, hardening: number, blurVoxels: number): number {
  if (!(densest > 0)) return 0;
  const half = (densest + hardening * densest * densest) / 2;
  const atHalf = hardening > 0 ? (Math.sqrt(1 + 4 * hardening * half) - 1) / (2 * hardening) : half;
  const darkened = (1 - Math.exp(-atHalf)) / (1 - Math.exp(-densest));
  const deviations = Math.log(darkened / (1 - darkened)) / logistic;
  return seenShare * deviations * Math.sqrt(Math.max(0, blurVoxels ** 2 - ownBlur ** 2));
}
