/**
 * Trimmed point-to-plane registration (Chen & Medioni 1991, doi:10.1109/ROBOT.1991.132043; Low 2004, “Linear
 * least-squares optimization for point-to-plane ICP surface registration”, UNC TR04-004).
 */
import { solveSymmetric } from '../linear/least-squares.ts';
import { computeMedian } from '../select-nth.ts';
import type { SurfaceTree } from '../spatial/surface-tree.ts';
import { type Matrix16, makePose, movedPoints, multiplyPoses } from './pose.ts';
import type { SurfacePoints } from './surface-points.ts';

export interface IcpOptions {
  /** use only this many points from the start */
  count: number;
  /** at most */
  iterations: number;
  /** ends when a step is shorter than this share of the size */
  tolerance: number;
  /** length that converts residual angles to mm: about the part's radius */
  sizeMm: number;
  /** also scales the part around its centre */
  scale?: boolean;
}
export interface IcpResult {
  pose: Matrix16;
  /** scale factor of the points; 1 unless `scale` was requested */
  scale: number;
  iterations: number;
  /** distance of each point to the reference, in mm; Infinity where the surfaces face different ways; one per point */
  distancesMm: Float64Array;
  /** distances up to this many mm count as the same surface */
  cutoffMm: number;
}

/** Residuals up to this many robust standard deviations count. */
const cutoffDeviations = 3;
/** Best accuracy possible, as a share of the size: rounding of float32 coordinates. */
const floorShare = 1e-6;
/** Ratio of the standard deviation of a normal distribution to its median absolute deviation. */
const deviationOfMedian = 1.4826;

/** Moves the points in small steps onto the reference. A reflection in the initial pose is kept. */
export async function icp(
  points: SurfacePoints,
  reference: SurfaceTree,
  start: Matrix16,
  options: IcpOptions,
): Promise<IcpResult> {
  const { sizeMm } = options;
  const count = Math.min(options.count, points.points.length / 3);
  const unknowns = options.scale ? 7 : 6;
  const own = points.points.subarray(0, 3 * count);
  let slots: Int32Array | undefined;
  const distances = new Float64Array(count);
  const rows = new Float64Array(8 * count);
  const normal = new Float64Array(3);
  const moved = new Float64Array(3);
  let pose = start;
  let scale = 1;
  let cutoff = Number.POSITIVE_INFINITY;
  let iterations = 0;
  for (;;) {
    const center = findMiddle(points.points, count, pose);
    const places = movedPoints(pose, own);
    const found = await reference.closest({ points: places, slots });
    const { answers } = found;
    slots = found.slots;
    for (let i = 0; i < count; i++) {
      const px = places[3 * i];
      const py = places[3 * i + 1];
      const pz = places[3 * i + 2];
      const answer = 8 * i;
      const [x, y, z] = [answers[answer], answers[answer + 1], answers[answer + 2]];
      apply(pose, points.normals, i, 0, moved);
      normal[0] = answers[answer + 3];
      normal[1] = answers[answer + 4];
      normal[2] = answers[answer + 5];
      const facing = moved[0] * normal[0] + moved[1] * normal[1] + moved[2] * normal[2];
      const distance = answers[answer + 6];
      distances[i] = facing > 0 ? distance : Number.POSITIVE_INFINITY;
      if (answers[answer + 7] === 0 && distance > floorShare * sizeMm) {
        // Beyond an edge or a corner, the distance grows along the line from the closest point.
        normal[0] = (px - x) / distance;
        normal[1] = (py - y) / distance;
        normal[2] = (pz - z) / distance;
      }
      const ax = (px - center[0]) / sizeMm;
      const ay = (py - center[1]) / sizeMm;
      const az = (pz - center[2]) / sizeMm;
      const at = 8 * i;
      rows[at] = ay * normal[2] - az * normal[1];
      rows[at + 1] = az * normal[0] - ax * normal[2];
      rows[at + 2] = ax * normal[1] - ay * normal[0];
      rows[at + 3] = normal[0];
      rows[at + 4] = normal[1];
      rows[at + 5] = normal[2];
      rows[at + 6] = ax * normal[0] + ay * normal[1] + az * normal[2];
      rows[at + 7] = ((x - px) * normal[0] + (y - py) * normal[1] + (z - pz) * normal[2]) / sizeMm;
    }
    cutoff = findCutoff(distances, sizeMm);
    if (iterations >= options.iterations) break;
    const step = solve(rows, distances, cutoff, count, unknowns);
    iterations++;
    const [rx, ry, rz, tx, ty, tz] = step;
    const growth = options.scale ? 1 + Math.max(-0.2, Math.min(0.2, step[6])) : 1;
    scale *= growth;
    // Rotates and scales around the points' centre.
    const turn = makePose([rx, ry, rz], [0, 0, 0]);
    for (const row of [0, 4, 8]) {
      for (let k = 0; k < 3; k++) turn[row + k] *= growth;
      const k = row / 4;
      const shifted = turn[row] * center[0] + turn[row + 1] * center[1] + turn[row + 2] * center[2];
      turn[row + 3] = center[k] - shifted + [tx, ty, tz][k] * sizeMm;
    }
    pose = multiplyPoses(turn, pose);
    // The distances are computed once more before the loop ends.
    if (Math.hypot(...step) < options.tolerance) options = { ...options, iterations };
  }
  return { pose, scale, iterations, distancesMm: distances, cutoffMm: cutoff };
}

function apply(pose: Matrix16, from: Float64Array, i: number, w: number, to: Float64Array): void {
  const x = from[3 * i];
  const y = from[3 * i + 1];
  const z = from[3 * i + 2];
  to[0] = pose[0] * x + pose[1] * y + pose[2] * z + w * pose[3];
  to[1] = pose[4] * x + pose[5] * y + pose[6] * z + w * pose[7];
  to[2] = pose[8] * x + pose[9] * y + pose[10] * z + w * pose[11];
}

function findMiddle(points: Float64Array, count: number, pose: Matrix16): Float64Array {
  const sum = new Float64Array(3);
  for (let i = 0; i < 3 * count; i++) sum[i % 3] += points[i] / count;
  const middle = new Float64Array(3);
  apply(pose, sum, 0, 1, middle);
  return middle;
}

/** Three robust standard deviations of the distances. */
function findCutoff(distancesMm: Float64Array, sizeMm: number): number {
  const median = computeMedian(distancesMm);
  return Math.max(cutoffDeviations * deviationOfMedian * median, floorShare * sizeMm);
}

/** Least squares over the rows within the cutoff, slightly damped: undetermined parameters stay 0. */
function solve(
  rows: Float64Array,
  distances: Float64Array,
  cutoff: number,
  count: number,
  unknowns: number,
): number[] {
  const normal = Array.from({ length: unknowns }, () => new Array<number>(unknowns).fill(0));
  const right = new Array<number>(unknowns).fill(0);
  for (let i = 0; i < count; i++) {
    if (!(distances[i] <= cutoff) || distances[i] === Number.POSITIVE_INFINITY) continue;
    const at = 8 * i;
    for (let r = 0; r < unknowns; r++) {
      for (let c = 0; c <= r; c++) normal[r][c] += rows[at + r] * rows[at + c];
      right[r] += rows[at + r] * rows[at + 7];
    }
  }
  const trace = normal.reduce((sum, row, r) => sum + row[r], 0);
  for (let r = 0; r < unknowns; r++) normal[r][r] += 1e-7 * trace;
  return solveSymmetric(normal, right)?.[0] ?? new Array<number>(unknowns).fill(0);
}
