/**
 * Rings around any axis along z, arcs and streaks: differences from the surroundings at the same place in many planes.
 */
import { type BlockGrid, blockCells } from './block-grid.ts';
import type { BlockLevels } from './block-levels.ts';
import { type DetailSlab, findEvenness, levelAround } from './detail.ts';

/** Distance to the cells that count as surroundings: more than the width of a ring. */
const away = 2;
/**
 * Smallest number of layers of blocks in each of two groups, and between them; the grain of noise does not extend
 * across that gap.
 */
const [minLayers, layersBetween] = [2, 1];
const minPlaces = 200;
/** Standard errors subtracted from the mean of the products. */
const errors = 4;
/**
 * Ratio of height to root mean square for rings with a Gaussian profile 0.8 cells wide, five in twenty-eight cells: for
 * single cells, and for means of blocks.
 */
const [heightOfCells, heightOfBlocks] = [3.6, 4.4];

/**
 * Products of the differences at one place in two groups of planes: noise cancels, whatever passes through both
 * remains.
 */
class StreakSums {
  private count = 0;
  private products = 0;
  private squares = 0;
  private readonly heightOverRms: number;

  constructor(heightOverRms: number) {
    this.heightOverRms = heightOverRms;
  }

  add(product: number): void {
    this.count++;
    this.products += product;
    this.squares += product * product;
  }

  /** as a share of the contrast; 0 when there are too few places */
  get height(): number {
    if (this.count < minPlaces) return 0;
    const mean = this.products / this.count;
    const error = Math.sqrt(Math.max(0, this.squares / this.count - mean * mean) / this.count);
    return this.heightOverRms * Math.sqrt(Math.max(0, mean - errors * error));
  }
}

/**
 * A block lies between edges when it, and all blocks up to two away, are within this share of the contrast from their
 * own level.
 */
const sameWithin = 0.3;
/** Classes of blocks: air, neither, the first material and so on. */
const [airSide, noSide] = [0, 1];
/** Layers between two compared blocks of a column. */
const apart = 2;

/**
 * Streaks in whole blocks: rings and streaks so strong, or so wide, that no uniform cells are left between them for
 * comparison.
 */
export function addBlockStreaks({ means, size }: BlockGrid, levels: BlockLevels, sums: StreakSums): void {
  const [bx, by, bz] = size;
  const contrast = levels.materials[0].grey - levels.air;
  const away = sameWithin * findEvenness(levels);
  const airTo = levels.air + sameWithin * contrast;
  const findSide = (value: number) =>
    value < airTo
      ? airSide
      : noSide + 1 + levels.materials.findIndex(({ grey }) => Math.abs(value - grey) < away);
  const sides = Uint8Array.from(means, findSide);
  /** difference from the four beside it in its layer; NaN next to an edge */
  const measureHeight = (at: number) => {
    for (let k = -1; k <= 1; k++)
      for (let j = -2; j <= 2; j++)
        for (let i = -2; i <= 2; i++)
          if (sides[at] === noSide || sides[at + (k * by + j) * bx + i] !== sides[at]) return Number.NaN;
    return (means[at] - (means[at - 1] + means[at + 1] + means[at - bx] + means[at + bx]) / 4) / contrast;
  };
  for (let k = 1; k + apart + 1 < bz; k++) {
    for (let j = 2; j + 2 < by; j++) {
      for (let i = 2; i + 2 < bx; i++) {
        const at = (k * by + j) * bx + i;
        const product = measureHeight(at) * measureHeight(at + apart * bx * by);
        if (!Number.isNaN(product)) sums.add(product);
      }
    }
  }
}

export const cellStreaks = () => new StreakSums(heightOfCells);
export const blockStreaks = () => new StreakSums(heightOfBlocks);

/** Adds the cells between edges in the planes of a slab. */
export function addStreaks(slab: DetailSlab, sums: StreakSums): void {
  const { values, dimensions, first, planes, blocks, levels } = slab;
  const { size, stride } = blocks;
  const [nx, ny] = dimensions;
  const [bx, by, bz] = size;
  const contrast = levels.materials[0].grey - levels.air;
  const from = Math.max(0, Math.ceil((first - blocks.first[2]) / stride));
  const to = Math.min(bz, Math.floor((first + planes - blockCells - blocks.first[2]) / stride) + 1);
  const cells = new Float64Array(2 * blockCells * blockCells);
  for (let bj = 2; bj + 2 < by; bj++) {
    for (let bi = 2; bi + 2 < bx; bi++) {
      // Layers of this column that lie between edges.
      const even: number[] = [];
      for (let k = from; k < to; k++)
        if (!Number.isNaN(levelAround(blocks, (k * by + bj) * bx + bi, levels))) even.push(k);
      const half = Math.floor((even.length - layersBetween) / 2);
      if (half < minLayers) continue;
      cells.fill(0);
      const groups = [even.slice(0, half), even.slice(even.length - half)];
      for (const [group, layers] of groups.entries()) {
        for (const k of layers) {
          for (let plane = 0; plane < blockCells; plane++) {
            const z = blocks.first[2] + k * stride + plane - first;
            for (let j = 0; j < blockCells; j++) {
              const y = blocks.first[1] + bj * stride + j;
              for (let i = 0; i < blockCells; i++) {
                const at = (z * ny + y) * nx + blocks.first[0] + bi * stride + i;
                const around =
                  values[at - away] + values[at + away] + values[at - away * nx] + values[at + away * nx];
                cells[(group * blockCells + j) * blockCells + i] += values[at] - around / 4;
              }
            }
          }
        }
      }
      const scale = 1 / (half * blockCells * contrast);
      for (let cell = 0; cell < blockCells ** 2; cell++)
        sums.add(cells[cell] * scale * cells[blockCells ** 2 + cell] * scale);
    }
  }
}
