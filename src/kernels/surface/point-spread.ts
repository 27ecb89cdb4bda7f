/**
 * How far a surface of known curvature comes out from where it is, by what the grey values were averaged over. The scan's
 * blur, the mean over each cell, the filter and the line between cells are one function of space, the point spread,
 * through which the body was seen. Beside a surface that bends away by ½ xᵀSx it moves the middle level inward by half of the
 * trace of S times the second moments of the part of the point spread that lies in the tangent plane. All of its parts are
 * products along the axes, so that the moments are integrals of products of Fourier transforms along a line
 * (the projection-slice theorem; Bracewell 1956, doi:10.1071/PH560198).
 */
import type { Vector3 } from '../grid/volume.ts';

/** Steps of the squares of a direction's parts, from 0 to 1, in the table. */
export const directionSteps = 16;
/** Numbers of a direction in the table: xx, yy, zz, xy, xz, yz, and two that are nothing. */
const stride = 8;
/** Frequencies that are added up, in 1 / the smallest edge of a voxel, and the step in which derivatives are taken. */
const [frequencyStep, frequencies, difference] = [0.05, 500, 1e-3];
/** A part of a direction is never quite nothing, as two of its parts are divided by. */
const leastSquare = 1e-4;

export interface PointSpread {
  voxelSizeMm: readonly number[];
  /** variance of the scan's own blur, mm² */
  blurVariance: number;
  /** right half of the filter along each axis; weights[0] in the middle */
  weights: readonly (readonly number[])[];
  /** vertices lie where straight lines between cells meet the level, and not cubics */
  byLines: boolean;
}

/**
 * Second moments of the point spread in the plane across each direction, mm², in rows of the square of the direction's x and
 * of its y, each in `directionSteps` steps. Mixed ones are divided by the direction's two parts, so that signs need not be told
 * apart. O(steps² · frequencies), some 50 ms.
 */
export function spreadTable(spread: PointSpread): Float32Array {
  const size = directionSteps + 1;
  const edge = Math.min(...spread.voxelSizeMm);
  const parts = Array.from({ length: size }, (_, i) => Math.sqrt(Math.max(i / directionSteps, leastSquare)));
  /** Of an axis, for each part of a direction: the transform and its derivatives, by frequency. */
  const along = [0, 1, 2].map((axis) =>
    [false, true].map((isLine) => parts.map((part) => transformsOf(spread, axis, isLine, part, edge))),
  );
  const table = new Float32Array(size * size * stride);
  for (let j = 0; j < size; j++) {
    for (let i = 0; i < size; i++) {
      const at = stride * (j * size + i);
      const k = directionSteps - i - j;
      if (k >= 0) {
        table.set(momentsOf(along, [i, j, k], parts, spread), at);
        continue;
      }
      // Beyond what a direction can be, for the interpolation's sake: straight on.
      for (let c = 0; c < stride; c++) {
        const back = (di: number, dj: number) => table[at + c - stride * (dj * size + di)];
        table[at + c] = back(1, 0) + back(0, 1) - back(1, 1);
      }
    }
  }
  return table;
}

type Transforms = { value: Float64Array; first: Float64Array; second: Float64Array };

function momentsOf(along: Transforms[][][], steps: Vector3, parts: number[], spread: PointSpread): number[] {
  const sums = new Array<number>(6).fill(0);
  // Lines between cells run along one axis: the surface is crossed by those of each as often as it faces it.
  const shares = steps.map((step, axis) => parts[step] / spread.voxelSizeMm[axis]);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const lines = spread.byLines ? [0, 1, 2] : [-1];
  for (const line of lines) {
    const each = steps.map((step, axis) => along[axis][axis === line ? 1 : 0][step]);
    const moments = sliceMoments(each);
    const share = spread.byLines ? shares[line] / total : 1;
    for (let c = 0; c < 6; c++) sums[c] += share * moments[c];
  }
  const [x, y, z] = steps.map((step) => parts[step]);
  return [sums[0], sums[1], sums[2], sums[3] / (x * y), sums[4] / (x * z), sums[5] / (y * z)];
}

/** xx, yy, zz, xy, xz, yz of the plane through the middle, over what lies in it. */
function sliceMoments([x, y, z]: Transforms[]): number[] {
  const sums = new Array<number>(6).fill(0);
  let whole = 0;
  for (let f = 0; f < frequencies; f++) {
    const weight = f === 0 ? 0.5 : 1;
    const [a, b, c] = [x.value[f], y.value[f], z.value[f]];
    whole += weight * a * b * c;
    sums[0] -= weight * x.second[f] * b * c;
    sums[1] -= weight * a * y.second[f] * c;
    sums[2] -= weight * a * b * z.second[f];
    sums[3] -= weight * x.first[f] * y.first[f] * c;
    sums[4] -= weight * x.first[f] * b * z.first[f];
    sums[5] -= weight * a * y.first[f] * z.first[f];
  }
  return sums.map((sum) => sum / whole);
}

function transformsOf(
  { voxelSizeMm, blurVariance, weights }: PointSpread,
  axis: number,
  isLine: boolean,
  part: number,
  edge: number,
): Transforms {
  const own = voxelSizeMm[axis];
  const transform = (w: number) => {
    let filter = weights[axis][0];
    for (let k = 1; k < weights[axis].length; k++) filter += 2 * weights[axis][k] * Math.cos(k * w * own);
    const cell = sinc((w * own) / 2);
    return Math.exp(-0.5 * blurVariance * w * w) * cell * filter * (isLine ? cell * cell : 1);
  };
  const [value, first, second] = [0, 1, 2].map(() => new Float64Array(frequencies));
  const h = difference / edge;
  for (let f = 0; f < frequencies; f++) {
    const w = (part * f * frequencyStep) / edge;
    const [before, here, after] = [transform(w - h), transform(w), transform(w + h)];
    value[f] = here;
    first[f] = (after - before) / (2 * h);
    second[f] = (after - 2 * here + before) / (h * h);
  }
  return { value, first, second };
}

const sinc = (x: number) => (Math.abs(x) < 1e-6 ? 1 : Math.sin(x) / x);
