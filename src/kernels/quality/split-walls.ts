/**
 * Walls of 4 to 8 voxels that a gap of a fraction of a voxel splits, such as two plates beside each other: blur leaves of
 * the gap a middle that is darker than the material beside it, which no solid wall has.
 */
import { blockCells } from './block-grid.ts';
import type { BlockLevels } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';
import { findCorner, listBlocks, listFilters } from './faint-gaps.ts';

/** Places to read in all, and the largest distance of a face from one, in voxels. */
const [maxPlaces, farthest] = [24_000, 4.5];
/** Thickness of walls, in voxels: in thinner ones both faces darken the middle, in thicker ones gaps are found without faces. */
const [thinnest, thickest] = [4, 8];
/** A place is in the middle when the distances of both faces differ by less than this many steps. */
const middleWithin = 0.75;
/** Beside the middle is this share of the thickness away from it. */
const besideShare = 0.25;
/** Walls of one direction and thickness count together; least number of places, and smallest darkness of their middle. */
const [minPlaces, minDark, errors] = [30, 0.012, 6];
/** Width of a gap in voxels for a middle that is darker by all of the contrast, at the usual blur. */
const gapOfDark = 5;
/** Walls that are brighter at their faces than inside by this share of the contrast were sharpened, or have a skin. */
const maxSkin = 0.02;
/** Cells of the patches of which the means are compared, by their largest squared distance. */
const patchWithin = 2;
const filters = listFilters(patchWithin).map(({ step, patch }) => ({
  step,
  patch,
  length: Math.hypot(...step),
}));

interface Group {
  thickness: number;
  darks: number[];
  blocks: Set<number>;
}

export class SplitWalls {
  private readonly groups = new Map<number, Group>();
  private readonly maxOfSlab: number;
  private readonly level: number;
  private readonly contrast: number;
  private places = 0;

  /** @param slabs number of groups of planes */
  constructor({ air, materials }: BlockLevels, slabs: number) {
    this.maxOfSlab = Math.ceil(maxPlaces / slabs);
    this.contrast = materials[0].grey - air;
    this.level = air + this.contrast / 2;
  }

  /** O(1): the number of places is limited. */
  add(slab: DetailSlab): void {
    const { values, dimensions, planes, first, blocks } = slab;
    const [nx, ny] = dimensions;
    const toOffset = ([x, y, z]: readonly [number, number, number]) => x + y * nx + z * nx * ny;
    const ways = filters.map(({ step, patch, length }) => ({
      stride: toOffset(step),
      length,
      patch: Int32Array.from(patch, toOffset),
    }));
    const chosen = listBlocks(slab);
    const total = chosen.length * blockCells ** 3;
    // An odd step reaches all cells of a block in turn.
    const every = Math.ceil(total / this.maxOfSlab) | 1;
    const margin = Math.ceil(farthest) + 2;
    for (let n = 0; n < total; n += every) {
      const at = chosen[Math.floor(n / blockCells ** 3)];
      const cell = n % blockCells ** 3;
      const [i, j, k] = findCorner(blocks, at);
      const [x, y, z] = [i + (cell & 3), j + ((cell >> 2) & 3), k - first + (cell >> 4)];
      if (Math.min(x, y, z, nx - 1 - x, ny - 1 - y, planes - 1 - z) < margin) continue;
      const place = (z * ny + y) * nx + x;
      if (!(values[place] > this.level)) continue;
      this.places++;
      let [best, least, apart] = [-1, thickest, 0];
      for (const [way, { stride, length }] of ways.entries()) {
        const ahead = findFace(values, place, stride, this.level, least / length);
        const behind = findFace(values, place, -stride, this.level, least / length - ahead);
        const thickness = length * (ahead + behind);
        if (thickness < least) [best, least, apart] = [way, thickness, Math.abs(ahead - behind)];
      }
      if (best < 0 || least < thinnest || apart > middleWithin) continue;
      const { stride, length, patch } = ways[best];
      const beside = stride * Math.max(1, Math.round((besideShare * least) / length));
      let dark = 0;
      for (let c = 0; c < patch.length; c++) {
        const here = place + patch[c];
        dark += (values[here + beside] + values[here - beside]) / 2 - values[here];
      }
      this.addDark(best, least, dark / patch.length / this.contrast, at);
    }
  }

  private addDark(way: number, thickness: number, dark: number, block: number): void {
    const key = 16 * way + Math.round(thickness);
    const group = this.groups.get(key) ?? { thickness, darks: [], blocks: new Set<number>() };
    this.groups.set(key, group);
    group.darks.push(dark);
    group.blocks.add(block);
  }

  /**
   * @param skin overshoot of the edges, as a share of the contrast
   * @returns air in such gaps as a share of the part's volume, and the blocks of these walls
   */
  find(skin: number | null): { share: number; blocks: number[] } {
    let air = 0;
    const found: number[] = [];
    for (const { darks, blocks } of this.groups.values()) {
      if (darks.length < minPlaces || (skin ?? 0) > maxSkin) continue;
      const mean = darks.reduce((sum, dark) => sum + dark, 0) / darks.length;
      const squares = darks.reduce((sum, dark) => sum + (dark - mean) ** 2, 0);
      if (mean < minDark || mean < (errors * Math.sqrt(squares)) / darks.length) continue;
      air += (darks.length * gapOfDark * mean) / middleWithin;
      found.push(...blocks);
    }
    return { share: this.places > 0 ? air / this.places : 0, blocks: found };
  }
}

/** Steps to where the grey values fall below the level; beyond `most`, more than that. */
function findFace(
  values: ArrayLike<number>,
  from: number,
  stride: number,
  level: number,
  most: number,
): number {
  let before = values[from];
  for (let n = 1; n <= Math.min(most + 1, farthest); n++) {
    const value = values[from + n * stride];
    if (!(value > level)) return n - 1 + (before - level) / (before - value);
    before = value;
  }
  return Number.POSITIVE_INFINITY;
}
