/**
 * Uncertainty of the best-fit pose, and its effect on each deviation, from the residuals of the fit: those of noise,
 * and those of form errors of the part, which pull the pose along. Residuals are correlated over whole faces, so each
 * face counts as one observation (Liang & Zeger 1986, doi:10.1093/biomet/73.1.13); the shape determines how well each
 * degree of freedom is constrained.
 */

import type { Vector3 } from '../grid/volume.ts';
import { findEigen } from '../linear/eigen.ts';
import { computeMedian } from '../select-nth.ts';

/** Places in the frame that the pose moves, with their measured deviations. */
export interface FittedPlaces {
  positions: Float32Array | Float64Array;
  /** out of the material, of any length */
  directions: Float32Array;
  /** NaN: not found */
  deviationMm: Float32Array;
  areaMm2: Float32Array;
}

/** Independent ways in which the pose may be off, each by this much (k = 1). */
export interface PoseModes {
  center: Vector3;
  /** translations in mm, and rotations times `sizeMm` */
  modes: number[][];
  sizeMm: number;
}

/** As in the fit: larger residuals, in robust standard deviations, are ignored. */
const cutoffDeviations = 3 * 1.4826;
/** A degree of freedom constrained this much less than the others is ignored: deviations hardly depend on it. */
const minConstraint = 1e-4;
const unknowns = 6;
/** Number of places sampled for residuals, evenly spread. */
const maxPlaces = 100_000;

/** O(places). */
export function findPoseModes({ positions, directions, deviationMm, areaMm2 }: FittedPlaces): PoseModes {
  const step = Math.max(1, Math.floor(areaMm2.length / maxPlaces));
  const looked: number[] = [];
  for (let v = 0; v < areaMm2.length; v += step)
    if (areaMm2[v] > 0 && !Number.isNaN(deviationMm[v])) looked.push(v);
  const center: Vector3 = [0, 0, 0];
  const area = looked.reduce((sum, v) => sum + areaMm2[v], 0);
  for (const v of looked) for (let k = 0; k < 3; k++) center[k] += (areaMm2[v] * positions[3 * v + k]) / area;
  const spread = looked.reduce((sum, v) => sum + areaMm2[v] * squaredDistance(positions, v, center), 0);
  const sizeMm = Math.sqrt(spread / area) || 1;
  const cutoff =
    cutoffDeviations * computeMedian(Float64Array.from(looked, (v) => Math.abs(deviationMm[v]))) ||
    Number.MIN_VALUE;
  const hold = makeSquare();
  const pulls = new Map<number, number[]>();
  const base: PoseModes = { center, sizeMm, modes: [] };
  for (const v of looked) {
    if (Math.abs(deviationMm[v]) > cutoff) continue;
    const row = makeRow(base, positions, directions, v);
    const face = findFace(positions, directions, v, center);
    const pull = pulls.get(face) ?? new Array<number>(unknowns).fill(0);
    pulls.set(face, pull);
    for (let a = 0; a < unknowns; a++) {
      pull[a] += areaMm2[v] * row[a] * deviationMm[v];
      for (let b = 0; b < unknowns; b++) hold[a][b] += areaMm2[v] * row[a] * row[b];
    }
  }
  const spreadOfPulls = makeSquare();
  // With few faces the pose follows them, so their residuals are smaller than their pull.
  const scale = pulls.size / Math.max(1, pulls.size - unknowns / 2);
  for (const pull of pulls.values())
    for (let a = 0; a < unknowns; a++)
      for (let b = 0; b < unknowns; b++) spreadOfPulls[a][b] += scale * pull[a] * pull[b];
  const inverse = invertHeld(hold);
  const covariance = multiply(multiply(inverse, spreadOfPulls), inverse);
  const { values, vectors } = findEigen(covariance);
  const most = Math.max(...values, 0);
  return {
    ...base,
    modes: values.flatMap((value, i) =>
      value > 1e-12 * most ? [vectors[i].map((each) => Math.sqrt(value) * each)] : [],
    ),
  };
}

/** Change of a place's deviation with each mode, in mm. */
export function shiftsAt(
  pose: PoseModes,
  positions: FittedPlaces['positions'],
  directions: Float32Array,
  v: number,
): number[] {
  const row = makeRow(pose, positions, directions, v);
  return pose.modes.map((mode) => mode.reduce((sum, each, a) => sum + each * row[a], 0));
}

/**
 * Derivatives of a place's deviation by the pose: its outward normal, and the rotation about the centre divided by the
 * size.
 */
function makeRow(
  { center, sizeMm }: PoseModes,
  positions: FittedPlaces['positions'],
  directions: Float32Array,
  v: number,
): number[] {
  const length =
    Math.hypot(directions[3 * v], directions[3 * v + 1], directions[3 * v + 2]) || Number.POSITIVE_INFINITY;
  const [nx, ny, nz] = [0, 1, 2].map((k) => directions[3 * v + k] / length);
  const [x, y, z] = [0, 1, 2].map((k) => (positions[3 * v + k] - center[k]) / sizeMm);
  return [nx, ny, nz, y * nz - z * ny, z * nx - x * nz, x * ny - y * nx];
}

/** Key of a place's face: the direction that it faces, and its octant of the part. */
function findFace(
  positions: FittedPlaces['positions'],
  directions: Float32Array,
  v: number,
  center: Vector3,
): number {
  let axis = 0;
  let octant = 0;
  for (let k = 0; k < 3; k++) {
    if (Math.abs(directions[3 * v + k]) > Math.abs(directions[3 * v + axis])) axis = k;
    if (positions[3 * v + k] > center[k]) octant += 1 << k;
  }
  return 16 * axis + (directions[3 * v + axis] > 0 ? 8 : 0) + octant;
}

const makeSquare = () => Array.from({ length: unknowns }, () => new Array<number>(unknowns).fill(0));

const multiply = (a: readonly number[][], b: readonly number[][]) =>
  a.map((row) => b.map((_, c) => row.reduce((sum, each, k) => sum + each * b[k][c], 0)));

function invertHeld(hold: readonly number[][]): number[][] {
  const { values, vectors } = findEigen(hold);
  const least = minConstraint * Math.max(...values);
  const inverse = makeSquare();
  for (const [i, value] of values.entries()) {
    if (!(value > least)) continue;
    for (let a = 0; a < unknowns; a++)
      for (let b = 0; b < unknowns; b++) inverse[a][b] += (vectors[i][a] * vectors[i][b]) / value;
  }
  return inverse;
}

function squaredDistance(positions: FittedPlaces['positions'], v: number, center: Vector3): number {
  return center.reduce((sum, c, k) => sum + (positions[3 * v + k] - c) ** 2, 0);
}
