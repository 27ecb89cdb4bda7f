import type { Vector3 } from '../grid/volume.ts';
import type { Address } from '../simd/webassembly.ts';

/**
 * One bit a cell of a region in a margin of further cells, in the arena: rows of 64-bit words, y before z.
 * Cell i, j, k of the region is bit i + margin[0] of row (k + margin[2]) · rows + j + margin[1].
 */
export interface BitGrid {
  /** of what kernels read of it */
  at: Address<'BitGrid'>;
  /** 64-bit words in a row */
  words: number;
  /** rows in a plane */
  rows: number;
  planes: number;
  margin: Vector3;
  /** cells of the region itself */
  cells: Vector3;
}

/** The connected components of a bit grid as runs along x, in the arena. */
export interface Components {
  /** of what kernels read of them */
  at: Address<'Components'>;
  /** u32 a row and one more: number of its first run */
  starts: number;
  /** u32 a run: first cell, last cell << 16 */
  runs: number;
  /** u32 a run: its component, from 0 in the order of their first runs */
  numbers: number;
  runCount: number;
  count: number;
}

/** The number of a component that is no defect. */
export const dropped = 0xffffffff;

/** What the runs alone say of each component. Places are cells of the bit grid, margin included. */
export interface ComponentTable {
  voxels: Float64Array;
  /** lowest x y z, highest x y z, one after another for each component; the last cell is inside */
  boxes: Int32Array;
  /** 1 when it has a cell set in the mask that was asked for */
  marked: Uint8Array;
}
