/** Order of slices, and of the rows and columns within each: whether they follow one another as in a single body. */
import { median } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/**
 * A step between voxels is an edge from this share of the contrast on, and from this many standard deviations of the
 * noise.
 */
const [leastStep, stepDeviations] = [0.3, 6.4];
/**
 * Smallest rise from three voxels before a step to two behind it, as a share of the limit of a step; otherwise there is
 * air on both sides.
 */
const minRise = 0.5;
/** Distance between sampled rows; largest number of steps per slab; smallest total number of steps. */
const apart = 3;
const maxPerSlab = 4000;
const minSteps = 40;

/**
 * How far edges continue beside their steps, as shares of the steps, along an axis: of all edges, and of those with
 * material on one side and air on the other. A one-voxel wall turns back in any order, and has air on both sides.
 */
export interface EdgeSteps {
  all: number[];
  across: number[];
}
export const noSteps = (): EdgeSteps[] => [0, 1, 2].map(() => ({ all: [], across: [] }));

/**
 * Adds, for each edge step between voxels along an axis, how far the edge continues before and after it, relative to
 * the step. Blur spreads an edge over two or more voxels, so it continues; when slices, rows or columns are out of
 * order, or shifted against each other, it turns back. O(cells / 9) along each axis.
 */
export function addSteps(slab: DetailSlab, found: readonly EdgeSteps[]): void {
  for (const [axis, steps] of found.entries()) addAlong(slab, axis, steps);
}

function addAlong(
  { values, dimensions: [nx, ny], planes, levels }: DetailSlab,
  axis: number,
  { all, across }: EdgeSteps,
): void {
  const plane = nx * ny;
  const along = [1, nx, plane][axis];
  const least = Math.max(leastStep * (levels.materials[0].grey - levels.air), stepDeviations * levels.noise);
  const last = all.length + maxPerSlab;
  const start = [0, 1, 2].map((k) => (k === axis ? 3 : 0));
  const every = [0, 1, 2].map((k) => (k === axis ? 1 : apart));
  const end = [nx, ny, planes].map((cells, k) => (k === axis ? cells - 2 : cells));
  for (let z = start[2]; z < end[2] && all.length < last; z += every[2]) {
    for (let y = start[1]; y < end[1]; y += every[1]) {
      const row = z * plane + y * nx;
      for (let at = row + start[0]; at < row + end[0]; at += every[0]) {
        const step = values[at] - values[at - along];
        if (!(Math.abs(step) > least)) continue;
        const beside = values[at - along] - values[at - 2 * along] + values[at + along] - values[at];
        all.push(beside / step);
        const rise = values[at + 2 * along] - values[at - 3 * along];
        if (Math.abs(rise) > minRise * least) across.push(beside / step);
      }
    }
  }
}

/**
 * Median over the steps between material and air when these continue, otherwise over all; null when there are too few.
 */
export function findOrder({ all, across }: EdgeSteps): number | null {
  if (all.length < minSteps) return null;
  const order = across.length < minSteps ? null : median(across);
  return order !== null && order > 0 ? order : median(all);
}
