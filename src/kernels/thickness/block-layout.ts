import type { Vector3 } from '../grid/volume.ts';
import type { Address } from '../simd/webassembly.ts';

/**
 * Neighbourhood of a surface for ray casting: blocks of 8³ grid points with their grey values and the number of cells
 * to the nearest air along any axis (chessboard distance). For blocks further away only whether they are air, or their
 * smallest depth: rays skip through these without reading grey values. A table of addresses or depths, see
 * simd/assembly/blocks.ts.
 */
export interface SurfaceBlocks {
  /** address of the struct that kernels read */
  at: Address<'Blocks'>;
  table: number;
  /** along x, y and z */
  size: Vector3;
}
