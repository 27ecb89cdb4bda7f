/**
 * Aligns a scan with its reference: initial poses from principal axes and, for nearly symmetric parts, from distinctive
 * features; then refinement, and checks before a result is accepted.
 */
import { dot } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import { computeMedian } from '../select-nth.ts';
import type { SurfaceTree } from '../spatial/surface-tree.ts';
import { featureCandidates, listLeftOver } from './feature-candidates.ts';
import { type IcpResult, icp } from './icp.ts';
import { findTurning, type Matrix16, poseDistance } from './pose.ts';
import { axisCandidates, principalAxes } from './principal-axes.ts';
import type { SurfacePoints } from './surface-points.ts';

/** A pose, and how well it fits. */
export interface Fit {
  /** 16 numbers, row by row, scan → reference; a rotation and a translation */
  matrix: Matrix16;
  /** of the inliers' distances to the reference */
  rmsMm: number;
  /** share of the points that lie on the reference, within the noise of the others */
  inlierShare: number;
}

export interface Alignment extends Fit {
  iterations: number;
  /** clearly different poses fit equally well */
  ambiguous: boolean;
  /**
   * other poses that fit nearly as well, the best first: those of a part that is symmetric except for small features
   */
  alternatives: Fit[];
  /** factor by which the scan would fit best; 1 within the noise for a part of the right size */
  scale: number;
}

/** Initial poses: from the principal axes of both, or the given one. */
export type FirstGuess = 'principalAxes' | { matrix: readonly number[] };

/**
 * Stages with their numbers of points and iterations. The best poses go on to the next stage; a cube has 24 poses that
 * fit.
 */
const coarse = { count: 300, iterations: 10, tolerance: 1e-3, keep: 24 };
const middle = { count: 2000, iterations: 20, tolerance: 1e-5, keep: 6 };
const fine = { count: 5000, iterations: 40, tolerance: 1e-6 };
/** Final refinement with all points; little is left to move. */
const last = { iterations: 10, tolerance: 1e-6 };
/** Larger differences in size or scale mean a different part. */
const sizeTolerance = 0.15;
const scaleTolerance = 0.005;
/** As a share of the part's radius: a pose with larger residuals is rejected. */
const residualTolerance = 0.02;
const minInliers = 0.6;
/**
 * As a share of the part's radius: closer points count as on the reference, even when the rest fits exactly and the
 * difference is not noise.
 */
const minReach = 0.002;
/**
 * As a share of the part's radius: largest distance that counts. Larger than noise, so that a small misplaced feature
 * outweighs a whole surface that fits a little better by chance.
 */
const featureReach = 0.05;
/** A pose with a larger error, by this factor, is not one of a nearly symmetric part. */
const nearlyAsGood = 4;
/** As a share of the part's radius: poses with errors below it go on to the next stage, regardless of the best one. */
const roughShare = 0.01;
/** Poses closer than this share of the radius are the same. */
const samePose = 0.01;
/** A mean difference of more standard errors than this is significant. */
const certainty = 4;
/** Errors below this share of the part's size are ignored: coordinates and steps are exact only to that. */
const exactShare = 1e-5;
/** Scans of the same part agree to this share of its size. */
const sameShare = 1e-3;

interface Judged extends IcpResult {
  score: number;
}

/**
 * Aligns points of a scan with a reference.
 * @param scan points spread over the scan's surface, in random order; some 20,000
 * @param reference the reference's tree and points spread over it; some 5,000
 * @param progress a fraction from 0 to 1
 * @throws KernelError NOT_ALIGNED when nothing fits: the part has another size or shape, is mirrored, or too little of
 *   it lies on the reference; BAD_INPUT for a first guess that is not a rotation and a translation
 */
export async function alignPoints(
  scan: SurfacePoints,
  reference: { tree: SurfaceTree; points: SurfacePoints },
  guess: FirstGuess = 'principalAxes',
  progress: (fraction: number) => void = () => undefined,
): Promise<Alignment> {
  const { tree } = reference;
  const of = { scan: principalAxes(scan.points), reference: principalAxes(reference.points.points) };
  const [scanRadius, sizeMm] = [findRadius(scan.points), findRadius(reference.points.points)];
  const smaller = typeof guess === 'object' && scanRadius < sizeMm;
  if (!smaller && Math.abs(scanRadius / sizeMm - 1) > sizeTolerance) {
    throw new KernelError(
      'NOT_ALIGNED',
      `The scan is ${(scanRadius / sizeMm).toPrecision(3)} times as large as the reference: check the voxel size and ` +
        `the reference's unit, or choose another reference.`,
    );
  }
  const count = scan.points.length / 3;
  const run = (start: Matrix16, stage: { count: number; iterations: number; tolerance: number }) =>
    icp(scan, tree, start, { ...stage, sizeMm });
  const center = of.scan.center;
  const near = (a: Judged, b: Judged) => poseDistance(a.pose, b.pose, center, scanRadius) < samePose * sizeMm;

  /** Points off the reference decide between poses that fit equally well otherwise. */
  const byFeatures = async ({ pose }: IcpResult): Promise<IcpResult[]> => {
    const rest = listLeftOver(scan, await run(pose, { ...last, iterations: 0, count }));
    if (rest === undefined) return [];
    const found: IcpResult[] = [];
    for (const start of await featureCandidates(rest, tree, of.reference, pose, sizeMm)) {
      const close = await icp(rest.points, tree, start, { ...middle, count: 2 * rest.features, sizeMm });
      found.push(await run(close.pose, middle));
    }
    return found;
  };
  const search = async (starts: Matrix16[], from: number, to: number): Promise<Judged[]> => {
    const first: IcpResult[] = [];
    for (const [i, start] of starts.entries()) {
      progress(from + ((to - from) * 0.5 * i) / starts.length);
      first.push(await run(start, coarse));
    }
    const kept = best(first, coarse.keep, near, sizeMm);
    const second: IcpResult[] = [];
    for (const [i, { pose }] of kept.entries()) {
      progress(from + (to - from) * (0.5 + (0.5 * i) / kept.length));
      second.push(await run(pose, middle));
    }
    const featured = second[0] ? await byFeatures(second[0]) : [];
    return best([...second, ...featured], middle.keep, near, sizeMm);
  };
  const starts =
    guess === 'principalAxes' ? axisCandidates(of.scan, of.reference, false) : [checkedPose(guess.matrix)];
  const proper = await search(starts, 0, 0.3);
  const mirrored = await search(
    guess === 'principalAxes'
      ? axisCandidates(of.scan, of.reference, true)
      : mirroredPoses(starts[0], of.scan.center),
    0.3,
    0.6,
  );
  const all = [...proper, ...mirrored.slice(0, 1)];
  const refined: IcpResult[] = [];
  for (const [i, { pose }] of all.entries()) {
    progress(0.6 + (0.35 * i) / all.length);
    const close = await run(pose, fine);
    const result = await run(close.pose, { ...last, count });
    refined.push({ ...result, iterations: close.iterations + result.iterations });
  }
  // The same cutoff for all poses: that of the best one, but not so small after an exact fit that misfits no longer
  // count.
  const cutoff = Math.max(Math.min(...refined.map(({ cutoffMm }) => cutoffMm)), 10 * exactShare * sizeMm);
  const errors = refined.map(({ distancesMm }) => clampedSquares(distancesMm, cutoff));
  const farErrors = refined.map(({ distancesMm }) =>
    clampedSquares(distancesMm, Math.max(cutoff, featureReach * sizeMm)),
  );
  const isProper = (i: number) => findTurning(refined[i].pose) > 0;
  const numbers = refined.map((_, i) => i);
  const rival = numbers.filter((i) => !isProper(i)).sort((a, b) => mean(errors[a]) - mean(errors[b]))[0];
  const [winner, ...others] = numbers
    .filter(isProper)
    .sort((a, b) => mean(farErrors[a]) - mean(farErrors[b]));
  if (winner === undefined) throw new Error('no pose was tried');
  const result = refined[winner];
  const { scale } = await icp(scan, tree, result.pose, { ...fine, sizeMm, scale: true });
  progress(1);
  const { rmsMm, inlierShare } = computeFit(result);
  const minMm2 = (exactShare * sizeMm) ** 2;
  // When a part is its own mirror image, both fit within the accuracy of a scan, and one of them fits better by chance.
  const isOtherHand = (mirror: number) =>
    isSecondLarger(errors[mirror], errors[winner], 0.2, minMm2) &&
    isSecondLarger(farErrors[mirror], farErrors[winner], 0, (sameShare * sizeMm) ** 2);
  if (rival !== undefined && isOtherHand(rival)) {
    throw new KernelError(
      'NOT_ALIGNED',
      'The scan fits the reference better when it is mirrored: the part is the opposite-hand version, or the scan was imported mirrored.',
    );
  }
  if (Math.abs(scale - 1) > scaleTolerance) {
    throw new KernelError(
      'NOT_ALIGNED',
      `The scan would have to be ${scale.toPrecision(4)} times as large to fit the reference: check the voxel size and ` +
        `the reference's unit.`,
    );
  }
  const reachMm = Math.max(result.cutoffMm, minReach * sizeMm);
  const onReference = result.distancesMm.filter((distance) => distance <= reachMm).length / count;
  if (rmsMm > residualTolerance * sizeMm || onReference < minInliers) {
    throw new KernelError(
      'NOT_ALIGNED',
      `No pose fits the scan to the reference: at best, ${Math.round(100 * onReference)} % of its surface is within ` +
        `${reachMm.toPrecision(3)} mm. Choose another reference, or give a matrix as the first guess.`,
    );
  }
  const isOther = (i: number) => !near({ ...refined[i], score: 0 }, { ...result, score: 0 });
  const most = nearlyAsGood * mean(farErrors[winner]) + (roughShare * sizeMm) ** 2;
  const alternatives = others.filter((i) => isOther(i) && mean(farErrors[i]) <= most);
  const noiseMm2 = Math.max(minMm2, 0.05 * mean(errors[winner]));
  const ambiguous = alternatives.some((i) => !isSecondLarger(farErrors[winner], farErrors[i], 0, noiseMm2));
  return {
    matrix: result.pose,
    rmsMm,
    inlierShare,
    iterations: result.iterations,
    ambiguous,
    alternatives: alternatives.map((i) => ({ matrix: refined[i].pose, ...computeFit(refined[i]) })),
    scale,
  };
}

/** Median distance from the centre, robust against stray points. */
function findRadius(points: Float64Array): number {
  const count = points.length / 3;
  const center = [0, 1, 2].map((k) =>
    computeMedian(Float64Array.from({ length: count }, (_, i) => points[3 * i + k])),
  );
  return computeMedian(
    Float64Array.from({ length: count }, (_, i) =>
      Math.hypot(points[3 * i] - center[0], points[3 * i + 1] - center[1], points[3 * i + 2] - center[2]),
    ),
  );
}

const mean = (values: Float64Array) => values.reduce((a, b) => a + b, 0) / values.length;

/** The best poses that differ from one another, best first. */
function best(
  results: IcpResult[],
  keep: number,
  near: (a: Judged, b: Judged) => boolean,
  sizeMm: number,
): Judged[] {
  const cutoff = Math.min(...results.map(({ cutoffMm }) => cutoffMm));
  // Larger than the final cutoff: far from the solution, a wider range is more informative.
  const reach = Math.max(2 * cutoff, featureReach * sizeMm);
  const judged = results
    .map((result) => ({ ...result, score: mean(clampedSquares(result.distancesMm, reach)) }))
    .sort((a, b) => a.score - b.score);
  const most = nearlyAsGood * judged[0].score + (roughShare * sizeMm) ** 2;
  const kept: Judged[] = [];
  for (const result of judged) {
    if (kept.length === keep || result.score > most) break;
    if (!kept.some((other) => near(other, result))) kept.push(result);
  }
  return kept;
}

function clampedSquares(distancesMm: Float64Array, cutoffMm: number): Float64Array {
  return distancesMm.map((distance) => Math.min(distance, cutoffMm) ** 2);
}

/**
 * Whether the second's squared errors are significantly larger than the first's, by more than a share of them and more
 * than `minMm2`.
 */
function isSecondLarger(first: Float64Array, second: Float64Array, share: number, minMm2: number): boolean {
  const difference = second.map((value, i) => value - first[i]);
  const middle = mean(difference);
  const variance = mean(difference.map((value) => (value - middle) ** 2));
  const error = Math.sqrt(variance / difference.length);
  return middle > certainty * error && middle > Math.max(share * mean(second), minMm2);
}

function computeFit({ distancesMm, cutoffMm }: IcpResult): { rmsMm: number; inlierShare: number } {
  let inliers = 0;
  let squares = 0;
  for (const distance of distancesMm) {
    if (!(distance <= cutoffMm) || distance === Number.POSITIVE_INFINITY) continue;
    inliers++;
    squares += distance * distance;
  }
  return { rmsMm: Math.sqrt(squares / Math.max(1, inliers)), inlierShare: inliers / distancesMm.length };
}

/**
 * Returns the matrix when it is a rotation and a translation.
 * @throws KernelError BAD_INPUT for any other
 */
export function checkedPose(matrix: readonly number[]): Matrix16 {
  const columns = [0, 1, 2].map((c) => [matrix[c], matrix[4 + c], matrix[8 + c]]);
  const isTurn = columns.every((a, i) =>
    columns.every((b, j) => Math.abs(dot(a, b) - (i === j ? 1 : 0)) < 1e-3),
  );
  const last = matrix.slice(12).every((value, i) => value === (i === 3 ? 1 : 0));
  if (matrix.length === 16 && isTurn && last && findTurning(matrix) > 0) return [...matrix];
  throw new KernelError(
    'BAD_INPUT',
    'The matrix is not a rigid transformation: its upper left 3 × 3 must be orthonormal with determinant 1, its last row 0 0 0 1.',
  );
}

/** The pose preceded by a reflection through the centre of the scan, along each axis. */
function mirroredPoses(pose: Matrix16, center: Vector3): Matrix16[] {
  return [0, 1, 2].map((axis) =>
    pose.map((value, i) => {
      if (i >= 12) return value;
      const row = i - (i % 4);
      if (i % 4 === axis) return -value;
      return i % 4 === 3 ? value + 2 * pose[row + axis] * center[axis] : value;
    }),
  );
}
