import type { Vector3 } from '../grid/volume.ts';
import { findEigen } from '../linear/eigen.ts';
import { type Matrix16, makePose, multiplyPoses } from './pose.ts';

export interface PrincipalAxes {
  center: Vector3;
  /** unit vectors, the largest spread first; right-handed */
  axes: [Vector3, Vector3, Vector3];
  /** standard deviation along each axis, in mm */
  spreadMm: Vector3;
}

/** Centroid of a point cloud, and the eigenvectors of its covariance. */
export function principalAxes(points: Float64Array): PrincipalAxes {
  const count = points.length / 3;
  const center: Vector3 = [0, 0, 0];
  for (let i = 0; i < points.length; i++) center[i % 3] += points[i] / count;
  const m = [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (let i = 0; i < points.length; i += 3) {
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++)
        m[r][c] += ((points[i + r] - center[r]) * (points[i + c] - center[c])) / count;
    }
  }
  const { values, vectors } = findEigen(m);
  const order = [0, 1, 2].sort((a, b) => values[b] - values[a]);
  const [first, second] = order.slice(0, 2).map((k) => vectors[k] as Vector3);
  const third: Vector3 = [
    first[1] * second[2] - first[2] * second[1],
    first[2] * second[0] - first[0] * second[2],
    first[0] * second[1] - first[1] * second[0],
  ];
  return {
    center,
    axes: [first, second, third],
    spreadMm: order.map((k) => Math.sqrt(Math.max(0, values[k]))) as Vector3,
  };
}

/** Axes whose spreads have a larger ratio than this cannot be distinguished reliably. */
const nearlyEqual = 0.85;
const turnsAroundAxis = 12;
const sphereTurns = 96;

/** Whether two spreads are too similar to be distinguished. */
export const isNearlyEqual = (larger: number, smaller: number): boolean => smaller > nearlyEqual * larger;

/** The four sign choices of three axes: identity, or a half turn around each. */
export const signTurns = (): Matrix16[] =>
  (
    [
      [0, 0, 0],
      [Math.PI, 0, 0],
      [0, Math.PI, 0],
      [0, 0, Math.PI],
    ] as Vector3[]
  ).map((turn) => makePose(turn, [0, 0, 0]));

/** `count` rotations around an axis, each also with a flip across it. */
export function turnsAround(axis: number, count: number): Matrix16[] {
  const flip = signTurns()[axis === 0 ? 2 : 1];
  return Array.from({ length: count }, (_, i) => {
    const turn: Vector3 = [0, 0, 0];
    turn[axis] = (2 * Math.PI * i) / count;
    const pose = makePose(turn, [0, 0, 0]);
    return [pose, multiplyPoses(pose, flip)];
  }).flat();
}

/**
 * Poses that align the axes of one cloud with those of the other: the four sign choices; when two spreads are nearly
 * equal, also rotations around the third axis, and when all three are, rotations spread evenly over all orientations.
 * @param mirrored with the first axis reversed: what a mirrored part would need
 */
export function axisCandidates(from: PrincipalAxes, to: PrincipalAxes, mirrored: boolean): Matrix16[] {
  const equal = (a: number, b: number) =>
    isNearlyEqual(Math.max(from.spreadMm[a], to.spreadMm[a]), Math.min(from.spreadMm[b], to.spreadMm[b]));
  const turns = signTurns();
  if (equal(0, 1) && equal(1, 2)) turns.push(...evenTurns(sphereTurns));
  else if (equal(0, 1)) turns.push(...turnsAround(2, turnsAroundAxis));
  else if (equal(1, 2)) turns.push(...turnsAround(0, turnsAroundAxis));
  const mirror = mirrored ? -1 : 1;
  const toAxes = [
    ...from.axes[0].map((v) => v * mirror),
    0,
    ...from.axes[1],
    0,
    ...from.axes[2],
    0,
    ...[0, 0, 0, 1],
  ];
  const { axes } = to;
  const fromAxes = [0, 1, 2].flatMap((k) => [axes[0][k], axes[1][k], axes[2][k], 0]).concat([0, 0, 0, 1]);
  const there = [1, 0, 0, to.center[0], 0, 1, 0, to.center[1], 0, 0, 1, to.center[2], 0, 0, 0, 1];
  const back = [1, 0, 0, -from.center[0], 0, 1, 0, -from.center[1], 0, 0, 1, -from.center[2], 0, 0, 0, 1];
  return turns.map((turn) =>
    [there, fromAxes, turn, toAxes, back].reduce((product, next) => multiplyPoses(product, next)),
  );
}

/**
 * Rotations spread evenly over all orientations: super-Fibonacci spirals (Alexa 2022,
 * doi:10.1109/CVPR52688.2022.00811).
 */
export function evenTurns(count: number): Matrix16[] {
  const psi = 1.533751168755204;
  return Array.from({ length: count }, (_, i) => {
    const s = i + 0.5;
    const [r, rest] = [Math.sqrt(s / count), Math.sqrt(1 - s / count)];
    const alpha = (2 * Math.PI * s) / Math.SQRT2;
    const beta = (2 * Math.PI * s) / psi;
    const q = [r * Math.sin(alpha), r * Math.cos(alpha), rest * Math.sin(beta), rest * Math.cos(beta)];
    const sine = Math.hypot(q[0], q[1], q[2]);
    const angle = 2 * Math.atan2(sine, q[3]);
    const scale = sine > 0 ? angle / sine : 0;
    return makePose([q[0] * scale, q[1] * scale, q[2] * scale], [0, 0, 0]);
  });
}
