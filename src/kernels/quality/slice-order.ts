/** Whether slices follow each other as those of one body do. */
import { median } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/** A step from slice to slice is an edge from this share of the contrast on, and from so many deviations of the noise. */
const [leastStep, stepDeviations] = [0.3, 6.4];
/** Columns and rows from one that is looked at to the next, and steps of one slab, at most, and of all, at least. */
const apart = 3;
const mostOfSlab = 4000;
const fewestSteps = 40;

/**
 * Adds how far each step that an edge makes from one slice to the next goes on before and after it, over its own height. Blur spreads an edge
 * over two slices and more, so it goes on; where slices are out of order, or moved against each other, it turns back. O(cells / 9).
 */
export function addSteps({ values, dimensions, planes, levels }: DetailSlab, found: number[]): void {
  const [nx, ny] = dimensions;
  const plane = nx * ny;
  const least = Math.max(leastStep * (levels.materials[0].grey - levels.air), stepDeviations * levels.noise);
  const last = found.length + mostOfSlab;
  for (let z = 2; z + 1 < planes && found.length < last; z++) {
    for (let y = 0; y < ny; y += apart) {
      for (let at = z * plane + y * nx; at < z * plane + (y + 1) * nx; at += apart) {
        const step = values[at] - values[at - plane];
        if (!(Math.abs(step) > least)) continue;
        const beside = values[at - plane] - values[at - 2 * plane] + values[at + plane] - values[at];
        found.push(beside / step);
      }
    }
  }
}

/** The median of all; null where there are too few. */
export const findSliceOrder = (steps: readonly number[]): number | null =>
  steps.length < fewestSteps ? null : median(steps);
