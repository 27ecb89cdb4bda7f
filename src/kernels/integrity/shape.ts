/** Shape of defects from their runs and their outermost points. */
import type { Vector3 } from '../grid/volume.ts';
import { solveSymmetric } from '../linear/least-squares.ts';
import type { BitGrid, Components } from './bit-layout.ts';

export interface Ball {
  center: Vector3;
  radius: number;
}

/**
 * The smallest enclosing ball of a few points, exact up to rounding.
 * @see Welzl, Smallest enclosing disks (balls and ellipsoids), 1991, https://doi.org/10.1007/BFb0038202
 */
export function smallestBall(points: readonly Vector3[]): Ball {
  let best: Ball = { center: [0, 0, 0], radius: 0 };
  const within = (ball: Ball, point: Vector3) =>
    Math.hypot(point[0] - ball.center[0], point[1] - ball.center[1], point[2] - ball.center[2]) <=
    ball.radius * (1 + 1e-9) + 1e-12;
  const grow = (count: number, support: Vector3[]): Ball => {
    let ball = ballThrough(support);
    if (support.length === 4) return ball;
    for (let i = 0; i < count; i++) {
      if (!within(ball, points[i])) ball = grow(i, [...support, points[i]]);
    }
    return ball;
  };
  if (points.length > 0) best = grow(points.length, []);
  return best;
}

/** The smallest ball with all of up to four points on its surface. */
function ballThrough(points: readonly Vector3[]): Ball {
  if (points.length === 0) return { center: [0, 0, 0], radius: -1 };
  const [origin] = points;
  const sides = points.slice(1).map((p) => [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]]);
  // The centre is origin + Σ λ side with side·(centre − origin) = side² / 2: a system with one equation per side.
  const products = sides.map((a) => sides.map((b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]));
  const halves = products.map((row, i) => row[i] / 2);
  const shares = solveSymmetric(products, halves)?.[0];
  // A point that depends linearly on the others lies on their ball.
  if (!shares) return ballThrough(points.slice(0, -1));
  const center: Vector3 = [...origin];
  for (const [i, side] of sides.entries()) for (let k = 0; k < 3; k++) center[k] += shares[i] * side[k];
  return { center, radius: Math.hypot(...center.map((c, k) => c - origin[k])) };
}

/** The runs grouped by defect, in the arena; those of one defect are in the order of rows. */
export interface DefectRuns {
  /** u32 per defect and one more */
  starts: number;
  /** u32 per run: first cell, last cell << 16 */
  runs: number;
  /** u32 per run */
  rows: number;
  count: number;
  runCount: number;
}

export function gatherRuns(
  buffer: SharedArrayBuffer,
  input: { grid: BitGrid; components: Components; target: DefectRuns },
): void {
  const { grid, components, target } = input;
  const rowCount = grid.rows * grid.planes;
  const starts = new Uint32Array(buffer, components.starts, rowCount + 1);
  const runs = new Uint32Array(buffer, components.runs, components.runCount);
  const numbers = new Uint32Array(buffer, components.numbers, components.runCount);
  const first = new Uint32Array(buffer, target.starts, target.count + 1).fill(0);
  const sorted = new Uint32Array(buffer, target.runs, target.runCount);
  const rows = new Uint32Array(buffer, target.rows, target.runCount);
  for (let i = 0; i < numbers.length; i++) if (numbers[i] < target.count) first[numbers[i] + 1]++;
  for (let d = 0; d < target.count; d++) first[d + 1] += first[d];
  const next = first.slice(0, target.count);
  for (let row = 0; row < rowCount; row++) {
    for (let i = starts[row]; i < starts[row + 1]; i++) {
      if (numbers[i] >= target.count) continue;
      const at = next[numbers[i]]++;
      sorted[at] = runs[i];
      rows[at] = row;
    }
  }
}

/** Projected area in cells along x, y and z: three numbers per defect, for defects from … to−1. */
export function projectDefects(
  buffer: SharedArrayBuffer,
  input: { grid: BitGrid; runs: DefectRuns; from: number; to: number },
): Float64Array {
  const { grid, runs: list } = input;
  const starts = new Uint32Array(buffer, list.starts, list.count + 1);
  const runs = new Uint32Array(buffer, list.runs, list.runCount);
  const rows = new Uint32Array(buffer, list.rows, list.runCount);
  const result = new Float64Array((input.to - input.from) * 3);
  for (let d = input.from; d < input.to; d++) {
    let [x0, x1, y0, y1, z0, z1] = [Infinity, -1, Infinity, -1, Infinity, -1];
    for (let i = starts[d]; i < starts[d + 1]; i++) {
      const [y, z] = [rows[i] % grid.rows, Math.floor(rows[i] / grid.rows)];
      x0 = Math.min(x0, runs[i] & 0xffff);
      x1 = Math.max(x1, runs[i] >>> 16);
      y0 = Math.min(y0, y);
      y1 = Math.max(y1, y);
      z0 = Math.min(z0, z);
      z1 = Math.max(z1, z);
    }
    const [w, h, t] = [x1 - x0 + 1, y1 - y0 + 1, z1 - z0 + 1];
    const alongY = new Uint8Array(w * t);
    const alongZ = new Uint8Array(w * h);
    let alongX = 0;
    for (let i = starts[d]; i < starts[d + 1]; i++) {
      const [y, z] = [(rows[i] % grid.rows) - y0, Math.floor(rows[i] / grid.rows) - z0];
      if (i === starts[d] || rows[i] !== rows[i - 1]) alongX++;
      const [a, b] = [(runs[i] & 0xffff) - x0, (runs[i] >>> 16) - x0 + 1];
      alongY.fill(1, z * w + a, z * w + b);
      alongZ.fill(1, y * w + a, y * w + b);
    }
    const sum = (cells: Uint8Array) => cells.reduce((total, cell) => total + cell, 0);
    result.set([alongX, sum(alongY), sum(alongZ)], (d - input.from) * 3);
  }
  return result;
}
