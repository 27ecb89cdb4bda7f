import type { Vector3 } from '../grid/volume.ts';
import type { Address } from '../simd/webassembly.ts';

/**
 * One bit per cell of a region and of a margin around it, in the arena: rows of 64-bit words, y before z. Cell i, j, k
 * of the region is bit i + margin[0] of row (k + margin[2]) · rows + j + margin[1].
 */
export interface BitGrid {
  /** address of the struct that kernels read */
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
  /** address of the struct that kernels read */
  at: Address<'Components'>;
  /** u32 per row and one more: number of its first run */
  starts: number;
  /** u32 per run: first cell, last cell << 16 */
  runs: number;
  /** u32 per run: its component, from 0 in the order of their first runs */
  numbers: number;
  runCount: number;
  count: number;
}

/** Number of a component that is not a defect. */
export const dropped = 0xffffffff;

/** Properties of each component that follow from its runs. Positions are cells of the bit grid, margin included. */
export interface ComponentTable {
  voxels: Float64Array;
  /** lowest x y z, highest x y z of each component; the last cell is inclusive */
  boxes: Int32Array;
  /** 1 when the component has a cell that is set in the requested mask */
  marked: Uint8Array;
}
