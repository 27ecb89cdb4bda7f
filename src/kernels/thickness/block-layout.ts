import type { Vector3 } from '../grid/volume.ts';
import type { Address } from '../simd/webassembly.ts';

/**
 * The surroundings of a surface: blocks of 8³ grid points with their grey values and how many cells lie between each of
 * them and the nearest air along any axis (chessboard distance); of blocks further away only whether they are air, or the
 * least depth in them. What rays look at, and as far as they go through without looking. A table of addresses or depths, see
 * simd/assembly/blocks.ts.
 */
export interface SurfaceBlocks {
  /** of what kernels read of them */
  at: Address<'Blocks'>;
  table: number;
  /** along x, y and z */
  size: Vector3;
}
