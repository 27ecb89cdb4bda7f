/** Structure inside the material with a period of a few cells: foils, wires and powder whose gaps are too narrow to show as air. */
import { type BlockGrid, blockCells } from './block-grid.ts';
import { median } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';
import { FineSpectrum } from './fine-spectrum.ts';

/** Blocks of air and of material in each slab at most, and in all at least. */
const maxPerSlab = 120;
const minBlocks = { air: 24, material: 12 };
/** Standard errors that are subtracted, since the largest of 16 values is taken. The error of a median is 1.25 times that of a mean. */
const errors = 4;
const [ofMedian, medianOfNormal] = [1.25, 0.6745];
/** Number of darkest cells of a block, and by how many noise deviations noise alone lowers their mean. */
const [darkest, darkestDeviations] = [4, 1.9];
/** Gaps with darker cells (share of the contrast) are resolved: the surface encloses them. */
const minDarkness = 0.3;

/** Steps to the 26 neighbours and two cells along each axis; of opposite steps only one. */
const steps = [
  ...Array.from({ length: 13 }, (_, n) => [
    ((n + 14) % 3) - 1,
    (Math.floor((n + 14) / 3) % 3) - 1,
    Math.floor((n + 14) / 9) - 1,
  ]),
  ...[0, 1, 2].map((axis) => [0, 1, 2].map((other) => (other === axis ? 2 : 0))),
];
/** For each step all pairs of cells (x fastest) inside one block. */
const pairs = steps.map((step) =>
  Array.from({ length: blockCells ** 3 }, (_, from) => from).flatMap((from) => {
    const to = [
      from % blockCells,
      Math.floor(from / blockCells) % blockCells,
      Math.floor(from / blockCells ** 2),
    ].map((n, axis) => n + step[axis]);
    const isWithin = to.every((n) => n >= 0 && n < blockCells);
    return isWithin ? [from, (to[2] * blockCells + to[1]) * blockCells + to[0]] : [];
  }),
);

/** For each step and block, half of the mean squared difference of its pairs (a variogram). */
type Steps = number[][];

/** Sums over blocks that are surrounded by their own kind. */
export class FineStructure {
  private readonly air: Steps = steps.map(() => []);
  private readonly material: Steps = steps.map(() => []);
  /** mean of the darkest cells of each block of material */
  private readonly dark: number[] = [];
  private readonly cells = new Float64Array(blockCells ** 3);
  private readonly waves: FineSpectrum;

  /** @param slabs number of groups of planes */
  constructor(slabs: number) {
    this.waves = new FineSpectrum(slabs);
  }

  /** O(cells) of a hundred blocks of each kind. @param inner blocks in the slab that are surrounded by their own kind */
  add(slab: DetailSlab, inner: { air: readonly number[]; material: readonly number[] }): void {
    this.waves.add(slab, inner.air);
    for (const kind of ['air', 'material'] as const) {
      const every = Math.ceil(inner[kind].length / maxPerSlab);
      for (let n = 0; n < inner[kind].length; n += every) {
        readBlock(slab, inner[kind][n], this.cells);
        for (const [step, ends] of pairs.entries()) this[kind][step].push(halfSquare(this.cells, ends));
        if (kind === 'air') continue;
        const sorted = this.cells.toSorted();
        this.dark.push(sorted.subarray(0, darkest).reduce((sum, value) => sum + value, 0) / darkest);
      }
    }
  }

  /**
   * White noise gives all steps the same value, and grained noise the values that air has. A periodic structure gives 0 along itself and
   * up to twice its variance, the square of its amplitude, across.
   * @param air its grey value
   * @param blur standard deviation in cells; null if unknown
   * @returns the larger amplitude as a share of the contrast, 0 where the gaps show as air; null if too few blocks lie deep in either
   */
  find(air: number, contrast: number, blur: number | null): number | null {
    const waves = this.waves.find(contrast, blur);
    const isFew = (['air', 'material'] as const).some((kind) => this[kind][0].length < minBlocks[kind]);
    if (isFew) return waves;
    const [inAir, inMaterial] = [this.air, this.material].map((kind) => kind.map(median));
    const noise = Math.min(...inMaterial);
    const dark = (median(this.dark) + darkestDeviations * Math.sqrt(noise) - air) / contrast;
    if (dark < minDarkness) return 0;
    const least = Math.min(...inMaterial.map((value, step) => (inAir[step] > 0 ? value / inAir[step] : 0)));
    const most = Math.max(...inMaterial.map((value, step) => value - least * inAir[step]));
    const scatter = this.material.map((values, step) =>
      median(values.map((value) => Math.abs(value - inMaterial[step]))),
    );
    const error = ((ofMedian / medianOfNormal) * Math.max(...scatter)) / Math.sqrt(this.dark.length);
    return Math.max(waves ?? 0, Math.sqrt(Math.max(0, most - errors * error)) / contrast);
  }
}

function readBlock(
  { values, dimensions: [nx, ny], first, blocks }: DetailSlab,
  at: number,
  cells: Float64Array,
): void {
  const [x, y, z] = findCorner(blocks, at);
  for (let n = 0; n < cells.length; n++)
    cells[n] = values[((z - first + (n >> 4)) * ny + y + ((n >> 2) & 3)) * nx + x + (n & 3)];
}

const findCorner = ({ size, first, stride }: BlockGrid, at: number): number[] =>
  [at % size[0], Math.floor(at / size[0]) % size[1], Math.floor(at / (size[0] * size[1]))].map(
    (n, axis) => first[axis] + n * stride,
  );

function halfSquare(cells: Float64Array, ends: readonly number[]): number {
  let sum = 0;
  for (let n = 0; n < ends.length; n += 2) sum += (cells[ends[n]] - cells[ends[n + 1]]) ** 2;
  return sum / ends.length;
}
