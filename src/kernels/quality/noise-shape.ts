/** Detects skewed noise, as left by a curve applied to the grey values. */
import type { Vector3 } from '../grid/volume.ts';
import { blockCells } from './block-grid.ts';
import { median } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/**
 * Largest number of blocks of air and of material per slab whose neighbours are checked, and whose voxels are read;
 * smallest total number.
 */
const [maxTested, maxPerSlab] = [12_000, 3000];
const minBlocks = 100;
/** Significance in standard errors. */
const errors = 3.5;
/** Noise below this share of the contrast is as weak as the streaks of a reconstruction. */
const minNoise = 0.008;
/**
 * Differences between voxels are clamped at this many standard deviations, so that clipping further out has no effect.
 */
const reach = 2;
/** Share of the third cumulant of nearly normal differences that remains after clamping. */
const withinReach = 0.306;
/**
 * Distance of the clipping level from the mean of the noise, in standard deviations: nearer than the first, the
 * clipping itself is to be detected; up to the second, the other side is clipped alike to cancel its effect.
 */
const [nearestCut, farthestCut] = [1, 3.5];
/**
 * Relative spread of the blocks' mean squares for white noise; factor on mean product over mean square that gives it
 * for correlated noise. A larger spread, by the third factor plus an allowance for few blocks, means texture.
 */
const [ofWhite, ofGrained, texture, ofFew] = [0.207, 0.165, 1.2, 2];
/** Classes of uniform blocks: air and material. */
const kinds = [1, 2] as const;
const cells = blockCells ** 3;

/** Shape of the noise within blocks whose neighbours are of the same phase. */
export class NoiseShape {
  /**
   * for each block: mean square of a voxel's difference from the four beside it, mean product of that difference and
   * the voxel's deviation from the block, and mean cube of the difference
   */
  private readonly sums: Record<
    number,
    { squares: number[]; products: number[]; cubes: number[]; cut: number }
  > = {
    1: { squares: [], products: [], cubes: [], cut: 0 },
    2: { squares: [], products: [], cubes: [], cut: 0 },
  };
  private readonly off = new Float64Array(cells);

  private readonly lowest: number;

  /** @param lowest grey value of the scan */
  constructor(lowest: number) {
    this.lowest = lowest;
  }

  /** Adds the uniform parts of a slab. O(blocks), and the cells of some thousand blocks. */
  add(slab: DetailSlab): void {
    const { means, deviations } = slab.blocks;
    for (const kind of kinds) {
      // When air is sufficient, material is not used.
      if (kind === 2 && this.sums[1].cubes.length >= minBlocks) continue;
      const inner = findInner(slab, kind);
      const deviation = median(inner.map((at) => deviations[at]));
      const cut = median(inner.map((at) => means[at])) - this.lowest;
      const isCut = cut < nearestCut * deviation;
      const isNear = !isCut && cut < farthestCut * deviation;
      // When a part fills the scan, most blocks of air have others at their corners; material has beam hardening beside
      // its faces.
      const isWhole = kind === 1 && !isCut && !isNear;
      const looked = isWhole && inner.length < maxPerSlab ? findInner(slab, kind, true) : inner;
      // The mean of clipped values differs from their median.
      const off = isNear ? median(looked.map((at) => means[at] - median(readBlock(slab, at)))) : 0;
      if (isCut) this.sums[kind].cut += looked.length;
      const around = listAround(slab.blocks.size);
      for (const at of looked) {
        const middle = isNear ? computeMean(around.map((step) => means[at + step])) - off : 0;
        this.addBlock(slab, kind, at, isNear ? 2 * middle - this.lowest : Number.POSITIVE_INFINITY);
      }
    }
  }

  private addBlock(slab: DetailSlab, kind: number, at: number, highest: number): void {
    const { values, dimensions, blocks } = slab;
    const [nx, ny] = dimensions;
    const mean = blocks.means[at];
    const corner = findCorner(slab, at);
    let [squares, products] = [0, 0];
    for (let cell = 0; cell < cells; cell++) {
      const place = corner + (cell & 3) + ((cell >> 2) & 3) * nx + (cell >> 4) * nx * ny;
      // Differences between neighbours are hardly affected by streaks and shading.
      const beside =
        Math.min(highest, values[place - 1]) +
        Math.min(highest, values[place + 1]) +
        Math.min(highest, values[place - nx]) +
        Math.min(highest, values[place + nx]);
      const own = Math.min(highest, values[place]);
      const off = own - beside / 4;
      this.off[cell] = off;
      squares += off * off;
      products += off * (own - mean);
    }
    const most = reach * Math.sqrt(squares / cells);
    let cubes = 0;
    for (let cell = 0; cell < cells; cell++) {
      const within = Math.max(-most, Math.min(most, this.off[cell]));
      cubes += within * within * within;
    }
    const sums = this.sums[kind];
    sums.squares.push(squares / cells);
    sums.products.push(products / (cells - 1));
    sums.cubes.push(cubes / cells);
  }
  /**
   * Shift of the level midway between air and material, for a curve that would skew the noise as observed: a curve
   * whose slope changes by the share s per grey value moves the midpoint of a contrast c by s c² / 8. For normal noise
   * bent by it, the third cumulant of d = x − (mean of the four beside it) is 3 s (u² − v²), with the covariances u of
   * d with x and v of d with those four, for any grain of the noise; u − v is the variance of d. Measured in air, which
   * has no texture of its own; in material only without air.
   * @returns as a share of the contrast; 0 when the noise is not significantly skewed, when it is texture, and when it
   * is below 0.8 % of the contrast
   */
  findShift(contrast: number): number {
    const told = kinds.find((kind) => this.sums[kind].cubes.length >= minBlocks);
    if (told === undefined) return 0;
    const { squares, products, cubes, cut } = this.sums[told];
    const [square, product, cube] = [squares, products, cubes].map(computeMean);
    const error = Math.sqrt(computeMean(cubes.map((each) => (each - cube) ** 2)) / cubes.length);
    if (product < (minNoise * contrast) ** 2 || Math.abs(cube) < errors * error) return 0;
    const even = Math.max(ofWhite, (ofGrained * product) / square);
    const isCut = cut > cubes.length / 2;
    if (!isCut && findUnevenness(squares) > even * (texture + ofFew / Math.sqrt(squares.length))) return 0;
    return ((cube / (3 * withinReach * square * (2 * product - square))) * contrast) / 8;
  }
}

/** Index of a block's first cell among the values of a slab. */
function findCorner({ dimensions: [nx, ny], first, blocks }: DetailSlab, at: number): number {
  const { size, stride } = blocks;
  const x = blocks.first[0] + (at % size[0]) * stride;
  const y = blocks.first[1] + (Math.floor(at / size[0]) % size[1]) * stride;
  const z = blocks.first[2] + Math.floor(at / (size[0] * size[1])) * stride - first;
  return (z * ny + y) * nx + x;
}

/** All cells of a block but one: with an odd number the median is one of them. */
function readBlock(slab: DetailSlab, at: number): number[] {
  const [nx, ny] = slab.dimensions;
  const corner = findCorner(slab, at);
  return Array.from(
    { length: cells - 1 },
    (_, cell) => slab.values[corner + (cell & 3) + ((cell >> 2) & 3) * nx + (cell >> 4) * nx * ny],
  );
}

/**
 * Relative standard deviation of values about their neighbours, so that noise that varies slowly over the scan does not
 * count as texture.
 */
const findUnevenness = (values: readonly number[]): number =>
  Math.sqrt(
    2 * computeMean(values.slice(1).map((value, i) => ((value - values[i]) / (value + values[i])) ** 2)),
  );

/** Offsets to a block and the 26 around it. */
const listAround = ([bx, by]: Readonly<Vector3>): number[] =>
  Array.from(
    { length: 27 },
    (_, n) => (n % 3) - 1 + ((Math.floor(n / 3) % 3) - 1) * bx + (Math.floor(n / 9) - 1) * bx * by,
  );

/**
 * Blocks of a class, completely in the slab, surrounded by the same class; an evenly spaced subset when there are many.
 * @param isAtOthers also those with other classes at their corners and edges, provided that these were seen
 */
function findInner(
  { first, planes, blocks, levels: { even } }: DetailSlab,
  kind: number,
  isAtOthers = false,
): number[] {
  const { size, stride, deviations } = blocks;
  const [bx, by, bz] = size;
  const from = Math.max(1, Math.ceil((first - blocks.first[2]) / stride));
  const to = Math.min(bz - 1, Math.floor((first + planes - blockCells - blocks.first[2]) / stride) + 1);
  const around = listAround(size);
  const layer = bx * by;
  const asked = isAtOthers ? [0, 1, -1, bx, -bx, layer, -layer] : around;
  let count = 0;
  for (let at = from * layer; at < to * layer; at++) if (even[at] === kind) count++;
  const every = Math.ceil(count / maxTested);
  const found: number[] = [];
  let seen = 0;
  for (let k = from; k < to; k++) {
    for (let j = 1; j + 1 < by; j++) {
      for (let at = (k * by + j) * bx + 1; at < (k * by + j + 1) * bx - 1; at++) {
        if (even[at] !== kind || seen++ % every > 0) continue;
        // Blocks without noise were not seen.
        if (
          asked.every((step) => even[at + step] === kind) &&
          around.every((step) => deviations[at + step] > 0)
        )
          found.push(at);
      }
    }
  }
  const step = Math.ceil(found.length / maxPerSlab);
  return found.filter((_, n) => n % step === 0);
}

const computeMean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
