/** Air in gaps and pores so narrow that the surface shows less of it, or nothing. */
import { type BlockGrid, blockCells } from './block-grid.ts';
import type { BlockLevels } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/** Smallest deficit of a block that contains air: as a share of the contrast, and in standard errors of its mean. */
const [minLack, lackErrors] = [0.03, 3];
/**
 * Number of darkest cells of a block, and limits of their mean, as shares of the contrast: the lower one for a gap of
 * two cells at the usual blur, the upper one for a gap of a third of a cell, which a material's own texture can match.
 */
const [darkest, darkness, faintest] = [4, 0.2, 0.8];
/** Expected offset of the darkest cells' mean from noise, in standard deviations. */
const darkestDeviations = 1.9;
/** A block is full of material when its standard deviation, beyond noise, is below this share of the contrast. */
const fullWithin = 0.15;
/** Full blocks on both sides that differ by more consist of two materials. */
const alikeWithin = 0.12;

export interface GapBlock {
  at: number;
  /** grey value of the material around it */
  grey: number;
}

/** Blocks deep in the part that contain some air between two blocks full of material. O(blocks). */
export function findGapBlocks({ size, means, deviations }: BlockGrid, levels: BlockLevels): GapBlock[] {
  const { level, noise, air, materials } = levels;
  const contrast = materials[0].grey - air;
  const most = Math.hypot(noise, fullWithin * contrast);
  const [bx, by, bz] = size;
  const least = minLack * contrast + (lackErrors * noise) / blockCells ** 1.5;
  const isFull = (at: number) => means[at] > level && deviations[at] < most;
  const around = Array.from(
    { length: 27 },
    (_, n) => (n % 3) - 1 + ((Math.floor(n / 3) % 3) - 1) * bx + (Math.floor(n / 9) - 1) * bx * by,
  );
  // One of each pair of opposite directions.
  const ways = around.slice(0, 13);
  const found: GapBlock[] = [];
  for (let k = 1; k + 1 < bz; k++) {
    for (let j = 1; j + 1 < by; j++) {
      for (let i = 1; i + 1 < bx; i++) {
        const at = (k * by + j) * bx + i;
        // Next to an edge of the part, or a wider void, the deficit may come from there.
        if (!around.every((step) => means[at + step] > level)) continue;
        let [grey, apart] = [Number.NEGATIVE_INFINITY, 0];
        for (const step of ways) {
          const [one, other] = [means[at + step], means[at - step]];
          if (!(one + other > 2 * grey && isFull(at + step) && isFull(at - step))) continue;
          grey = (one + other) / 2;
          apart = Math.abs(one - other);
        }
        if (apart < alikeWithin * contrast && means[at] < grey - least) found.push({ at, grey });
      }
    }
  }
  return found;
}

/**
 * Volume of air in a block, in cells, from the sum of its grey values, for a gap below about two cells. Blur turns such
 * a gap into a grey groove whose width at the level is no longer its own, but whose sum is. 0 when it is wider, or so
 * faint that it may be a lighter material.
 * @returns NaN when the block is not in the slab
 */
export function measureGap(
  { values, dimensions: [nx, ny], first, planes, blocks, levels: { air, noise } }: DetailSlab,
  { at, grey }: GapBlock,
): number {
  const { size, stride } = blocks;
  const x = blocks.first[0] + (at % size[0]) * stride;
  const y = blocks.first[1] + (Math.floor(at / size[0]) % size[1]) * stride;
  const z = blocks.first[2] + Math.floor(at / (size[0] * size[1])) * stride - first;
  if (z < 0 || z + blockCells > planes) return Number.NaN;
  const shares = Float64Array.from({ length: blockCells ** 3 }, (_, n) => {
    const row = (z + Math.floor(n / blockCells ** 2)) * ny + y + (Math.floor(n / blockCells) % blockCells);
    return (values[row * nx + x + (n % blockCells)] - air) / (grey - air);
  }).sort();
  const computeMean = (cells: Float64Array) => cells.reduce((sum, share) => sum + share, 0) / cells.length;
  const dark = computeMean(shares.subarray(0, darkest)) + (darkestDeviations * noise) / (grey - air);
  return dark > darkness && dark < faintest ? (1 - computeMean(shares)) * shares.length : 0;
}
