/** What the material itself differs by from one place to the next, as grain, fibres, layers and sintered grains make it. */
import { type BlockGrid, blockCells } from './block-grid.ts';
import { type BlockLevels, median } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/** Blocks of air and of material in each slab at most, and in all at least. */
const mostOfSlab = 1500;
const fewestBlocks = 24;
/** Standard errors that are taken off. */
const errors = 2;
/** Median of the amount of a normal value over its deviation, and the deviation of a value less the mean of two others. */
const [medianOfNormal, ofThree] = [0.6745, Math.sqrt(1.5)];
const cells = blockCells ** 3;

interface Sums {
  /** of each block: the variance within it beyond that from one voxel to the next */
  excesses: number[];
  /** of each block the variance from one voxel to the next */
  whites: number[];
  /** of each block along each axis, how far its mean is off those of the two beside it */
  steps: number[];
}

/** Of blocks that lie among their like. */
export class TextureSums {
  private readonly air: Sums = { excesses: [], whites: [], steps: [] };
  private readonly material: Sums = { excesses: [], whites: [], steps: [] };

  /** Adds what of a slab lies deep in air and in material. O(blocks), and cells of some thousand of them. */
  add(slab: DetailSlab): void {
    const inner = findInner(slab);
    addBlocks(slab, inner.air, this.air);
    addBlocks(slab, inner.material, this.material);
  }

  /**
   * White noise differs as much from one voxel to the next as within a block and leaves the means of blocks alike; noise with a
   * grain does not, and is in air as well: what the material has beyond air is its own.
   * @returns standard deviation as a share of the contrast; null where too little lies deep in either
   */
  find(contrast: number): number | null {
    const [air, material] = [measureSums(this.air), measureSums(this.material)];
    if (!air || !material) return null;
    const beyond = material.variance - air.variance - errors * Math.hypot(material.error, air.error);
    return Math.sqrt(Math.max(0, beyond)) / contrast;
  }
}

/** Blocks with nothing but their like around them, evenly out of the slab. */
function findInner({ blocks, levels, first, planes }: DetailSlab): { air: number[]; material: number[] } {
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
    const step = Math.ceil(all.length / mostOfSlab);
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

/** The variance that is none from voxel to voxel, and its standard error; null of too few blocks. */
function measureSums({ excesses, whites, steps }: Sums): { variance: number; error: number } | null {
  if (excesses.length < fewestBlocks) return null;
  const middle = median(excesses);
  const scatter = median(excesses.map((each) => Math.abs(each - middle))) / medianOfNormal;
  const between = (median(steps) / medianOfNormal / ofThree) ** 2;
  const variance = middle + between - median(whites) / cells;
  return { variance, error: Math.hypot(scatter, between) / Math.sqrt(excesses.length) };
}
