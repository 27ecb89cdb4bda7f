/**
 * Texture of the material: variation of its grey value from place to place, as from grain, fibres, layers and sintered
 * particles.
 */
import { type BlockGrid, blockCells } from './block-grid.ts';
import { type BlockLevels, median } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/** Largest number of blocks of air and of material per slab, and smallest total number. */
const maxPerSlab = 1500;
const minBlocks = 24;
/** Standard errors subtracted. */
const errors = 2;
/**
 * Median absolute value of a standard normal variable, and the standard deviation of a value minus the mean of two
 * others.
 */
const [medianOfNormal, ofThree] = [0.6745, Math.sqrt(1.5)];
const cells = blockCells ** 3;

interface Sums {
  /** for each block: variance within it beyond that between adjacent voxels */
  excesses: number[];
  /** for each block: variance between adjacent voxels */
  whites: number[];
  /** for each block and axis: deviation of its mean from those of the two beside it */
  steps: number[];
}

/** Sums over blocks surrounded by the same phase. */
export class TextureSums {
  private readonly air: Sums = { excesses: [], whites: [], steps: [] };
  private readonly material: Sums = { excesses: [], whites: [], steps: [] };

  /** Adds what of a slab lies deep in air and in material. O(cells of some thousand blocks). @param inner as it is found for the slab */
  add(slab: DetailSlab, inner: ReturnType<typeof findInner>): void {
    addBlocks(slab, inner.air, this.air);
    addBlocks(slab, inner.material, this.material);
  }

  /**
   * White noise differs as much between adjacent voxels as within a block, and leaves the means of blocks alike.
   * Correlated noise does not, but occurs in air as well: what the material has beyond air is its texture.
   * @returns standard deviation as a share of the contrast; null when too few blocks lie deep in either
   */
  find(contrast: number): number | null {
    const [air, material] = [measureSums(this.air), measureSums(this.material)];
    if (!air || !material) return null;
    const beyond = material.variance - air.variance - errors * Math.hypot(material.error, air.error);
    return Math.sqrt(Math.max(0, beyond)) / contrast;
  }
}

/** Blocks with nothing but their like around them, evenly out of the slab. O(blocks). */
export function findInner({ blocks, levels, first, planes }: DetailSlab): {
  air: number[];
  material: number[];
} {
  const { size, stride } = blocks;
  const [bx, by, bz] = size;
  const from = Math.max(1, Math.ceil((first - blocks.first[2]) / stride));
  const to = Math.min(bz - 1, Math.floor((first + planes - blockCells - blocks.first[2]) / stride) + 1);
  const found: { air: number[]; material: number[] } = { air: [], material: [] };
  for (let k = from; k < to; k++) {
    for (let j = 1; j + 1 < by; j++) {
      for (let i = 1; i + 1 < bx; i++) {
        const at = (k * by + j) * bx + i;
        const kind = findKind(blocks, levels, at);
        if (kind) found[kind].push(at);
      }
    }
  }
  const thin = (all: number[]) => {
    const step = Math.ceil(all.length / maxPerSlab);
    return all.filter((_, n) => n % step === 0);
  };
  return { air: thin(found.air), material: thin(found.material) };
}

function findKind({ means, size }: BlockGrid, { level, even }: BlockLevels, at: number) {
  const [bx, by] = size;
  const isMaterial = means[at] > level;
  for (let k = -1; k <= 1; k++)
    for (let j = -1; j <= 1; j++)
      for (let i = -1; i <= 1; i++) {
        const other = at + (k * by + j) * bx + i;
        if (isMaterial ? !(means[other] > level) : even[other] !== 1) return null;
      }
  return isMaterial ? 'material' : 'air';
}

function addBlocks({ values, dimensions, first, blocks }: DetailSlab, chosen: number[], sums: Sums): void {
  const { size, stride, means, deviations } = blocks;
  const [nx, ny] = dimensions;
  const strides = [1, nx, nx * ny];
  for (const at of chosen) {
    const place = [at % size[0], Math.floor(at / size[0]) % size[1], Math.floor(at / (size[0] * size[1]))];
    const [x, y, z] = place.map((n, k) => blocks.first[k] + n * stride);
    const corner = ((z - first) * ny + y) * nx + x;
    let [white, count] = [0, 0];
    for (let cell = 0; cell < cells; cell++) {
      const own = [cell & 3, (cell >> 2) & 3, cell >> 4];
      const from = corner + own[0] + own[1] * nx + own[2] * nx * ny;
      for (let axis = 0; axis < 3; axis++) {
        if (own[axis] + 1 === blockCells) continue;
        white += (values[from + strides[axis]] - values[from]) ** 2 / 2;
        count++;
      }
    }
    sums.whites.push(white / count);
    sums.excesses.push(deviations[at] ** 2 - white / count);
    for (const step of [1, size[0], size[0] * size[1]])
      sums.steps.push(Math.abs(means[at] - (means[at - step] + means[at + step]) / 2));
  }
}

/** The variance beyond that between adjacent voxels, and its standard error; null with too few blocks. */
function measureSums({ excesses, whites, steps }: Sums): { variance: number; error: number } | null {
  if (excesses.length < minBlocks) return null;
  const middle = median(excesses);
  const scatter = median(excesses.map((each) => Math.abs(each - middle))) / medianOfNormal;
  const between = (median(steps) / medianOfNormal / ofThree) ** 2;
  const variance = middle + between - median(whites) / cells;
  return { variance, error: Math.hypot(scatter, between) / Math.sqrt(excesses.length) };
}
