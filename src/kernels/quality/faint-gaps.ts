/**
 * Gaps of a fraction of a voxel inside the material, as between a pin and its ring: blur leaves them as sheets that are
 * somewhat darker than the material on both sides.
 */

import { dot } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { type BlockGrid, blockCells } from './block-grid.ts';
import type { BlockLevels } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

const blockVolume = blockCells ** 3;
/** Places to read in all; a tenth of a percent of air in gaps is a hundred of them. */
const maxPlaces = 16_000;
/** Farthest cell that is read around a place, along each axis. */
const reach = 5;
/** Cells from a place to its sides, along axes and diagonals: about three cells of distance. */
const [axisSteps, diagonalSteps] = [3, 2];
/**
 * Largest squared distance of the cells of a patch, and the standard deviations of single cells by which the darkest of
 * thirteen patches does not differ by chance: of 9 and 7 cells, and of 21 to 13 where noise exceeds a share of the contrast.
 */
const [small, large] = [
  { within: 2, deviations: 1.5 },
  { within: 6, deviations: 1 },
];
const noisyFrom = 0.06;
/** Grained noise averages out less over a patch: by its grain, but at most by this factor. */
const maxGrain = 3;
/** Smallest step as a share of the contrast, and as a multiple of the material's own texture. */
const [minStep, ofTexture] = [0.02, 2.5];
/**
 * Sides may be darker than the place itself by this share of the contrast: a larger difference means that a face or a
 * pore is near, which darkens the place.
 */
const darkerWithin = 0.2;
/** Darkest side, relative to the brightest one: for a dark place, which may lie in a sheet, and for a bright one. */
const [besideDark, besideBright] = [0.6, 0.8];
/**
 * A gap is darker than this share of the material's usual grey value: between brighter fibres or layers the material
 * itself is no gap. Where hardly a place lies deep inside, that grey value is too uncertain.
 */
const darkerThan = 0.95;
/** Standard errors subtracted, for gaps to be there at all. */
const errors = 3;
/**
 * If they are, all places count beyond this share of the least step, since noise cancels out; a texture may not, so the
 * amount is limited to a multiple of what the least step gives.
 */
const [amountFrom, maxMore] = [0.4, 3];
/** Share of a gap's air at places that count: 0.45 to 0.65 for gaps of 0.3 to 0.45 voxels in clean scans. */
const counted = 0.55;

/** All cells within this many along each axis; of opposite ones, the one further on comes from the second half. */
const listAround = (cells: number): Vector3[] => {
  const edge = 2 * cells + 1;
  return Array.from({ length: edge ** 3 }, (_, n) => [
    (n % edge) - cells,
    (Math.floor(n / edge) % edge) - cells,
    Math.floor(n / edge ** 2) - cells,
  ]);
};
/** One of each pair of opposite directions, and the cells of a patch across it. */
export const listFilters = (within: number) =>
  listAround(1)
    .slice(14)
    .map((step) => ({
      side: step.filter((n) => n !== 0).length === 1 ? axisSteps : diagonalSteps,
      step,
      patch: listAround(2).filter((cell) => dot(cell, step) === 0 && dot(cell, cell) <= within),
    }));

/** A place that may lie in a sheet. */
interface Step {
  /** by how much it is darker (negative: brighter) than both sides, as a share of the contrast */
  height: number;
  /** its height above air, as a share of the contrast */
  grey: number;
}

export class FaintGaps {
  private places = 0;
  private readonly seen: (Step & { block: number })[] = [];
  private readonly maxOfSlab: number;
  private readonly contrast: number;
  private readonly air: number;
  private readonly minHeight: number;
  private readonly filters: ReturnType<typeof listFilters>;

  /** @param slabs number of groups of planes */
  constructor({ air, noise, grain, materials }: BlockLevels, slabs: number) {
    this.maxOfSlab = Math.ceil(maxPlaces / slabs);
    this.air = air;
    this.contrast = materials[0].grey - air;
    const share = noise / this.contrast;
    const { within, deviations } = share > noisyFrom ? large : small;
    const ofGrain = Math.min(maxGrain, Math.max(1, grain ?? 1));
    this.minHeight = Math.max(minStep, deviations * share * ofGrain);
    this.filters = listFilters(within);
  }

  /** O(1): the number of places is limited. */
  add(slab: DetailSlab): void {
    const { values, dimensions, planes } = slab;
    const [nx, ny] = dimensions;
    const strides: Vector3 = [1, nx, nx * ny];
    const offsets = this.filters.map(({ side, step, patch }) => ({
      far: side * dot(step, strides),
      patch: Int32Array.from(patch, (place) => dot(place, strides)),
    }));
    const chosen = listBlocks(slab);
    const total = chosen.length * blockVolume;
    // An odd step reaches all cells of a block in turn.
    const every = Math.ceil(total / this.maxOfSlab) | 1;
    for (let n = 0; n < total; n += every) {
      const at = chosen[Math.floor(n / blockVolume)];
      const cell = n % blockVolume;
      const [i, j, k] = findCorner(slab.blocks, at);
      const [x, y, z] = [i + (cell & 3), j + ((cell >> 2) & 3), k - slab.first + (cell >> 4)];
      if (Math.min(x, y, z, nx - 1 - x, ny - 1 - y, planes - 1 - z) < reach) continue;
      const step = findStep(values, (z * ny + y) * nx + x, offsets, this.air, this.contrast);
      if (step === null) continue;
      this.places++;
      if (Math.abs(step.height) > amountFrom * this.minHeight) this.seen.push({ ...step, block: at });
    }
  }

  /**
   * @param texture of the material, as a share of the contrast; null when too few places lie deep inside
   * @returns air in such gaps as a share of the part's volume, and some of their blocks
   */
  find(texture: number | null): { share: number; blocks: number[] } {
    const minHeight = Math.max(this.minHeight, ofTexture * (texture ?? 0));
    let [lacking, squares, air] = [0, 0, 0];
    const blocks = new Set<number>();
    for (const { height, grey, block } of this.seen) {
      if (height > 0 && texture !== null && grey > darkerThan) continue;
      if (Math.abs(height) > amountFrom * minHeight) air += height;
      if (Math.abs(height) < minHeight) continue;
      // Layers of a material, noise and rings give bright sheets as well.
      lacking += height;
      squares += height ** 2;
      if (height > 0) blocks.add(block);
    }
    lacking -= errors * Math.sqrt(squares);
    if (!(lacking > 0)) return { share: 0, blocks: [] };
    const amount = Math.max(lacking, Math.min(air, maxMore * lacking));
    return { share: amount / counted / this.places, blocks: [...blocks] };
  }
}

/** Blocks of a slab with material. */
export function listBlocks({ blocks, levels, first, planes }: DetailSlab): number[] {
  const { means, size, stride } = blocks;
  const chosen: number[] = [];
  for (let at = 0; at < means.length; at++) {
    if (!(means[at] > levels.level)) continue;
    const z = blocks.first[2] + Math.floor(at / (size[0] * size[1])) * stride - first;
    if (z >= 0 && z + blockCells <= planes) chosen.push(at);
  }
  return chosen;
}

export const findCorner = ({ size, first, stride }: BlockGrid, at: number): Vector3 => [
  first[0] + (at % size[0]) * stride,
  first[1] + (Math.floor(at / size[0]) % size[1]) * stride,
  first[2] + Math.floor(at / (size[0] * size[1])) * stride,
];

/**
 * Compares a patch at a place with those on both sides of it, in the direction of thirteen where it differs most. Noise
 * and layers make it darker and brighter alike.
 * @returns height 0 close to a face or pore; null outside of the material
 */
function findStep(
  values: ArrayLike<number>,
  cell: number,
  offsets: readonly { far: number; patch: Int32Array }[],
  air: BlockLevels['air'],
  contrast: number,
): Step | null {
  let [lowest, highest, own] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  let [dark, darkest, bright, brightest] = [0, 0, 0, 0];
  for (const { far, patch } of offsets) {
    let one = 0;
    let middle = 0;
    let other = 0;
    for (let n = 0; n < patch.length; n++) {
      const here = cell + patch[n];
      one += values[here - far];
      middle += values[here];
      other += values[here + far];
    }
    const scale = 1 / (patch.length * contrast);
    const shift = air / contrast;
    middle = middle * scale - shift;
    own += middle / offsets.length;
    const low = Math.min(one, other) * scale - shift;
    const high = Math.max(one, other) * scale - shift;
    lowest = Math.min(lowest, low);
    highest = Math.max(highest, high);
    if (low - middle > dark) {
      dark = low - middle;
      darkest = middle;
    }
    if (middle - high > bright) {
      bright = middle - high;
      brightest = middle;
    }
  }
  if (!(own > 0.5)) return null;
  const isDark = darkest > 0.5 && lowest > Math.max(darkest - darkerWithin, besideDark * highest);
  const isBright = highest < brightest + darkerWithin && lowest > besideBright * highest;
  const isDarkMore = (isDark ? dark : 0) > (isBright ? bright : 0);
  if (isDarkMore) return { height: dark, grey: darkest };
  return { height: isBright ? -bright : 0, grey: brightest };
}
