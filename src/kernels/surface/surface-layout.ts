import type { Address } from '../simd/webassembly.ts';

/** Where what tells a surface's shape lies in the arena: bits of its cells, rows of numbers, a row of zeros, the table of cases. */
export interface SurfaceLayout {
  /** of what kernels read of it */
  at: Address<'Surface'>;
  bits: number;
  /** that the bits take */
  bytes: number;
  words: number;
  rows: number;
}
