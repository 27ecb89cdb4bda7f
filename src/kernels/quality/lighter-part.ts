/** A part or a piece of a lighter material beside a denser one, too small for a peak among the blocks. */
import { type BlockGrid, blockCells } from './block-grid.ts';
import { type BlockLevels, median } from './block-levels.ts';

/**
 * Heights above air, as shares of the contrast of the lightest known material: lower ones are foam in which a part is
 * bedded, or haze.
 */
const [lowest, highest] = [0.2, 0.78];
/** From this height on it is the known material. */
const known = 0.95;
/** Largest difference from the median grey value, on either side, for blocks of one material. */
const within = 0.07;
/** Smallest number of blocks, also as a share of those that contain material. */
const [fewest, minShare] = [4, 0.01];
/**
 * Cupping, beam hardening and blur pass gradually from one grey value to another: then there are more blocks of other
 * values than this share.
 */
const maxOtherShare = 0.25;
/**
 * A block is flat when its standard deviation, beyond noise, is below this share of the contrast; noise must be below
 * the third.
 */
const [flatWithin, noiseDeviations, maxNoise] = [0.03, 1.2, 0.08];
/**
 * Largest number of blocks to the flat one behind an edge, and smallest share of these that contain air; resin in a
 * void has none.
 */
const [edgeBlocks, minOpen] = [3, 0.6];

/**
 * Finds uniform blocks between air and the known material; they belong to a lighter material when all have one grey
 * value and air lies beside them. O(blocks).
 * @returns the levels with that material as the lightest one
 */
export function withLighter(blocks: BlockGrid, levels: BlockLevels): BlockLevels {
  const { means, deviations, stride } = blocks;
  const { air, materials, noise } = levels;
  const contrast = materials[0].grey - air;
  if (stride !== blockCells || !(contrast > 0) || noise > maxNoise * contrast) return levels;
  const most = Math.hypot(noiseDeviations * noise, flatWithin * contrast);
  const isFlat = (at: number) => deviations[at] < most;
  const between: number[] = [];
  let full = 0;
  for (let at = 0; at < means.length; at++) {
    const height = (means[at] - air) / contrast;
    if (height > lowest) full++;
    if (height > lowest && height < known && isFlat(at)) between.push(at);
  }
  const lighter = between.filter((at) => means[at] < air + highest * contrast);
  if (lighter.length < fewest) return levels;
  const grey = median(lighter.map((at) => means[at]));
  const own = between.filter((at) => Math.abs(means[at] - grey) < within * contrast);
  const others = between.length - own.length;
  if (own.length < Math.max(fewest, minShare * full) || others > maxOtherShare * own.length) return levels;
  if (!isOpen(blocks, own, isFlat, air + (lowest / 2) * contrast)) return levels;
  const share = own.length / full;
  return {
    ...levels,
    materials: [{ grey, share }, ...materials.map((each) => ({ ...each, share: each.share * (1 - share) }))],
    level: (air + grey) / 2,
  };
}

/** Whether air lies behind the edges of these blocks, along the axes. */
function isOpen(
  { means, size: [bx, by, bz] }: BlockGrid,
  own: readonly number[],
  isFlat: (at: number) => boolean,
  airBelow: number,
): boolean {
  const ofOwn = new Set(own);
  let [open, all] = [0, 0];
  for (const at of own) {
    const place = [at % bx, Math.floor(at / bx) % by, Math.floor(at / (bx * by))];
    for (const [axis, [stride, length]] of [
      [1, bx],
      [bx, by],
      [bx * by, bz],
    ].entries()) {
      for (const way of [1, -1]) {
        for (let step = 1; step <= edgeBlocks; step++) {
          const [to, next] = [place[axis] + way * step, at + way * step * stride];
          if (to < 0 || to >= length || ofOwn.has(next)) break;
          if (!isFlat(next)) continue;
          all++;
          if (means[next] < airBelow) open++;
          break;
        }
      }
    }
  }
  return all > 0 && open > minOpen * all;
}
