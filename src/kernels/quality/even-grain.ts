/** The grain of noise alone: without what rings, streaks and shading make neighbouring places differ by. */
import { type BlockGrid, blockCells } from './block-grid.ts';
import { type BlockLevels, median } from './block-levels.ts';

/** Blocks that are looked at, at most, and rows of three of one axis, at least. */
const mostBlocks = 20_000;
const fewestRows = 100;
/** Median of the amount of a normal value over its deviation, and the deviation of a value less the mean of two others. */
const [medianOfNormal, ofThree] = [0.6745, Math.sqrt(1.5)];

/**
 * How much more the means of blocks scatter than white noise would leave them, between neighbours along the axis where that is
 * least: rings and streaks go on along an axis, and noise is alike in all of them. In air, where it has noise and enough is even: a
 * material may have a texture. 1: white.
 * @returns null where too little of either is even
 */
export function findEvenGrain({ means, deviations, size }: BlockGrid, { even }: BlockLevels): number | null {
  const strides = [1, size[0], size[0] * size[1]];
  const step = Math.max(1, Math.ceil(even.length / mostBlocks));
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
    const spreads = between.filter(({ length }) => length >= fewestRows).map(median);
    if (!(noise > 0) || spreads.length === 0) continue;
    const spread = Math.min(...spreads) / medianOfNormal / ofThree;
    return (spread * blockCells ** 1.5) / Math.hypot(noise, spread);
  }
  return null;
}
