/** Whether noise is lopsided, as a curve leaves it that grey values went through. */
import { blockCells } from './block-grid.ts';
import { median } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/** Blocks of air and of material that are looked at in each slab, at most, and in all, at least. */
const mostOfSlab = 3000;
const fewestBlocks = 100;
/** Standard errors that it has to differ from even noise by. */
const errors = 3.5;
/** Below this share of the contrast noise is no more than what streaks leave between voxels. */
const leastNoise = 0.022;
/** Deviations of the noise beyond which grey values count as so far off: what is cut off farther out says nothing. */
const reach = 2;
/** Variance of a voxel less the mean of the four beside it, over that of a voxel. */
const ofFour = 1.25;
/** Of noise of variance 1 that a curve y = x + a x² / 2 bends: mean of the third powers of those differences, within that reach, over a. */
const ofCurve = 0.86;
/** How blocks are numbered that are even: air and material. */
const kinds = [1, 2] as const;

/** The noise within blocks that lie among their like. */
export class NoiseShape {
  private readonly squares: Record<number, number[]> = { 1: [], 2: [] };
  private readonly cubes: Record<number, number[]> = { 1: [], 2: [] };

  /** Adds what of a slab is even. O(blocks), and cells of some thousand of them. */
  add(slab: DetailSlab): void {
    for (const kind of kinds) {
      const found = findInner(slab, kind);
      const every = Math.ceil(found.length / mostOfSlab);
      const looked = found.filter((_, n) => n % every === 0);
      const most = reach * Math.sqrt(ofFour) * median(looked.map((at) => slab.blocks.deviations[at]));
      for (const at of looked) this.addBlock(slab, kind, at, most);
    }
  }

  private addBlock(
    { values, dimensions: [nx, ny], first, blocks }: DetailSlab,
    kind: number,
    at: number,
    most: number,
  ): void {
    const { size, stride } = blocks;
    const x = blocks.first[0] + (at % size[0]) * stride;
    const y = blocks.first[1] + (Math.floor(at / size[0]) % size[1]) * stride;
    const z = blocks.first[2] + Math.floor(at / (size[0] * size[1])) * stride - first;
    let [squares, cubes] = [0, 0];
    for (let cell = 0; cell < blockCells ** 3; cell++) {
      const place = ((z + (cell >> 4)) * ny + y + ((cell >> 2) & 3)) * nx + x + (cell & 3);
      // Streaks and shading differ little from one voxel to the next.
      const beside = values[place - 1] + values[place + 1] + values[place - nx] + values[place + nx];
      const off = values[place] - beside / 4;
      const within = Math.max(-most, Math.min(most, off));
      squares += off * off;
      cubes += within * within * within;
    }
    this.squares[kind].push(squares / blockCells ** 3 / ofFour);
    this.cubes[kind].push(cubes / blockCells ** 3);
  }

  /**
   * By how much the middle between air and material is off where a curve made noise as lopsided: one whose slope changes by the
   * share s over a grey value moves the middle of a contrast c by s c² / 8.
   * @returns as a share of the contrast; 0 where noise is even as far as can be told, and where there is less than 2.2 % of the contrast of it
   */
  findShift(contrast: number): number {
    const shifts = kinds.map((kind) => {
      const cubes = this.cubes[kind];
      if (cubes.length < fewestBlocks) return 0;
      const mean = meanOf(cubes);
      const error = Math.sqrt(meanOf(cubes.map((cube) => (cube - mean) ** 2)) / cubes.length);
      const variance = meanOf(this.squares[kind]);
      if (variance < (leastNoise * contrast) ** 2 || Math.abs(mean) < errors * error) return 0;
      return ((mean / variance ** 2) * contrast) / (8 * ofCurve);
    });
    return shifts.reduce((most, shift) => (Math.abs(shift) > Math.abs(most) ? shift : most), 0);
  }
}

/** Blocks of a kind, wholly in the slab, with none but such around them. */
function findInner({ first, planes, blocks, levels: { even } }: DetailSlab, kind: number): number[] {
  const { size, stride } = blocks;
  const [bx, by, bz] = size;
  const from = Math.max(1, Math.ceil((first - blocks.first[2]) / stride));
  const to = Math.min(bz - 1, Math.floor((first + planes - blockCells - blocks.first[2]) / stride) + 1);
  const around = Array.from(
    { length: 27 },
    (_, n) => (n % 3) - 1 + ((Math.floor(n / 3) % 3) - 1) * bx + (Math.floor(n / 9) - 1) * bx * by,
  );
  const found: number[] = [];
  for (let k = from; k < to; k++) {
    for (let j = 1; j + 1 < by; j++) {
      for (let at = (k * by + j) * bx + 1; at < (k * by + j + 1) * bx - 1; at++)
        if (even[at] === kind && around.every((step) => even[at + step] === kind)) found.push(at);
    }
  }
  return found;
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
