/** What reading, filtering and counting grey values run on threads; see ../tasks.ts. */
import type { Kernels, WasmMemory } from '../simd/webassembly.ts';
import type { Vector3 } from './volume.ts';

interface OnArena {
  memory: WasmMemory;
}
interface Planes extends OnArena {
  zFrom: number;
  zTo: number;
}
interface Values extends OnArena {
  /** number of the data type, see `kindOf` */
  kind: number;
  address: number;
  count: number;
}

export const gridTasks = {
  /** A box of stored cells into whole planes of which `first` is the first one. */
  placeBox(
    kernels: Kernels,
    input: OnArena & {
      box: number;
      boxSize: Vector3;
      /** cell of the volume that it begins with */
      at: Vector3;
      bytesPerCell: number;
      target: number;
      size: [number, number];
      first: number;
    },
  ): void {
    const [x, y, z] = input.at;
    kernels.placeBox(
      input.box,
      ...input.boxSize,
      x,
      y,
      z - input.first,
      input.bytesPerCell,
      input.target,
      ...input.size,
    );
  },

  /** Copies bytes to a place that begins before them or lies elsewhere. */
  moveBytes(
    kernels: Kernels,
    { from, to, bytes }: OnArena & { from: number; to: number; bytes: number },
  ): void {
    kernels.copyBytes(to, from, bytes);
  },

  /** Whole planes behind a median filter of 3 × 3 × 3 cells; see grid/median-filter.ts. */
  medianPlanes(
    kernels: Kernels,
    input: Planes & {
      kind: number;
      /** where plane 0 of the volume lies, or would lie */
      source: number;
      target: number;
      size: Vector3;
      /** the others are left as they are */
      rows: [number, number];
      scratch: number;
    },
  ): void {
    const { kind, source, target, size, rows, zFrom, zTo, scratch } = input;
    kernels.medianPlanes(kind, source, ...size, ...rows, zFrom, zTo, target, scratch);
  },

  countValues(kernels: Kernels, input: Values & { counts: number }): void {
    kernels.countValues(input.kind, input.address, input.count, input.counts);
  },

  /** The greatest values of slabs across x, y and z, f64 from `greatest` on, are raised to those of some planes. */
  raiseGreatest(
    kernels: Kernels,
    input: OnArena & {
      kind: number;
      address: number;
      size: Vector3;
      z: number;
      greatest: Vector3;
      scratch: number;
    },
  ): void {
    kernels.raiseGreatest(
      input.kind,
      input.address,
      ...input.size,
      input.z,
      ...input.greatest,
      input.scratch,
    );
  },

  /** Lowest and highest finite value, and how many are finite; `result`: three f64 in the arena. */
  rangeOf(kernels: Kernels, input: Values & { result: number }): [number, number, number] {
    kernels.rangeOf(input.kind, input.address, input.count, input.result);
    const [low, high, finite] = new Float64Array(kernels.memory.buffer, input.result, 3);
    return [low, high, finite];
  },

  countBins(
    kernels: Kernels,
    input: Values & { min: number; max: number; bins: number; counts: number },
  ): void {
    kernels.countBins(input.kind, input.address, input.count, input.min, input.max, input.bins, input.counts);
  },

  halve(
    kernels: Kernels,
    input: OnArena & { kind: number; source: number; size: [number, number, number]; target: number },
  ): void {
    kernels.halve(input.kind, input.source, ...input.size, input.target);
  },
};
