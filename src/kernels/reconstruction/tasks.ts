import { defineTask, type OnArena } from '../task.ts';
import {
  type FilterInput,
  type FilterSetup,
  filterProjections,
  type ProjectionLayout,
  virtualIntegrals,
} from './filter-projections.ts';
import type { AngleCover } from './geometry.ts';
import { type SliceScan, sliceCost } from './slice-cost.ts';

/**
 * Adds the weighted line integrals of virtual rows rowFrom … rowTo−1 to `sums` (f64), and with alternating signs from
 * `firstView` on to `alternating`; stores row `keptRow` in `kept`.
 */
export const surveyRows = defineTask(
  import.meta.url,
  'surveyRows',
  (
    kernels,
    input: OnArena & {
      layout: ProjectionLayout;
      raw: number;
      projectionBytes: number;
      weights: number[];
      rowFrom: number;
      rowTo: number;
      firstView: number;
      sums: number;
      alternating: number;
      keptRow: number;
      kept: number;
    },
  ): void => {
    const { buffer } = kernels.memory;
    const { layout, rowFrom, rowTo, keptRow } = input;
    const { columns } = layout;
    const scratch = new Float32Array(columns * (rowTo - rowFrom));
    const integrals = new Float32Array(columns * (rowTo - rowFrom));
    const sums = new Float64Array(buffer, input.sums + 8 * rowFrom * columns, integrals.length);
    const alternating = new Float64Array(buffer, input.alternating + 8 * rowFrom * columns, integrals.length);
    for (const [p, weight] of input.weights.entries()) {
      virtualIntegrals(buffer, layout, input.raw + p * input.projectionBytes, null, [rowFrom, rowTo], {
        scratch,
        out: integrals,
      });
      const signed = (input.firstView + p) % 2 === 0 ? weight : -weight;
      for (let i = 0; i < sums.length; i++) {
        sums[i] += weight * integrals[i];
        alternating[i] += signed * integrals[i];
      }
      if (keptRow < rowFrom || keptRow >= rowTo) continue;
      const from = (keptRow - rowFrom) * columns;
      new Float32Array(buffer, input.kept + 4 * p * columns, columns).set(
        integrals.subarray(from, from + columns),
      );
    }
  },
);

export const filterInArena = defineTask(
  import.meta.url,
  'filterProjections',
  (kernels, input: OnArena & FilterInput & { setup: FilterSetup; cover: AngleCover }): void => {
    filterProjections(kernels.memory.buffer, input.setup, input.cover, input);
  },
);

export const estimateSliceCost = defineTask(
  import.meta.url,
  'sliceCost',
  (
    kernels,
    input: OnArena & { scan: SliceScan; sinogram: number; column: number; cells: number },
  ): number => {
    const { scan, column, cells } = input;
    const length = scan.columns * scan.anglesDeg.length;
    return sliceCost(scan, new Float32Array(kernels.memory.buffer, input.sinogram, length), column, cells);
  },
);
