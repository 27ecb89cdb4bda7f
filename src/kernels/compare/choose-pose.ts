/**
 * Which of several poses a scan lies in: that in which both surfaces lie closest together, as they are judged.
 *
 * A part that is symmetric but for small features fits its reference in several poses nearly as well, and what its surface
 * has of form errors may make a wrong one fit better on the whole. A feature in the wrong place has no counterpart, on
 * either surface, so such places count as far off as the search goes.
 */
import type { Comparison, PoseErrors } from './both-ways.ts';

export interface ChosenPose<Pose> {
  chosen: Pose;
  /** those that can't be told from it */
  equal: Pose[];
}

/** A mean difference beyond so many standard errors is none of chance. */
const certainty = 4;

/**
 * @param poses scan → reference; those that are equally good in that order
 * @param leastMm differences of the mean square below the square of this decide nothing
 */
export async function choosePose<Pose extends { matrix: readonly number[] }>(
  comparison: Pick<Comparison, 'squaredErrors'>,
  poses: readonly Pose[],
  leastMm: number,
): Promise<ChosenPose<Pose>> {
  if (poses.length === 1) return { chosen: poses[0], equal: [] };
  const errors: PoseErrors[] = [];
  for (const { matrix } of poses) errors.push(await comparison.squaredErrors(matrix));
  const sums = errors.map(({ squaresMm2, weights }) =>
    squaresMm2.reduce((sum, each, i) => sum + weights[i] * each, 0),
  );
  const chosen = sums.indexOf(Math.min(...sums));
  const isEqual = (i: number) => {
    const difference = sums[i] - sums[chosen];
    const { squaresMm2, weights } = errors[i];
    const others = errors[chosen].squaresMm2;
    let variance = 0;
    for (let k = 0; k < weights.length; k++) {
      variance += (weights[k] * (squaresMm2[k] - others[k] - difference)) ** 2;
    }
    return difference <= Math.max(certainty * Math.sqrt(variance), leastMm * leastMm);
  };
  return { chosen: poses[chosen], equal: poses.filter((_, i) => i !== chosen && isEqual(i)) };
}
