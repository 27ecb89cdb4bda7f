import type { Address } from '../simd/webassembly.ts';

/**
 * Location of a surface's topology in the arena: bits of its cells, rows of numbers, a row of zeros, the case table.
 */
export interface SurfaceLayout {
  /** address of the struct that kernels read */
  at: Address<'Surface'>;
  bits: number;
  /** size of the bits */
  bytes: number;
  words: number;
  rows: number;
}
