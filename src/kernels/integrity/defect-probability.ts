/**
 * Probability that a defect is physically present rather than noise, a ring, a streak or the like: one logistic
 * regression per class, fitted to simulated scans with known flaws and checked on others (`node
 * bench/defect-probability.ts`). It holds for similar scans, because the share of artefacts among all candidates is
 * part of the fit.
 */

/** Closed voids, voids open to the surface, cracks of both kinds, and inclusions. */
export const defectClasses = ['closed', 'open', 'crack', 'inclusion'] as const;
export type DefectClass = (typeof defectClasses)[number];

export interface DefectEvidence {
  class: DefectClass;
  voxels: number;
  /** from the grey values, in voxels */
  volumeVoxels: number;
  /** area of its boundary with the material; of a crack, of its middle sheet; in voxel faces */
  areaFaces: number;
  /** mean deficit of its grey values (of an inclusion: excess), as a share of the contrast */
  depth: number;
  /** its volume divided by that of the smallest enclosing ball */
  compactness: number;
  /** sides of its bounding box, in voxels */
  box: readonly number[];
  /** its volume divided by the scatter of the same integral at sound places; null when no integral was taken */
  significance: number | null;
  /** standard deviation of the grey values deep in the material, after the filter, as a share of the contrast */
  noise: number;
}

/**
 * Hardly anything was simulated beyond these limits; values beyond are clamped and thus treated no worse than the
 * limit.
 */
const limits = {
  depth: [-0.5, 1.1],
  beyondAir: [0, 1.5],
  compactness: [0.02, 1],
  noise: [0.002, 0.3],
  fill: [0.1, 5],
  significance: [0.5, 1000],
  flatness: [0.03, 1],
  boxShare: [0.02, 1],
  areaShare: [0.05, 8],
  voxels: [3, 30],
} satisfies Record<string, [number, number]>;

const within = (value: number, [least, most]: readonly [number, number]) =>
  Math.min(most, Math.max(least, value));

/**
 * Terms of the regressions: a constant; depth, and its excess over that of air; compactness, flatness and fill of the
 * bounding box, because rings and streaks are long, thin and bent; noise; volume per voxel, because noise leaves a few
 * dark voxels in a region that is pale all over; significance, or the voxels' depth over noise alone; area per volume;
 * voxels.
 */
export function listEvidence(evidence: DefectEvidence): number[] {
  const { voxels, volumeVoxels, areaFaces, depth, compactness, box, noise } = evidence;
  const log = (value: number, range: readonly [number, number]) => Math.log(within(value, range));
  const overNoise = (Math.max(0, depth) * Math.sqrt(voxels)) / Math.max(noise, limits.noise[0]);
  return [
    1,
    within(depth, limits.depth),
    within(depth - limits.depth[1], limits.beyondAir),
    log(compactness, limits.compactness),
    within(noise, limits.noise),
    log(volumeVoxels / voxels, limits.fill),
    log(evidence.significance ?? overNoise, limits.significance),
    log(Math.min(...box) / Math.max(...box), limits.flatness),
    log(voxels / box.reduce((all, side) => all * side, 1), limits.boxShare),
    log(areaFaces / Math.max(0.5, volumeVoxels), limits.areaShare),
    log(voxels, limits.voxels),
  ];
}

const weights: Record<DefectClass, readonly number[]> = {
  closed: [2.12, 5.87, -0.35, 1.33, -2.7, -1.11, 1.56, 1.62, 0.67, 2.53, -0.95],
  open: [-10.33, 3.85, -2.52, 0.94, -10.08, 1.68, -0.2, 0.72, 0.89, 2.88, 3.59],
  crack: [0.8, 4.54, -2, 1.37, -1.83, -2.07, -0.06, 1.53, 1.97, 0.35, 1.35],
  inclusion: [-3.05, 0.79, 0.04, 2.16, -3.5, -1.52, -0.26, 2.45, 0.78, 1.3, 2.1],
};

/**
 * Limits of the result. Of 198 closed voids in other scans with more than 0.99, one in a hundred was not real, so
 * higher values are not supported.
 */
const [minProbability, maxProbability] = [0.005, 0.995];

export function findProbability(evidence: DefectEvidence): number {
  const sum = listEvidence(evidence).reduce((all, value, i) => all + value * weights[evidence.class][i], 0);
  return within(1 / (1 + Math.exp(-sum)), [minProbability, maxProbability]);
}
