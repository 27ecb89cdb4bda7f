/** What a reconstruction runs on threads; see ../tasks.ts. */
import type { Kernels, WasmMemory } from '../simd/webassembly.ts';
import {
  type FilterSetup,
  filterProjections,
  type ProjectionLayout,
  virtualIntegrals,
} from './filter-projections.ts';
import type { AngleCover } from './geometry.ts';
import { type SliceScan, sliceCost } from './slice-cost.ts';

interface OnArena {
  memory: WasmMemory;
}

export const reconstructionTasks = {
  /** Adds the line integrals of virtual rows rowFrom … rowTo−1, weighted, to `sums` (f64); keeps row `keptRow` in `kept`. */
  surveyRows(
    kernels: Kernels,
    input: OnArena & {
      layout: ProjectionLayout;
      raw: number;
      projectionBytes: number;
      weights: number[];
      rowFrom: number;
      rowTo: number;
      sums: number;
      keptRow: number;
      kept: number;
    },
  ): void {
    const { buffer } = kernels.memory;
    const { layout, rowFrom, rowTo, keptRow } = input;
    const { columns, rows, map } = layout;
    const scratch = new Float32Array(columns * (map ? rows : rowTo - rowFrom));
    const integrals = new Float32Array(columns * (rowTo - rowFrom));
    const sums = new Float64Array(buffer, input.sums + 8 * rowFrom * columns, integrals.length);
    for (const [p, weight] of input.weights.entries()) {
      virtualIntegrals(
        buffer,
        layout,
        input.raw + p * input.projectionBytes,
        rowFrom,
        rowTo,
        scratch,
        integrals,
      );
      for (let i = 0; i < sums.length; i++) sums[i] += weight * integrals[i];
      if (keptRow < rowFrom || keptRow >= rowTo) continue;
      const from = (keptRow - rowFrom) * columns;
      new Float32Array(buffer, input.kept + 4 * p * columns, columns).set(
        integrals.subarray(from, from + columns),
      );
    }
  },

  filterProjections(
    kernels: Kernels,
    input: OnArena & {
      setup: FilterSetup;
      cover: AngleCover;
      raw: number;
      projectionBytes: number;
      anglesDeg: number[];
      weights: number[];
      target: number;
    },
  ): void {
    filterProjections(kernels.memory.buffer, input.setup, input.cover, input);
  },

  backProject(
    kernels: Kernels,
    input: OnArena & {
      volume: number;
      setup: number;
      angles: number;
      filtered: number;
      count: number;
      jFrom: number;
      jTo: number;
      scratch: number;
    },
  ): void {
    const { volume, setup, angles, filtered, count, jFrom, jTo, scratch } = input;
    kernels.backProject(volume, setup, angles, filtered, count, jFrom, jTo, scratch);
  },

  turnPlanes(
    kernels: Kernels,
    input: OnArena & {
      volume: number;
      planes: number;
      size: [number, number, number];
      kFrom: number;
      kTo: number;
      jFrom: number;
      jTo: number;
      radius2: number;
    },
  ): void {
    const { volume, planes, size, kFrom, kTo, jFrom, jTo, radius2 } = input;
    kernels.turnPlanes(volume, planes, ...size, kFrom, kTo, jFrom, jTo, radius2);
  },

  sliceCost(
    kernels: Kernels,
    input: OnArena & { scan: SliceScan; sinogram: number; column: number; cells: number },
  ): number {
    const { scan, column, cells } = input;
    const length = scan.columns * scan.anglesDeg.length;
    return sliceCost(scan, new Float32Array(kernels.memory.buffer, input.sinogram, length), column, cells);
  },
};
