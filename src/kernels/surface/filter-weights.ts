/** Right halves of symmetric filters along one axis: weights[0] in the middle, then outward; all of it adds up to 1. */
import type { GreyFilter } from './smoothing.ts';

/** Below this a Gauss function lies between two cells: no filter. */
const leastSigmaCells = 0.15;

/** A normalised Gauss function. */
export function gaussWeights(sigmaCells: number): number[] {
  const radius = sigmaCells > leastSigmaCells ? Math.ceil(3 * sigmaCells) : 0;
  const weights = Array.from({ length: radius + 1 }, (_, k) =>
    k === 0 ? 1 : Math.exp((-0.5 * k * k) / sigmaCells ** 2),
  );
  const sum = weights.reduce((total, weight, k) => total + (k === 0 ? weight : 2 * weight), 0);
  return weights.map((weight) => weight / sum);
}

/** Below this sigma a parabola times a Gauss function is hardly sampled, and leaves the grid's own pattern on a surface. */
const leastKeepingCells = 0.9;

/** Variance of a cell as a mean over its own length, in cells². */
const cellVariance = 1 / 12;

/**
 * A Gauss function times a parabola, so that the filter's second moment takes back what a cell's own length adds
 * instead of adding to it. A plain Gauss of sigma s moves the surface of a body of mean curvature H by s² H: balls
 * shrink, bores narrow, thin walls fade. This one moves it by nothing in that order, and keeps walls of twice its sigma.
 * @see https://doi.org/10.2307/3315450 (Wand, Schucany 1990: Gaussian-based kernels, here of order 4)
 */
export function curvatureKeepingWeights(sigmaCells: number): number[] {
  if (!(sigmaCells > leastSigmaCells)) return [1];
  const radius = Math.ceil(3.5 * sigmaCells);
  const gauss = Array.from({ length: radius + 1 }, (_, k) => Math.exp((-0.5 * k * k) / sigmaCells ** 2));
  const moment = (power: number) =>
    gauss.reduce((sum, weight, k) => sum + (k === 0 ? (power === 0 ? 1 : 0) : 2 * weight * k ** power), 0);
  const [s0, s2, s4] = [moment(0), moment(2), moment(4)];
  const a = (s4 + cellVariance * s2) / (s0 * s4 - s2 ** 2);
  const b = (a * s0 - 1) / s2;
  return gauss.map((weight, k) => weight * (a - b * k * k));
}

/** A filter along each axis of a grid. */
export const weightsAlong = (
  { kind, sigma, alike }: GreyFilter,
  voxelSizeMm: readonly number[],
): number[][] =>
  voxelSizeMm.map((edge) => {
    const cells = alike === 'cells' ? sigma : (sigma * Math.min(...voxelSizeMm)) / edge;
    return kind === 'curvatureKeeping' && sigma > 0
      ? curvatureKeepingWeights(Math.max(cells, leastKeepingCells))
      : gaussWeights(cells);
  });
