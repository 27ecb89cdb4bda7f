/**
 * Computes the levels of air and material in each brick from sums over bricks: means and linear fits within windows
 * around it.
 */

import type { Arena } from '../arena.ts';
import type { Vector3 } from '../grid/volume.ts';
import { inPieces } from '../pool.ts';
import { computeMedian } from '../select-nth.ts';
import { defineTask, kernelTasks, type OnArena } from '../task.ts';
import { brickBlocks, moments } from './bricks.ts';

interface BrickFields extends OnArena {
  bricks: Vector3;
  /** in blocks */
  cells: Vector3;
  /** addresses; f64: output of sumEdges and sumDeepPlaces */
  edges: number;
  sums: number;
  /** f64: those sums over each window */
  windows: readonly number[];
  /**
   * f32 per brick: air, then contrast, then 1 where the material's level is from nearby and 0 where it is extrapolated
   */
  levels: number;
}

/** Type of fit: means, linear, or linear on the residuals of the previous fits. */
export type FitTurn = 'mean' | 'line' | 'rest';

/**
 * Standard deviations of the Gaussian windows, in bricks; the second is used where the first contains too few blocks.
 */
const windowBricks = [1.25, 2.5] as const;
/** Largest number of values for a median. */
const maxSorted = 4096;
/** Bricks per task. */
const bricksAtOnce = 4096;
/** Smallest number of blocks in a window. */
const minBlocks = 45;
/** Ridge of the linear fit: ratio of the variance of positions to that of the window at which a slope is halved. */
const ridge = 0.02;
/** Smallest contrast, as a share of the median. */
const minContrast = 0.15;
/**
 * Smallest number of bricks for the plane of air, and the number of standard deviations beyond which a brick is
 * ignored.
 */
const [minAir, trimmedBeyond] = [8, 3];

/** The sums over each window, from those of the bricks. */
export async function blurWindows(
  { bricks, sums, windows }: Omit<BrickFields, 'memory'>,
  arena: Arena,
): Promise<void> {
  const mark = arena.mark();
  const count = bricks[0] * bricks[1] * bricks[2];
  const each = 2 * moments;
  const between = arena.allocate(8 * each * count, 'The local levels');
  const strides = [1, bricks[0], bricks[0] * bricks[1]];
  for (const [w, sd] of windowBricks.entries()) {
    // Additional blur on top of the previous window's.
    const half = makeGauss(w === 0 ? sd : Math.sqrt(sd ** 2 - windowBricks[w - 1] ** 2), bricks);
    const weights = arena.allocate(8 * half.length, 'The local levels');
    arena.doubles(weights, half.length).set(half);
    let from = w === 0 ? sums : windows[w - 1];
    for (const axis of [0, 1, 2]) {
      const to = axis === 1 ? between : windows[w];
      const input = { from, to, each, length: bricks[axis], stride: strides[axis], weights };
      await inPieces(arena, { from: 0, to: count, size: bricksAtOnce }, (first, last) =>
        arena.run(kernelTasks.blurBricks, { ...input, radius: half.length - 1, first, last }),
      );
      from = to;
    }
  }
  arena.release(mark);
}

/** Level at each brick from the nearest edges: the grey value midway between their sides. */
export const levelsOfEdges = defineTask(
  import.meta.url,
  'levelsOfEdges',
  (_, input: BrickFields & { above: number; below: number }): void => {
    const { memory, bricks } = input;
    const count = bricks[0] * bricks[1] * bricks[2];
    const edges = new Float64Array(memory.buffer, input.edges, 2 * count);
    const above = new Float32Array(memory.buffer, input.above, count);
    let weights: Float64Array = Float64Array.from({ length: count }, (_, i) => edges[2 * i]);
    let greys: Float64Array = Float64Array.from({ length: count }, (_, i) => edges[2 * i + 1]);
    const missing = new Uint8Array(count).fill(1);
    const lightest = 1e-6 * weights.reduce((most, weight) => Math.max(most, weight), 0);
    const [least] = windowBricks;
    for (let sd: number = least; missing.includes(1); sd *= 2) {
      const more = sd === least ? sd : sd * Math.sqrt(0.75);
      weights = blurred(weights, bricks, more);
      greys = blurred(greys, bricks, more);
      for (let i = 0; i < count; i++) {
        if (missing[i] === 0 || !(weights[i] > lightest)) continue;
        above[i] = greys[i] / weights[i];
        missing[i] = 0;
      }
    }
    new Float32Array(memory.buffer, input.below, count).set(above);
    // Placeholder for air and material until they are fitted.
    new Float32Array(memory.buffer, input.levels, count).set(above);
  },
);

/**
 * Air: a plane through all of it, plus local residuals. Material: a linear fit within the window; where there is none
 * nearby, the contrast of other places.
 * @returns whether there are both
 */
export const fitBricks = defineTask(
  import.meta.url,
  'fitBricks',
  (_, input: BrickFields & { turn: FitTurn }): boolean => {
    const { memory, bricks, cells } = input;
    const count = bricks[0] * bricks[1] * bricks[2];
    const sums = new Float64Array(memory.buffer, input.sums, 2 * moments * count);
    const levels = new Float32Array(memory.buffer, input.levels, 3 * count);
    const [air, contrast, near] = [0, 1, 2].map((k) => levels.subarray(k * count, (k + 1) * count));
    const middle = listMiddles(bricks, cells);
    const plane = airPlane(sums, middle);
    if (!plane) return false;
    const planeAt = (i: number) =>
      plane[0] + plane[1] * middle[0][i] + plane[2] * middle[1][i] + plane[3] * middle[2][i];
    const isFirst = input.turn !== 'rest';
    const known = Float64Array.from(air, (grey) => (isFirst ? 0 : grey));
    const material = Float64Array.from(air, (grey, i) => (isFirst ? 0 : grey + contrast[i]));
    for (let i = 0; i < count; i++) air[i] = planeAt(i);
    const isLine = input.turn !== 'mean';
    const found = { air: new Uint8Array(count), material: new Uint8Array(count) };
    for (const [w, sd] of windowBricks.entries()) {
      const windows = new Float64Array(memory.buffer, input.windows[w], 2 * moments * count);
      const window = (sd * brickBlocks) ** 2;
      for (let i = 0; i < count; i++) {
        if (found.air[i] === 0 && windows[2 * moments * i] >= minBlocks) {
          air[i] = known[i] + levelAt(windows, 0, i, middle, window, isLine);
          found.air[i] = 1;
        }
        if (found.material[i] === 0 && windows[2 * moments * i + moments] >= minBlocks) {
          material[i] += levelAt(windows, moments, i, middle, window, isLine);
          found.material[i] = 1;
        }
      }
    }
    // The contrast of nearby places, as means over wider and wider windows.
    let weights: Float64Array = new Float64Array(count);
    let heights: Float64Array = new Float64Array(count);
    const all: number[] = [];
    for (let i = 0; i < count; i++) {
      if (found.material[i] === 0 || !(material[i] > air[i])) continue;
      all.push(material[i] - air[i]);
      weights[i] = sums[2 * moments * i + moments];
      heights[i] = weights[i] * (material[i] - air[i]);
    }
    if (all.length === 0) return false;
    const least = minContrast * estimateMedian(all);
    const fewest = 1e-9;
    const missing = found.material.map((isFound) => 1 - isFound);
    const [, widest] = windowBricks;
    for (let sd: number = widest; missing.includes(1); sd *= 2) {
      const more = sd === widest ? sd : sd * Math.sqrt(0.75);
      weights = blurred(weights, bricks, more);
      heights = blurred(heights, bricks, more);
      for (let i = 0; i < count; i++) {
        if (missing[i] === 0 || !(weights[i] > fewest)) continue;
        material[i] = air[i] + heights[i] / weights[i];
        missing[i] = 0;
      }
    }
    for (let i = 0; i < count; i++) {
      contrast[i] = Math.max(least, material[i] - air[i]);
      near[i] = found.material[i];
    }
    return true;
  },
);

/** The centre of each brick, in blocks from the centre of the volume, along each axis. */
function listMiddles(bricks: Vector3, cells: Vector3): Float64Array[] {
  const count = bricks[0] * bricks[1] * bricks[2];
  const steps = [1, bricks[0], bricks[0] * bricks[1]];
  return [0, 1, 2].map((k) =>
    Float64Array.from({ length: count }, (_, i) => {
      const place = Math.floor(i / steps[k]) % bricks[k];
      return (place + 0.5) * brickBlocks - 0.5 - (cells[k] - 1) / 2;
    }),
  );
}

/** Level at the centre of a brick, from the places of one phase within its window. */
function levelAt(
  windows: Float64Array,
  first: number,
  i: number,
  middle: readonly Float64Array[],
  window: number,
  isLine: boolean,
): number {
  const o = 2 * moments * i + first;
  const n = windows[o];
  const mean = windows[o + 10] / n;
  if (!isLine) return mean;
  const [x, y, z] = [windows[o + 1] / n, windows[o + 2] / n, windows[o + 3] / n];
  const more = ridge * window;
  const slope = solved(
    [
      windows[o + 4] / n - x * x + more,
      windows[o + 7] / n - x * y,
      windows[o + 8] / n - x * z,
      windows[o + 5] / n - y * y + more,
      windows[o + 9] / n - y * z,
      windows[o + 6] / n - z * z + more,
    ],
    [windows[o + 11] / n - mean * x, windows[o + 12] / n - mean * y, windows[o + 13] / n - mean * z],
  );
  return mean + slope[0] * (middle[0][i] - x) + slope[1] * (middle[1][i] - y) + slope[2] * (middle[2][i] - z);
}

/** Solves a symmetric 3 × 3 system, given its upper half row by row. */
function solved([xx, xy, xz, yy, yz, zz]: readonly number[], [a, b, c]: readonly number[]): number[] {
  const p = yy * zz - yz * yz;
  const q = xz * yz - xy * zz;
  const r = xy * yz - xz * yy;
  const det = xx * p + xy * q + xz * r;
  if (!(Math.abs(det) > 0)) return [0, 0, 0];
  return [
    (a * p + b * q + c * r) / det,
    (a * q + b * (xx * zz - xz * xz) + c * (xy * xz - xx * yz)) / det,
    (a * r + b * (xy * xz - xx * yz) + c * (xx * yy - xy * xy)) / det,
  ];
}

/**
 * Value at the centre of the volume and slopes per block, through the means of the bricks' air; null when there is no
 * air.
 */
function airPlane(sums: Float64Array, middle: readonly Float64Array[]): number[] | null {
  const bricks: number[] = [];
  const blocksIn = (i: number) => sums[2 * moments * i];
  for (let i = 0; i < middle[0].length; i++) if (blocksIn(i) > 0) bricks.push(i);
  if (bricks.length === 0) return null;
  const computeMean = (i: number) => sums[2 * moments * i + 14] / blocksIn(i);
  let plane = [estimateMedian(bricks.map(computeMean)), 0, 0, 0];
  if (bricks.length < minAir) return plane;
  const some = bricks.filter((_, k) => k % Math.ceil(bricks.length / maxSorted) === 0);
  const residual = (i: number) =>
    computeMean(i) - plane[0] - plane[1] * middle[0][i] - plane[2] * middle[1][i] - plane[3] * middle[2][i];
  let kept = bricks;
  for (let pass = 0; pass < 4; pass++) {
    plane = planeThrough(kept, sums, middle);
    const deviation = 1.4826 * estimateMedian(some.map((i) => Math.abs(residual(i))));
    kept = bricks.filter((i) => Math.abs(residual(i)) <= trimmedBeyond * deviation);
    if (kept.length < minAir) break;
  }
  return plane;
}

function planeThrough(
  kept: readonly number[],
  sums: Float64Array,
  middle: readonly Float64Array[],
): number[] {
  let n = 0;
  const sum = new Float64Array(14);
  for (const i of kept) {
    const weight = sums[2 * moments * i];
    const g = sums[2 * moments * i + 14];
    const [x, y, z] = [middle[0][i], middle[1][i], middle[2][i]];
    n += weight;
    const terms = [x, y, z, x * x, y * y, z * z, x * y, x * z, y * z];
    for (let k = 0; k < 9; k++) sum[k] += weight * terms[k];
    sum[9] += g;
    for (let k = 0; k < 3; k++) sum[10 + k] += g * terms[k];
  }
  const m = [sum[0] / n, sum[1] / n, sum[2] / n];
  const mean = sum[9] / n;
  // Suppresses slopes when the places lie too close together to determine them.
  const more = (brickBlocks / 2) ** 2;
  const slope = solved(
    [
      sum[3] / n - m[0] ** 2 + more,
      sum[6] / n - m[0] * m[1],
      sum[7] / n - m[0] * m[2],
      sum[4] / n - m[1] ** 2 + more,
      sum[8] / n - m[1] * m[2],
      sum[5] / n - m[2] ** 2 + more,
    ],
    [0, 1, 2].map((k) => sum[10 + k] / n - mean * m[k]),
  );
  return [mean - slope.reduce((all, each, k) => all + each * m[k], 0), ...slope];
}

/** Median; of many values, that of an evenly picked subset. */
function estimateMedian(values: readonly number[]): number {
  const step = Math.ceil(values.length / maxSorted);
  return computeMedian(values.filter((_, i) => i % step === 0));
}

/** Half of a Gaussian window of height 1, from its centre on. */
function makeGauss(sd: number, size: Vector3): Float64Array {
  const radius = Math.min(Math.ceil(3 * sd), Math.max(...size));
  return Float64Array.from({ length: radius + 1 }, (_, k) => Math.exp(-0.5 * (k / sd) ** 2));
}

/** Blurs along each axis in turn; values beyond the border count as 0. */
function blurred(values: Float64Array, size: Vector3, sd: number): Float64Array {
  const weights = makeGauss(sd, size);
  const radius = weights.length - 1;
  let from = values;
  const steps = [1, size[0], size[0] * size[1]];
  for (let axis = 0; axis < 3; axis++) {
    const [length, step] = [size[axis], steps[axis]];
    const to = new Float64Array(values.length);
    for (let i = 0; i < from.length; i++) {
      const place = Math.floor(i / step) % length;
      const last = Math.min(radius, length - 1 - place);
      let sum = 0;
      for (let k = -Math.min(radius, place); k <= last; k++) sum += weights[Math.abs(k)] * from[i + k * step];
      to[i] = sum;
    }
    from = to;
  }
  return from;
}
