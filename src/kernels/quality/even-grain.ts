/** Grain of the noise alone, without the differences between neighbouring places from rings, streaks and shading. */
import { type BlockGrid, blockCells } from './block-grid.ts';
import { type BlockLevels, median } from './block-levels.ts';

/** Largest number of blocks sampled, and smallest number of triples along one axis. */
const maxBlocks = 20_000;
const minRows = 100;
/**
 * Median absolute value of a standard normal variable, and the standard deviation of a value minus the mean of two
 * others.
 */
const [medianOfNormal, ofThree] = [0.6745, Math.sqrt(1.5)];

/**
 * Standard deviation of block means relative to white noise, between neighbours along the axis where it is smallest:
 * rings and streaks extend along an axis, noise is the same along all. Measured in air when it has noise and enough
 * uniform blocks, because a material may have a texture. 1: white.
 * @returns null when too few blocks of both are uniform
 */
export function findEvenGrain({ means, deviations, size }: BlockGrid, { even }: BlockLevels): number | null {
  const strides = [1, size[0], size[0] * size[1]];
  const step = Math.max(1, Math.ceil(even.length / maxBlocks));
  for (const kind of [1, 2]) {
    const own: number[] = [];
    const between: number[][] = [[], [], []];
    for (let at = 0; at < even.length; at += step) {
      if (even[at] !== kind) continue;
      own.push(deviations[at]);
      for (const [axis, stride] of strides.entries()) {
        const place = Math.floor(at / stride) % size[axis];
        const isWithin = place > 0 && place + 1 < size[axis];
        if (!isWithin || even[at - stride] !== kind || even[at + stride] !== kind) continue;
        between[axis].push(Math.abs(means[at] - (means[at - stride] + means[at + stride]) / 2));
      }
    }
    const noise = median(own);
    const spreads = between.filter(({ length }) => length >= minRows).map(median);
    if (!(noise > 0) || spreads.length === 0) continue;
    const spread = Math.min(...spreads) / medianOfNormal / ofThree;
    return (spread * blockCells ** 1.5) / Math.hypot(noise, spread);
  }
  return null;
}
