/** Slices that are brighter or darker than those beside them, as a tube or a line detector that changes from one to the next leaves them. */
import { type BlockGrid, blockCells } from './block-grid.ts';
import type { DetailSlab } from './detail.ts';

/** Patches of the material in a slice at least, and slices that are looked at. */
const [fewestPatches, fewestSlices] = [4, 6];
/** Standard errors that are taken off what a slice differs by. */
const errors = 4;
/** A block lies within the material that lacks no more than this share of the contrast, nor do those beside it. */
const withinShare = 0.4;
/** Of the slices, so many differ by less than what counts. */
const counted = 0.8;

/** By how much slices differ from the mean of those beside them, patch by patch of the material. */
export class BandSums {
  private readonly counts: Float64Array;
  private readonly sums: Float64Array;
  private readonly squares: Float64Array;

  constructor(slices: number) {
    this.counts = new Float64Array(slices);
    this.sums = new Float64Array(slices);
    this.squares = new Float64Array(slices);
  }

  /** Adds even places of the material in the planes of a slab. */
  add({ values, dimensions, first, planes, blocks, levels }: DetailSlab): void {
    const { size, stride } = blocks;
    const [nx, ny] = dimensions;
    const [bx, by, bz] = size;
    const from = Math.max(1, Math.ceil((first - blocks.first[2]) / stride));
    const to = Math.min(bz - 1, Math.floor((first + planes - blockCells - blocks.first[2]) / stride) + 1);
    const means = new Float64Array(blockCells);
    const [{ grey }] = levels.materials;
    const least = grey - withinShare * (grey - levels.air);
    for (let k = from; k < to; k++) {
      const z = blocks.first[2] + k * stride;
      for (let bj = 1; bj + 1 < by; bj++) {
        for (let bi = 1; bi + 1 < bx; bi++) {
          if (!isWithin(blocks, (k * by + bj) * bx + bi, least)) continue;
          for (let plane = 0; plane < blockCells; plane++) {
            let sum = 0;
            for (let j = 0; j < blockCells; j++) {
              const row = ((z + plane - first) * ny + blocks.first[1] + bj * stride + j) * nx;
              for (let i = 0; i < blockCells; i++) sum += values[row + blocks.first[0] + bi * stride + i];
            }
            means[plane] = sum / blockCells ** 2;
          }
          for (let plane = 1; plane + 1 < blockCells; plane++) {
            const off = means[plane] - (means[plane - 1] + means[plane + 1]) / 2;
            this.counts[z + plane]++;
            this.sums[z + plane] += off;
            this.squares[z + plane] += off * off;
          }
        }
      }
    }
  }

  /** In grey values; null where too little of the material was seen. */
  get height(): number | null {
    const heights: number[] = [];
    for (const [z, count] of this.counts.entries()) {
      if (count < fewestPatches) continue;
      const mean = this.sums[z] / count;
      const error = Math.sqrt(Math.max(0, this.squares[z] / count - mean * mean) / count);
      heights.push(Math.max(0, Math.abs(mean) - errors * error));
    }
    if (heights.length < fewestSlices) return null;
    return heights.sort((a, b) => a - b)[Math.floor(counted * heights.length)];
  }
}

function isWithin({ means, size }: BlockGrid, at: number, least: number): boolean {
  const [bx, by] = size;
  if (!(means[at - bx * by] > least && means[at + bx * by] > least)) return false;
  for (let j = -1; j <= 1; j++)
    for (let i = -1; i <= 1; i++) if (!(means[at + j * bx + i] > least)) return false;
  return true;
}
