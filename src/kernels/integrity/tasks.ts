/** What the search for defects runs on threads; see ../tasks.ts. */
import type { Vector3 } from '../grid/volume.ts';
import type { Kernels, WasmMemory } from '../simd/webassembly.ts';
import type { BitGrid, Components, ComponentTable } from './bit-layout.ts';
import { type MeasureSlabInput, measureSlab, type SlabMeasures } from './measure-slab.ts';
import { outerDistances, raiseLevels } from './outer-distance.ts';
import { gatherRuns, projectDefects } from './shape.ts';
import { sheetPlanes, sheetTotals } from './sheet-planes.ts';

interface OnBits {
  memory: WasmMemory;
  grid: BitGrid;
}
interface Planes extends OnBits {
  zFrom: number;
  zTo: number;
}

/** A function over the arena's bytes as a task. */
const onBuffer =
  <Input, Output>(work: (buffer: SharedArrayBuffer, input: Input) => Output) =>
  (kernels: Kernels, input: Input & { memory: WasmMemory }): Output =>
    work(kernels.memory.buffer, input);

export const integrityTasks = {
  /** Bits of the cells first … last−1 of the region that lie in a box of the volume's cells, for each threshold. */
  thresholdBox(
    kernels: Kernels,
    input: OnBits & {
      kind: number;
      bytesPerCell: number;
      address: number;
      /** the box's cells, and its place in the region */
      size: Vector3;
      at: Vector3;
      first: Vector3;
      last: Vector3;
      thresholds: readonly { level: number; invert: boolean; bits: number }[];
    },
  ): void {
    const { grid, at, first, last, size } = input;
    const skipped = first.map((n, k) => n - at[k]);
    for (const { level, invert, bits } of input.thresholds) {
      kernels.thresholdBox(
        input.kind,
        input.address + skipped[2] * size[0] * size[1] * input.bytesPerCell,
        input.bytesPerCell,
        size[0],
        size[1],
        skipped[0],
        skipped[1],
        ...first.map((n, k) => last[k] - n),
        level,
        Number(invert),
        bits,
        grid.words,
        grid.rows,
        ...first.map((n, k) => n + grid.margin[k]),
      );
    }
  },

  countRuns(kernels: Kernels, { grid, ...input }: Planes & { bits: number; starts: number }): void {
    const { words, rows } = grid;
    kernels.countRuns(input.bits, words, input.zFrom * rows, input.zTo * rows, input.starts);
  },

  /** Runs in each row → number of its first run, in place; gives how many there are. */
  sumRuns(kernels: Kernels, input: { memory: WasmMemory; starts: number; rowCount: number }): number {
    const starts = new Uint32Array(kernels.memory.buffer, input.starts, input.rowCount + 1);
    let sum = 0;
    for (let row = 0; row < input.rowCount; row++) {
      const count = starts[row];
      starts[row] = sum;
      sum += count;
    }
    starts[input.rowCount] = sum;
    return sum;
  },

  writeRuns(
    kernels: Kernels,
    { grid, ...input }: Planes & { bits: number; starts: number; runs: number; numbers: number },
  ): void {
    const { words, rows } = grid;
    const { bits, starts, runs, numbers } = input;
    kernels.writeRuns(bits, words, input.zFrom * rows, input.zTo * rows, starts, runs, numbers);
  },

  joinRuns(
    kernels: Kernels,
    input: Planes & { starts: number; runs: number; numbers: number; seamOnly: boolean; all26: boolean },
  ): void {
    const { starts, runs, numbers, grid } = input;
    const [seamOnly, all26] = [Number(input.seamOnly), Number(input.all26)];
    kernels.joinRuns(starts, runs, numbers, grid.rows, input.zFrom, input.zTo, seamOnly, all26);
  },

  numberRuns(kernels: Kernels, input: { memory: WasmMemory; numbers: number; runCount: number }): number {
    return kernels.numberRuns(input.numbers, input.runCount);
  },

  paintComponent(
    kernels: Kernels,
    { grid, components, ...input }: Planes & { components: Components; wanted: number; target: number },
  ): void {
    const { starts, runs, numbers } = components;
    const [from, to] = [input.zFrom * grid.rows, input.zTo * grid.rows];
    kernels.paintComponent(starts, runs, numbers, input.wanted, input.target, grid.words, from, to);
  },

  dilateBits(
    kernels: Kernels,
    input: Planes & {
      bits: number;
      invert: boolean;
      offsets: number;
      offsetCount: number;
      levels: number;
      reachY: number;
      reachZ: number;
      other: number;
      mode: number;
      target: number;
      scratch: number;
    },
  ): void {
    const { words, rows, planes } = input.grid;
    kernels.dilate(
      input.bits,
      Number(input.invert),
      words,
      rows,
      planes,
      input.zFrom,
      input.zTo,
      input.offsets,
      input.offsetCount,
      input.levels,
      input.reachY,
      input.reachZ,
      input.other,
      input.mode,
      input.target,
      input.scratch,
    );
  },

  /** Rows yFrom … yTo−1 of planes first … last−1; see distance.ts. */
  distanceAlongZ(
    kernels: Kernels,
    input: OnBits & {
      near: number;
      first: number;
      last: number;
      bits: number;
      invert: boolean;
      yFrom: number;
      yTo: number;
    },
  ): void {
    const { grid, first, last, yFrom, yTo, near } = input;
    const invert = Number(input.invert);
    kernels.distanceAlongZ(input.bits, invert, grid.words, grid.rows, first, last, yFrom, yTo, near);
  },

  /** Planes from … to−1 of those that `near` holds from plane `first` on. */
  distanceInPlanes(
    kernels: Kernels,
    input: OnBits & {
      near: number;
      first: number;
      from: number;
      to: number;
      reach: number;
      squared: number;
      scratch: number;
    },
  ): void {
    const { grid, near, first, from, to, reach, squared, scratch } = input;
    kernels.distanceInPlanes(near, grid.words, grid.rows, from - first, to - first, reach, squared, scratch);
  },

  /** Squared distances of planes zFrom … zTo−1 → bits of what lies within `limit` of them. */
  withinDistance(
    kernels: Kernels,
    input: Planes & { squared: number; limit: number; other: number; mode: number; target: number },
  ): void {
    const { grid, zFrom, zTo, squared, limit, other, mode, target } = input;
    const plane = grid.words * grid.rows;
    const offset = zFrom * plane * 8;
    kernels.withinDistance(squared, (zTo - zFrom) * plane, limit, other + offset, mode, target + offset);
  },

  combineBits(
    kernels: Kernels,
    input: { memory: WasmMemory; a: number; b: number; target: number; count: number; mode: number },
  ): void {
    kernels.combineBits(input.a, input.b, input.target, input.count, input.mode);
  },

  countBits(kernels: Kernels, input: { memory: WasmMemory; bits: number; count: number }): number {
    return kernels.countBits(input.bits, input.count);
  },

  /** Sizes and boxes of all components; `mask`: bits that mark whom they touch, 0 = none. */
  tabulate(kernels: Kernels, input: OnBits & { components: Components; mask: number }): ComponentTable {
    const { grid, components, mask } = input;
    const { buffer } = kernels.memory;
    const rowCount = grid.rows * grid.planes;
    const starts = new Uint32Array(buffer, components.starts, rowCount + 1);
    const runs = new Uint32Array(buffer, components.runs, components.runCount);
    const numbers = new Uint32Array(buffer, components.numbers, components.runCount);
    const words = grid.words * 2;
    const masked = mask === 0 ? null : new Uint32Array(buffer, mask, words * rowCount);
    const voxels = new Float64Array(components.count);
    const marked = new Uint8Array(components.count);
    const boxes = new Int32Array(components.count * 6);
    for (let c = 0; c < components.count; c++) boxes.fill(0x7fffffff, 6 * c, 6 * c + 3);
    let row = 0;
    for (let z = 0; z < grid.planes; z++) {
      for (let y = 0; y < grid.rows; y++, row++) {
        for (let i = starts[row]; i < starts[row + 1]; i++) {
          const [from, to, number] = [runs[i] & 0xffff, runs[i] >>> 16, numbers[i]];
          const box = 6 * number;
          voxels[number] += to - from + 1;
          if (from < boxes[box]) boxes[box] = from;
          if (y < boxes[box + 1]) boxes[box + 1] = y;
          if (z < boxes[box + 2]) boxes[box + 2] = z;
          if (to > boxes[box + 3]) boxes[box + 3] = to;
          if (y > boxes[box + 4]) boxes[box + 4] = y;
          boxes[box + 5] = z;
          if (!masked || marked[number]) continue;
          for (let x = from; x <= to; x++) {
            if ((masked[row * words + (x >> 5)] >>> (x & 31)) & 1) {
              marked[number] = 1;
              break;
            }
          }
        }
      }
    }
    return { voxels, boxes, marked };
  },

  /** Components → numbers of their defects. */
  renumber(
    kernels: Kernels,
    input: { memory: WasmMemory; numbers: number; runCount: number; map: Uint32Array },
  ): void {
    const numbers = new Uint32Array(kernels.memory.buffer, input.numbers, input.runCount);
    for (let i = 0; i < numbers.length; i++) numbers[i] = input.map[numbers[i]];
  },

  measureSlab(kernels: Kernels, input: MeasureSlabInput & { memory: WasmMemory }): SlabMeasures {
    return measureSlab(kernels, input);
  },

  /** Level 0 of an OuterIndex, blocks from … to−1 along z. */
  markOuter(
    kernels: Kernels,
    { grid, ...input }: OnBits & { outside: number; from: number; to: number; blocks: number },
  ): void {
    kernels.markOuter(input.outside, grid.words, grid.rows, grid.planes, input.from, input.to, input.blocks);
  },

  /** What lies within two cells of the bits and of what is not set. */
  rim(kernels: Kernels, input: Planes & { bits: number; target: number; scratch: number }): void {
    const { words, rows, planes } = input.grid;
    kernels.rim(input.bits, words, rows, planes, input.zFrom, input.zTo, input.target, input.scratch);
  },

  sheetPlanes: onBuffer(sheetPlanes),
  sheetTotals: onBuffer(sheetTotals),
  gatherRuns: onBuffer(gatherRuns),
  projectDefects: onBuffer(projectDefects),
  raiseLevels: onBuffer(raiseLevels),
  outerDistances: onBuffer(outerDistances),
} as const;
