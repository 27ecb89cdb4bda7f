/** Tasks of the search for defects that run beside the kernels. */
import type { Vector3 } from '../grid/volume.ts';
import type { Kernels } from '../simd/webassembly.ts';
import { defineTask, type OnArena } from '../task.ts';
import { type BitGrid, type Components, type ComponentTable, dropped } from './bit-layout.ts';
import { type MeasureSlabInput, measureSlab, type SlabMeasures } from './measure-slab.ts';
import { findMouths } from './mouths.ts';
import { outerDistances, raiseLevels } from './outer-distance.ts';
import { gatherRuns, projectDefects } from './shape.ts';
import { sheetPlanes, sheetTotals } from './sheet-planes.ts';

interface ThresholdInput extends OnArena {
  grid: BitGrid;
  kind: number;
  bytesPerCell: number;
  address: number;
  /** size of the box in cells, and its position in the region */
  size: Vector3;
  at: Vector3;
  first: Vector3;
  last: Vector3;
  thresholds: readonly { level: number; invert: boolean; bits: number }[];
}

/**
 * Thresholds the cells first … last−1 of the region that lie in a box of the volume's cells; one bit per cell for each
 * threshold.
 */
export const thresholdCells = defineTask(
  import.meta.url,
  'thresholdCells',
  (kernels, input: ThresholdInput): void => {
    const { grid, at, first, last, size } = input;
    const [x0, y0, z0] = first.map((n, k) => n - at[k]);
    const [nx, ny, nz] = last.map((n, k) => n - first[k]);
    const [atX, atY, atZ] = first;
    const box = {
      kind: input.kind,
      source: input.address + z0 * size[0] * size[1] * input.bytesPerCell,
      bytes: input.bytesPerCell,
      sourceNx: size[0],
      sourceNy: size[1],
    };
    for (const threshold of input.thresholds) {
      kernels.thresholdBox({ ...box, ...threshold, x0, y0, nx, ny, nz, grid: grid.at, atX, atY, atZ });
    }
  },
);

/** Number of runs in each row → number of its first run, in place; returns the total. */
export const sumRuns = defineTask(
  import.meta.url,
  'sumRuns',
  ({ memory: { buffer } }, input: OnArena & { starts: number; rowCount: number }): number => {
    const starts = new Uint32Array(buffer, input.starts, input.rowCount + 1);
    let sum = 0;
    for (let row = 0; row < input.rowCount; row++) {
      const count = starts[row];
      starts[row] = sum;
      sum += count;
    }
    starts[input.rowCount] = sum;
    return sum;
  },
);

/** Sizes and bounding boxes of all components; `mask`: bits that mark the components that touch them, 0 = none. */
export const tabulate = defineTask(
  import.meta.url,
  'tabulate',
  (kernels, input: OnArena & { grid: BitGrid; components: Components; mask: number }): ComponentTable => {
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
);

/** Number of each component's cells that are set in `bits`. */
export const countWithin = defineTask(
  import.meta.url,
  'countWithin',
  (kernels, input: OnArena & { grid: BitGrid; components: Components; bits: number }): Float64Array => {
    const { grid, components } = input;
    const { buffer } = kernels.memory;
    const rowCount = grid.rows * grid.planes;
    const starts = new Uint32Array(buffer, components.starts, rowCount + 1);
    const runs = new Uint32Array(buffer, components.runs, components.runCount);
    const numbers = new Uint32Array(buffer, components.numbers, components.runCount);
    const words = grid.words * 2;
    const bits = new Uint32Array(buffer, input.bits, words * rowCount);
    const counts = new Float64Array(components.count);
    for (let row = 0; row < rowCount; row++) {
      for (let i = starts[row]; i < starts[row + 1]; i++) {
        for (let x = runs[i] & 0xffff; x <= runs[i] >>> 16; x++)
          counts[numbers[i]] += (bits[row * words + (x >> 5)] >>> (x & 31)) & 1;
      }
    }
    return counts;
  },
);

/** Replaces component numbers by defect numbers. */
export const renumber = defineTask(
  import.meta.url,
  'renumber',
  ({ memory }, input: OnArena & { numbers: number; runCount: number; map: Uint32Array }): void => {
    const numbers = new Uint32Array(memory.buffer, input.numbers, input.runCount);
    for (let i = 0; i < numbers.length; i++) numbers[i] = input.map[numbers[i]] ?? dropped;
  },
);

/** Copies the bits of some planes without the margin around the region. */
export const clearMargin = defineTask(
  import.meta.url,
  'clearMargin',
  (
    { memory: { buffer } },
    input: OnArena & { grid: BitGrid; bits: number; target: number; zFrom: number; zTo: number },
  ): void => {
    const { margin, cells, rows } = input.grid;
    const words = 2 * input.grid.words;
    const source = new Uint32Array(buffer, input.bits, words * rows * input.grid.planes);
    const target = new Uint32Array(buffer, input.target, words * rows * input.grid.planes);
    target.fill(0, words * rows * input.zFrom, words * rows * input.zTo);
    const [first, last] = [margin[0], margin[0] + cells[0] - 1];
    const keep = Uint32Array.from({ length: words }, (_, word) => {
      const from = Math.max(0, first - 32 * word);
      const to = Math.min(31, last - 32 * word);
      return from > 31 || to < 0 ? 0 : (0xffffffff >>> (31 - to)) & (0xffffffff << from);
    });
    const zFrom = Math.max(input.zFrom, margin[2]);
    const zTo = Math.min(input.zTo, margin[2] + cells[2]);
    for (let z = zFrom; z < zTo; z++) {
      for (let y = margin[1]; y < margin[1] + cells[1]; y++) {
        const row = words * (z * rows + y);
        for (let word = 0; word < words; word++) target[row + word] = source[row + word] & keep[word];
      }
    }
  },
);

export const measurePlanes = defineTask(
  import.meta.url,
  'measurePlanes',
  (kernels, input: OnArena & MeasureSlabInput): SlabMeasures => measureSlab(kernels, input),
);

/** A function over the arena's buffer as a task. */
const onBuffer = <Input, Output>(name: string, work: (buffer: SharedArrayBuffer, input: Input) => Output) =>
  defineTask(import.meta.url, name, (kernels: Kernels, input: Input & OnArena) =>
    work(kernels.memory.buffer, input),
  );

export const findSheetPlanes = onBuffer('findSheetPlanes', sheetPlanes);
export const sumSheets = onBuffer('sumSheets', sheetTotals);
export const listRuns = onBuffer('listRuns', gatherRuns);
export const projectRuns = onBuffer('projectRuns', projectDefects);
export const raiseOuterLevels = onBuffer('raiseOuterLevels', raiseLevels);
export const listMouths = onBuffer('listMouths', findMouths);
export const measureOuterDistances = onBuffer('measureOuterDistances', outerDistances);
