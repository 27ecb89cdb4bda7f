/** Whether noise is lopsided, as a curve leaves it that grey values went through. */
import type { Vector3 } from '../grid/volume.ts';
import { blockCells } from './block-grid.ts';
import { median } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/** Blocks of air and of material in each slab whose neighbours are looked at, and whose voxels are, at most; and in all, at least. */
const [mostTested, mostOfSlab] = [12_000, 3000];
const fewestBlocks = 100;
/** Standard errors that it has to differ from even noise by. */
const errors = 3.5;
/** Noise below this share of the contrast is as weak as the streaks of a reconstruction. */
const leastNoise = 0.008;
/** Deviations of a difference between voxels beyond which it counts as so far off: what is cut off farther out says nothing. */
const reach = 2;
/** Share of the third cumulant of nearly normal differences that this reach leaves. */
const withinReach = 0.306;
/**
 * Grey values that are cut off nearer to the middle of the noise than the first, in deviations, tell what was cut; up to the second
 * the other side is cut alike.
 */
const [nearestCut, farthestCut] = [1, 3.5];
/**
 * By how much the mean squares of blocks of white noise differ, as a share of them; of noise with a grain that share over the mean
 * square, where that of a voxel off its block is 1. Where they differ more, by this factor and one that few blocks leave, it is
 * a texture.
 */
const [ofWhite, ofGrained, texture, ofFew] = [0.207, 0.165, 1.2, 2];
/** How blocks are numbered that are even: air and material. */
const kinds = [1, 2] as const;
const cells = blockCells ** 3;

/** The noise within blocks that lie among their like. */
export class NoiseShape {
  /** of each block: the mean square of how far a voxel is off the four beside it, that times how far it is off the block, and the mean cube */
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

  /** Adds what of a slab is even. O(blocks), and cells of some thousand of them. */
  add(slab: DetailSlab): void {
    const { means, deviations } = slab.blocks;
    for (const kind of kinds) {
      // Where air tells, material is not asked.
      if (kind === 2 && this.sums[1].cubes.length >= fewestBlocks) continue;
      const inner = findInner(slab, kind);
      const deviation = median(inner.map((at) => deviations[at]));
      const cut = median(inner.map((at) => means[at])) - this.lowest;
      const isCut = cut < nearestCut * deviation;
      const isNear = !isCut && cut < farthestCut * deviation;
      // Where a part fills the scan most blocks of air have others at their corners; material has hardening beside its faces.
      const isWhole = kind === 1 && !isCut && !isNear;
      const looked = isWhole && inner.length < mostOfSlab ? findInner(slab, kind, true) : inner;
      // The mean of what is cut lies off its middle.
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
      // Streaks and shading differ little from one voxel to the next.
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
   * By how much the middle between air and material is off where a curve made noise as lopsided: one whose slope changes by the
   * share s over a grey value moves the middle of a contrast c by s c² / 8. Of normal noise that it bends the third cumulant of
   * d = x − (mean of the four beside it) is 3 s (u² − v²) with the covariances u of d with x and v of d with those four, whatever
   * the noise's grain; and u − v is the variance of d. Air tells, which has no texture of its own, and material only without air.
   * @returns as a share of the contrast; 0 where noise is even as far as can be told, where it is a texture, and where there is less
   * than 0.8 % of the contrast of it
   */
  findShift(contrast: number): number {
    const told = kinds.find((kind) => this.sums[kind].cubes.length >= fewestBlocks);
    if (told === undefined) return 0;
    const { squares, products, cubes, cut } = this.sums[told];
    const [square, product, cube] = [squares, products, cubes].map(computeMean);
    const error = Math.sqrt(computeMean(cubes.map((each) => (each - cube) ** 2)) / cubes.length);
    if (product < (leastNoise * contrast) ** 2 || Math.abs(cube) < errors * error) return 0;
    const even = Math.max(ofWhite, (ofGrained * product) / square);
    const isCut = cut > cubes.length / 2;
    if (!isCut && findUnevenness(squares) > even * (texture + ofFew / Math.sqrt(squares.length))) return 0;
    return ((cube / (3 * withinReach * square * (2 * product - square))) * contrast) / 8;
  }
}

/** Where the first cell of a block lies among the values of a slab. */
function findCorner({ dimensions: [nx, ny], first, blocks }: DetailSlab, at: number): number {
  const { size, stride } = blocks;
  const x = blocks.first[0] + (at % size[0]) * stride;
  const y = blocks.first[1] + (Math.floor(at / size[0]) % size[1]) * stride;
  const z = blocks.first[2] + Math.floor(at / (size[0] * size[1])) * stride - first;
  return (z * ny + y) * nx + x;
}

/** All cells of a block but one: of an odd number the median is one of them. */
function readBlock(slab: DetailSlab, at: number): number[] {
  const [nx, ny] = slab.dimensions;
  const corner = findCorner(slab, at);
  return Array.from(
    { length: cells - 1 },
    (_, cell) => slab.values[corner + (cell & 3) + ((cell >> 2) & 3) * nx + (cell >> 4) * nx * ny],
  );
}

/** Standard deviation of values about those near them, as a share: noise that changes over the scan is no texture. */
const findUnevenness = (values: readonly number[]): number =>
  Math.sqrt(
    2 * computeMean(values.slice(1).map((value, i) => ((value - values[i]) / (value + values[i])) ** 2)),
  );

/** Steps to a block and the 26 around it. */
const listAround = ([bx, by]: Readonly<Vector3>): number[] =>
  Array.from(
    { length: 27 },
    (_, n) => (n % 3) - 1 + ((Math.floor(n / 3) % 3) - 1) * bx + (Math.floor(n / 9) - 1) * bx * by,
  );

/**
 * Blocks of a kind, wholly in the slab, with none but such around them; of many some that lie evenly among them.
 * @param isAtOthers those with others at their corners and edges, too, as long as they were seen
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
  const every = Math.ceil(count / mostTested);
  const found: number[] = [];
  let seen = 0;
  for (let k = from; k < to; k++) {
    for (let j = 1; j + 1 < by; j++) {
      for (let at = (k * by + j) * bx + 1; at < (k * by + j + 1) * bx - 1; at++) {
        if (even[at] !== kind || seen++ % every > 0) continue;
        // What has no noise was not seen.
        if (
          asked.every((step) => even[at + step] === kind) &&
          around.every((step) => deviations[at + step] > 0)
        )
          found.push(at);
      }
    }
  }
  const step = Math.ceil(found.length / mostOfSlab);
  return found.filter((_, n) => n % step === 0);
}

const computeMean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
