/**
 * How probable it is that a defect is physically there rather than noise, a ring, a streak or the like: a logistic regression
 * for each class on what is known of the defect, fitted to simulated scans whose flaws are known and checked on others
 * (`node bench/defect-probability.ts`). It holds for scans like those: how many of all candidates are artefacts is part of it.
 */

/** Closed voids, those that are open to the surface, cracks of both kinds, and inclusions. */
export const defectClasses = ['closed', 'open', 'crack', 'inclusion'] as const;
export type DefectClass = (typeof defectClasses)[number];

export interface DefectEvidence {
  class: DefectClass;
  voxels: number;
  /** from the grey values, in voxels */
  volumeVoxels: number;
  /** of its boundary with the material, of a crack of its middle sheet, in faces of a voxel */
  areaFaces: number;
  /** what its grey values lack (of an inclusion: have more) on average, as a share of the contrast */
  depth: number;
  /** its volume over that of the smallest ball around it */
  compactness: number;
  /** sides of the box around it, in voxels */
  box: readonly number[];
  /** its volume over what the same integral gives at sound places; null where none was taken */
  significance: number | null;
  /** standard deviation of the grey values deep in the material, behind the filter, as a share of the contrast */
  noise: number;
}

/** Beyond these hardly anything was simulated: what is beyond is no more doubtful than what is there. */
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
 * What the regressions go over: a constant; depth, and how much more than air lacks; compactness, flatness and how full the box around it is,
 * as rings and streaks are long, thin and bent; noise; the volume a voxel, as noise leaves a few dark voxels in a
 * region that is pale all over; significance, or what the voxels' depth is over noise alone; area over volume; voxels.
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

/** Of 198 closed voids of other scans that had more than 0.99, one in a hundred was none: more than this is not known. */
const [leastProbability, mostProbability] = [0.005, 0.995];

export function findProbability(evidence: DefectEvidence): number {
  const sum = listEvidence(evidence).reduce((all, value, i) => all + value * weights[evidence.class][i], 0);
  return within(1 / (1 + Math.exp(-sum)), [leastProbability, mostProbability]);
}
