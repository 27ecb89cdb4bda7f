/**
 * Poses for parts that are nearly symmetric: a disc with one small hole or knob. There the principal
 * axes say nothing about the turn, and of points spread over the whole surface too few lie on what decides it. What
 * decides it shows once the part lies on its reference somehow: the points that the rest of the surface leaves over.
 * They alone are laid on the reference under every turn around its nearly equal axes, finely enough that a few steps
 * of registration do the rest. (Of a part that is nearly a ball the turns are too far apart to find it every time.)
 */
import type { SurfaceTree } from '../spatial/surface-tree.ts';
import type { IcpResult } from './icp.ts';
import { type Matrix16, movedPoints, multiplyPoses } from './pose.ts';
import { evenTurns, isNearlyEqual, type PrincipalAxes, signTurns, turnsAround } from './principal-axes.ts';
import type { SurfacePoints } from './surface-points.ts';

/** Points left over that are looked at under each turn. */
const mostFeatures = 60;
/** Fewer say nothing. */
const leastFeatures = 8;
/** Of the part's radius: a point this far off is as far off as any. */
const reach = 0.1;
const turnsOfCircle = 360;
const turnsOfAll = 1500;
const keep = 4;

export interface LeftOver {
  /** the points that the pose leaves off the reference, and as many of the others behind them */
  points: SurfacePoints;
  /** how many of them are left over */
  features: number;
}

/** What a pose leaves over of the scan; undefined when that is too little to say anything. */
export function leftOver(scan: SurfacePoints, { distancesMm, cutoffMm }: IcpResult): LeftOver | undefined {
  const isOff = (i: number) => !(distancesMm[i] <= 2 * cutoffMm);
  const order: number[] = [];
  for (let i = 0; i < distancesMm.length && order.length < mostFeatures; i++) if (isOff(i)) order.push(i);
  const features = order.length;
  if (features < leastFeatures) return undefined;
  for (let i = 0; i < distancesMm.length && order.length < 2 * features; i++) if (!isOff(i)) order.push(i);
  const pick = (values: Float64Array) =>
    Float64Array.from({ length: 3 * order.length }, (_, i) => values[3 * order[Math.floor(i / 3)] + (i % 3)]);
  return { points: { points: pick(scan.points), normals: pick(scan.normals) }, features };
}

/**
 * The turns of a pose, around the reference's axes that can't be told apart, that lay most of the points on it.
 * @param rest in the scan's frame
 * @param pose where the scan lies so far
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
