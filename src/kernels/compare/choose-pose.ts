/**
 * Chooses the pose in which both surfaces are closest together.
 *
 * A part that is symmetric except for small features fits its reference in several poses almost equally well, and form
 * errors may make a wrong one fit better overall. A misplaced feature has no counterpart on either surface, so such
 * places count with the full search distance.
 */
import type { Comparison, PoseErrors } from './both-ways.ts';

export interface ChosenPose<Pose> {
  chosen: Pose;
  /** poses that cannot be distinguished from it */
  equal: Pose[];
}

/** A mean difference of more standard errors than this is significant. */
const certainty = 4;

/**
 * @param poses scan → reference; equally good ones stay in this order
 * @param minMm differences of the mean square below the square of this are ignored
 */
export async function choosePose<Pose extends { matrix: readonly number[] }>(
  comparison: Pick<Comparison, 'squaredErrors'>,
  poses: readonly Pose[],
  minMm: number,
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
    return difference <= Math.max(certainty * Math.sqrt(variance), minMm * minMm);
  };
  return { chosen: poses[chosen], equal: poses.filter((_, i) => i !== chosen && isEqual(i)) };
}
