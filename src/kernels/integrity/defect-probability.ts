/**
 * How probable it is that a closed void is one of the part rather than noise, a ring or a streak: a logistic regression on
 * what is known of it, fitted to simulated scans whose voids are known and checked on others
 * (`node bench/defect-probability.ts`). It holds for scans like those: how many of all candidates are artefacts is part of it.
 */

export interface VoidEvidence {
  voxels: number;
  /** from the grey values, in voxels */
  volumeVoxels: number;
  /** what its grey values lack on average, as a share of the contrast */
  depth: number;
  /** its volume over that of the smallest ball around it */
  compactness: number;
  /** its volume over what the same integral gives at sound places */
  significance: number;
  /** standard deviation of the grey values deep in the material, behind the filter, as a share of the contrast */
  noise: number;
}

/** Beyond these hardly anything was simulated: a flat crack is no more doubtful than an arc of a ring. */
const limits = { compactness: 0.1, fill: 0.1, noise: 0.3, significance: [0.5, 1000] } as const;

/**
 * What the regression goes over: a constant; depth; compactness, as rings and streaks are long and thin; noise; the volume a
 * voxel, as noise leaves a few dark voxels in a region that is pale all over; and significance.
 */
export function listEvidence({
  voxels,
  volumeVoxels,
  depth,
  compactness,
  significance,
  noise,
}: VoidEvidence) {
  const [least, most] = limits.significance;
  return [
    1,
    depth,
    Math.log(Math.max(limits.compactness, compactness)),
    Math.min(limits.noise, noise),
    Math.log(Math.max(limits.fill, volumeVoxels / voxels)),
    Math.log(Math.min(most, Math.max(least, significance))),
  ];
}

const weights = [0.37, 3.59, 3.21, -2.11, -1.99, 1.26];

export function findProbability(evidence: VoidEvidence): number {
  const sum = listEvidence(evidence).reduce((all, value, i) => all + value * weights[i], 0);
  return 1 / (1 + Math.exp(-sum));
}
