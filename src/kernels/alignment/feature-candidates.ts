/**
 * Poses for nearly symmetric parts, such as a disc with one small hole or knob. Their principal axes do not determine
 * the rotation, and of points spread over the whole surface too few lie on the distinctive feature. The feature shows
 * once the part is roughly aligned: as the points that the rest of the surface leaves over. These points alone are
 * placed on the reference under all rotations around its nearly equal axes, in steps small enough for registration to
 * converge. (For a part that is nearly a ball the steps are too large to succeed every time.)
 */
import type { SurfaceTree } from '../spatial/surface-tree.ts';
import type { IcpResult } from './icp.ts';
import { type Matrix16, movedPoints, multiplyPoses } from './pose.ts';
import { evenTurns, isNearlyEqual, type PrincipalAxes, signTurns, turnsAround } from './principal-axes.ts';
import type { SurfacePoints } from './surface-points.ts';

/** Largest number of left-over points tested per rotation. */
const maxFeatures = 60;
/** Fewer points are not significant. */
const minFeatures = 8;
/** As a share of the part's radius: largest distance that counts. */
const reach = 0.1;
const turnsOfCircle = 360;
const turnsOfAll = 1500;
const keep = 4;

export interface LeftOver {
  /** the points that the pose leaves off the reference, followed by as many of the others */
  points: SurfacePoints;
  /** how many of them are left over */
  features: number;
}

/** Points of the scan that a pose leaves over; undefined when there are too few. */
export function listLeftOver(
  scan: SurfacePoints,
  { distancesMm, cutoffMm }: IcpResult,
): LeftOver | undefined {
  const isOff = (i: number) => !(distancesMm[i] <= 2 * cutoffMm);
  const order: number[] = [];
  for (let i = 0; i < distancesMm.length && order.length < maxFeatures; i++) if (isOff(i)) order.push(i);
  const features = order.length;
  if (features < minFeatures) return undefined;
  for (let i = 0; i < distancesMm.length && order.length < 2 * features; i++) if (!isOff(i)) order.push(i);
  const pick = (values: Float64Array) =>
    Float64Array.from({ length: 3 * order.length }, (_, i) => values[3 * order[Math.floor(i / 3)] + (i % 3)]);
  return { points: { points: pick(scan.points), normals: pick(scan.normals) }, features };
}

/**
 * The rotations of a pose, around the reference's indistinguishable axes, that place most of the points on it.
 * @param rest in the scan's frame
 * @param pose current pose of the scan
 * @param sizeMm the part's radius
 */
export async function featureCandidates(
  rest: LeftOver,
  tree: SurfaceTree,
  reference: PrincipalAxes,
  pose: Matrix16,
  sizeMm: number,
): Promise<Matrix16[]> {
  const { axes, center, spreadMm } = reference;
  const equal = (a: number, b: number) => isNearlyEqual(spreadMm[a], spreadMm[b]);
  let turns = signTurns();
  if (equal(0, 1) && equal(1, 2)) turns = evenTurns(turnsOfAll);
  else if (equal(0, 1)) turns = turnsAround(2, turnsOfCircle);
  else if (equal(1, 2)) turns = turnsAround(0, turnsOfCircle);
  const [x, y, z] = center;
  const there = [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1];
  const fromAxes = [0, 1, 2].flatMap((k) => [axes[0][k], axes[1][k], axes[2][k], 0]).concat([0, 0, 0, 1]);
  const toAxes = [...axes[0], 0, ...axes[1], 0, ...axes[2], 0, 0, 0, 0, 1];
  const back = [1, 0, 0, -x, 0, 1, 0, -y, 0, 0, 1, -z, 0, 0, 0, 1];
  const inAxes = movedPoints(
    [toAxes, back, pose].reduce(multiplyPoses),
    rest.points.points.subarray(0, 3 * rest.features),
  );
  const toWorld = multiplyPoses(there, fromAxes);
  const limit = reach * sizeMm;
  const points = new Float64Array(turns.length * inAxes.length);
  turns.forEach((turn, i) => {
    points.set(movedPoints(multiplyPoses(toWorld, turn), inAxes), i * inAxes.length);
  });
  const { answers } = await tree.closest({ points });
  const errors = turns.map((_, turn) => {
    let sum = 0;
    const first = 8 * rest.features * turn;
    for (let at = first; at < first + 8 * rest.features; at += 8)
      sum += Math.min(answers[at + 6], limit) ** 2;
    return sum;
  });
  return errors
    .map((error, i) => ({ error, turn: turns[i] }))
    .sort((a, b) => a.error - b.error)
    .slice(0, keep)
    .map(({ turn }) => [toWorld, turn, toAxes, back, pose].reduce(multiplyPoses));
}
