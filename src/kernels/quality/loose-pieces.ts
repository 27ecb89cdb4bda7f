/**
 * Pieces of a lighter material beside air, too small to fill a block: a ball beside a part, or a seal in its groove.
 * Their cells have similar neighbours and are neither air nor the known material; cells at an edge differ from their
 * neighbours, and those at an edge that a cone beam smears over many cells differ from one side to the other.
 */
import type { Vector3 } from '../grid/volume.ts';
import { type BlockGrid, blockCells } from './block-grid.ts';
import { type BlockLevels, median } from './block-levels.ts';
import { type DetailSlab, riseAcross } from './detail.ts';

/**
 * Heights of such a piece above air, as shares of the contrast: lower is haze or foam, higher is the known material.
 */
const [lowest, highest] = [0.2, 0.78];
/**
 * Largest noise, as a share of the contrast; and range of block means to examine: brighter than air and less than full.
 */
const [maxNoise, minBlockShare, maxBlockShare] = [0.08, 0.05, 0.97];
/**
 * Cells are similar when they differ by less than this share of the contrast or this many standard deviations of the
 * noise; neighbours at an edge differ by twice as much.
 */
const [alikeWithin, alikeDeviations] = [0.12, 3.5];
/**
 * Air is darker than this share, and than the piece by this many standard deviations, within this many cells beside it.
 */
const [airBelow, darkerDeviations, airWithin] = [0.1, 5, 12];
/**
 * Smallest number of cells, also as a share of all material, for surfaces to miss anything. Largest share: above, it is
 * not a small piece but surrounds a denser core, and its surface follows local levels. Largest number of cells kept.
 */
const [minCells, minVolume, maxVolume, maxKept] = [60, 0.002, 0.25, 100_000];

export class LoosePieces {
  /** blocks without a piece, and blocks already examined */
  private readonly done: Uint8Array;
  /** similar cells, and their neighbours */
  private readonly cells = new Set<number>();
  private readonly greys: number[] = [];
  private readonly found = new Set<number>();
  private readonly contrast: number;

  private readonly blocks: BlockGrid;
  private readonly levels: BlockLevels;

  constructor(blocks: BlockGrid, levels: BlockLevels) {
    const { air, materials, noise } = levels;
    this.blocks = blocks;
    this.levels = levels;
    this.contrast = materials[0].grey - air;
    const isLevelKnown =
      blocks.stride === blockCells && materials.length === 1 && noise < maxNoise * this.contrast;
    const [least, most] = [minBlockShare, maxBlockShare].map((share) => air + share * this.contrast);
    this.done = Uint8Array.from(blocks.means, (mean) =>
      Number(!(isLevelKnown && mean > least && mean < most)),
    );
  }

  /** O(cells of partly filled blocks). */
  add({ values, dimensions: [nx, ny], planes, first }: DetailSlab): void {
    const { air, noise } = this.levels;
    const strides: Vector3 = [1, nx, nx * ny];
    const around = Array.from({ length: 27 }, (_, n) => {
      const [x, y, z] = [(n % 3) - 1, (Math.floor(n / 3) % 3) - 1, Math.floor(n / 9) - 1];
      return x + y * nx + z * strides[2];
    });
    const findRise = riseAcross(nx, ny);
    const within = Math.max(alikeWithin * this.contrast, alikeDeviations * noise);
    const maxRise = Math.max(alikeWithin * this.contrast, alikeDeviations * noise * Math.sqrt(2 / 9));
    const [low, high, dark] = [lowest, highest, airBelow].map((share) => air + share * this.contrast);
    const isBesideAir = (cell: number, grey: number) => {
      const most = Math.min(dark, grey - darkerDeviations * noise);
      const place = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / strides[2])];
      return strides.some((stride, axis) =>
        [1, -1].some((way) => {
          const end = way > 0 ? [nx, ny, planes][axis] - 1 - place[axis] : place[axis];
          for (let step = 1; step <= Math.min(end, airWithin); step++) {
            const value = values[cell + way * step * stride];
            if (value > grey + within) return false;
            if (value < most) return true;
          }
          return false;
        }),
      );
    };
    for (let at = 0; at < this.done.length; at++) {
      if (this.done[at] === 1) continue;
      const [x, y, z] = this.findStart(at, first);
      const isInside = x > 0 && y > 0 && z > 0 && x + blockCells < nx && y + blockCells < ny;
      if (!isInside || z + blockCells >= planes) continue;
      this.done[at] = 1;
      const corner = x + y * nx + z * strides[2];
      for (let n = 0; n < blockCells ** 3 && this.cells.size < maxKept; n++) {
        const cell = corner + (n & 3) + ((n >> 2) & 3) * nx + (n >> 4) * strides[2];
        const own = values[cell];
        if (own < low || own > high) continue;
        if (!around.every((step) => Math.abs(values[cell + step] - own) < within)) continue;
        const grey = around.reduce((sum, step) => sum + values[cell + step], 0) / around.length;
        if (grey < low || grey > high || !isBesideAir(cell, grey)) continue;
        if (strides.some((_, axis) => findRise(values, cell, axis) > maxRise)) continue;
        this.greys.push(grey);
        this.found.add(at);
        for (const step of around) this.cells.add(cell + step + first * strides[2]);
      }
    }
  }

  /**
   * @returns the materials, preceded by that of the pieces when there is enough of it for surfaces to miss anything,
   * and its blocks
   */
  find(): { materials: BlockLevels['materials']; loose: number[] } {
    const { air, materials } = this.levels;
    let all = 0;
    for (const mean of this.blocks.means) all += Math.max(0, mean - air) / this.contrast;
    const share = this.cells.size / (blockCells ** 3 * all);
    if (this.cells.size < minCells || !(share > minVolume && share < maxVolume))
      return { materials, loose: [] };
    const others = materials.map((each) => ({ ...each, share: each.share * (1 - share) }));
    return { materials: [{ grey: median(this.greys), share }, ...others], loose: [...this.found] };
  }

  /** The first cell of a block, relative to the first plane of a slab. */
  private findStart(at: number, first: number): Vector3 {
    const { size, first: start } = this.blocks;
    const [bx, by] = size;
    return [
      start[0] + (at % bx) * blockCells,
      start[1] + (Math.floor(at / bx) % by) * blockCells,
      start[2] + Math.floor(at / (bx * by)) * blockCells - first,
    ];
  }
}
