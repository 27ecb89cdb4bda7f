import { inPieces, type KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import type { ArenaSurface } from '../surface/extract.ts';
import type { GridLayout } from '../surface/grid-layout.ts';

/** Depths beyond this many cells are not told apart: a ray strides over so many at once. */
export const deepest = 32;

/**
 * How many cells lie between every grid point and the nearest air along any axis (chessboard distance), a byte each: as far
 * rays go through without looking. Memory: 1 byte a cell.
 */
export async function depthOf(
  grid: GridLayout,
  surface: ArenaSurface,
  pool: KernelPool,
  arena: Arena,
  signal?: AbortSignal,
): Promise<number> {
  const { memory } = arena;
  const [ny, nz] = [grid.cells[1] + 2, grid.cells[2] + 2];
  const depth = arena.allocate(grid.stride * ny * nz, 'The wall thickness');
  const common = { memory, grid, depth, cap: deepest };
  const atOnce = (across: number) => Math.max(1, Math.floor(8e6 / (grid.stride * across)));
  await inPieces(pool, { from: 0, to: ny, size: atOnce(nz) }, { signal }, (yFrom, yTo) =>
    pool.run('depthAlongZ', { ...common, surface: surface.layout, yFrom, yTo }, { signal }),
  );
  const scratch = Array.from({ length: pool.threads }, () =>
    arena.allocate((ny + 1) * grid.stride + 128, 'The wall thickness'),
  );
  await inPieces(pool, { from: 0, to: nz, size: atOnce(ny) }, { signal }, (zFrom, zTo, lane) =>
    pool.run('depthInPlanes', { ...common, zFrom, zTo, scratch: scratch[lane] }, { signal }),
  );
  return depth;
}
