/** Whether slices, and the rows and columns of each, follow each other as those of one body do. */
import { median } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/** A step from voxel to voxel is an edge from this share of the contrast on, and from so many deviations of the noise. */
const [leastStep, stepDeviations] = [0.3, 6.4];
/** From three voxels before a step to two behind it grey values rise by this share of that, or there is air on both sides. */
const leastRise = 0.5;
/** Rows from one that is looked at to the next, and steps of one slab, at most, and of all, at least. */
const apart = 3;
const mostOfSlab = 4000;
const fewestSteps = 40;

/**
 * Along an axis, how far edges go on beside the steps that they make, as shares of those; and the same of those with material on one
 * side and air on the other. A wall of a voxel turns back in whatever order, and has air on both.
 */
export interface EdgeSteps {
  all: number[];
  across: number[];
}
export const noSteps = (): EdgeSteps[] => [0, 1, 2].map(() => ({ all: [], across: [] }));

/**
 * Adds how far each step that an edge makes from one voxel to the next along an axis goes on before and after it, over its own height.
 * Blur spreads an edge over two voxels and more, so it goes on; where slices, rows or columns are out of order, or moved against each
 * other, it turns back. O(cells / 9) along each axis.
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
  const last = all.length + mostOfSlab;
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
        if (Math.abs(rise) > leastRise * least) across.push(beside / step);
      }
    }
  }
}

/** Medians: of the steps from material to air where these go on, else of all; null where there are too few. */
export function findOrder({ all, across }: EdgeSteps): number | null {
  if (all.length < fewestSteps) return null;
  const order = across.length < fewestSteps ? null : median(across);
  return order !== null && order > 0 ? order : median(all);
}
