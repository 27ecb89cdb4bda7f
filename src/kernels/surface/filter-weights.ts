/**
 * Right halves of symmetric filters along one axis: weights[0] is the centre, then outward; the full filter sums to 1.
 */
import type { GreyFilter } from './smoothing.ts';

/** A Gaussian this narrow falls between two cells: no filter. */
const minSigmaCells = 0.15;

/** A normalized Gaussian. */
export function gaussWeights(sigmaCells: number): number[] {
  const radius = sigmaCells > minSigmaCells ? Math.ceil(3 * sigmaCells) : 0;
  const weights = Array.from({ length: radius + 1 }, (_, k) =>
    k === 0 ? 1 : Math.exp((-0.5 * k * k) / sigmaCells ** 2),
  );
  const sum = weights.reduce((total, weight, k) => total + (k === 0 ? weight : 2 * weight), 0);
  return weights.map((weight) => weight / sum);
}

/** Below this sigma a parabola times a Gaussian is undersampled and imprints the grid on the surface. */
const minKeepingCells = 0.9;

/** Variance of averaging over a cell's length, in cells². */
const cellVariance = 1 / 12;

/**
 * A Gaussian times a parabola. Its second moment cancels the variance of a cell's own length instead of adding to it. A
 * plain Gaussian of sigma s moves a surface of mean curvature H by s² H: balls shrink, bores narrow, thin walls fade.
 * This filter does not move it in that order, and keeps walls twice its sigma thick.
 * @see https://doi.org/10.2307/3315450 (Wand, Schucany 1990: Gaussian-based kernels, here of order 4)
 */
export function curvatureKeepingWeights(sigmaCells: number): number[] {
  if (!(sigmaCells > minSigmaCells)) return [1];
  const radius = Math.ceil(3.5 * sigmaCells);
  const gauss = Array.from({ length: radius + 1 }, (_, k) => Math.exp((-0.5 * k * k) / sigmaCells ** 2));
  const moment = (power: number) =>
    gauss.reduce((sum, weight, k) => sum + (k === 0 ? (power === 0 ? 1 : 0) : 2 * weight * k ** power), 0);
  const [s0, s2, s4] = [moment(0), moment(2), moment(4)];
  const a = (s4 + cellVariance * s2) / (s0 * s4 - s2 ** 2);
  const b = (a * s0 - 1) / s2;
  return gauss.map((weight, k) => weight * (a - b * k * k));
}

/** The filter's weights along each axis of a grid. */
export const weightsAlong = (
  { kind, sigma, alike }: GreyFilter,
  voxelSizeMm: readonly number[],
): number[][] =>
  voxelSizeMm.map((edge) => {
    const cells = alike === 'cells' ? sigma : (sigma * Math.min(...voxelSizeMm)) / edge;
    return kind === 'curvatureKeeping' && sigma > 0
      ? curvatureKeepingWeights(Math.max(cells, minKeepingCells))
      : gaussWeights(cells);
  });
