import type { Arena } from '../arena.ts';
import { inPieces, type KernelPool } from '../pool.ts';
import { kernelTasks } from '../task.ts';
import type { BitGrid } from './bit-layout.ts';

/** Farther than so many cells is not told. */
export const farthestCells = 254;
/** The square that stands for what is beyond the reach. */
export const beyondReach = 65_535;

export interface DistanceRequest {
  bits: number;
  /** to the nearest cell that is not set */
  invert?: boolean;
  /** cells, 254 at most: what is farther is given as `beyondReach` */
  reach: number;
}

export interface DistanceOptions {
  signal?: AbortSignal | undefined;
  progress?: ((fraction: number) => void) | undefined;
  /** planes at once; only tests set it, the result does not depend on it */
  slabPlanes?: number | undefined;
}

/** Bytes of distances along z that are held at a time, about. */
const heldBytes = 192 * 1024 ** 2;
/** Cells of a task of some hundredths of a second. */
const cellsAtOnce = 1e6;
const purpose = 'The distances';

/**
 * Squared Euclidean distances, in cells, of all cells of a grid to the nearest one that is set: exact. `work` gets planes
 * zFrom … zTo−1 of them, u16, in rows of 64 cells a word; what lies there is gone afterwards.
 * Memory: a byte a cell of some planes and of `reach` more on either side, and two a cell of a few; given back.
 * @see https://doi.org/10.1016/0031-3203(94)90133-3 (Saito, Toriwaki 1994)
 */
export async function squaredDistances(
  grid: BitGrid,
  { bits, invert = false, reach }: DistanceRequest,
  pool: KernelPool,
  arena: Arena,
  { signal, progress, slabPlanes }: DistanceOptions,
  work: (squared: number, zFrom: number, zTo: number) => Promise<void>,
): Promise<void> {
  if (!(reach >= 0 && reach <= farthestCells)) throw new RangeError(`distances reach ${farthestCells} cells`);
  const { memory } = arena;
  const mark = arena.mark();
  const { rows, planes, words } = grid;
  const planeCells = rows * words * 64;
  const most = slabPlanes ?? Math.max(32, reach, Math.floor(heldBytes / planeCells) - 2 * reach);
  const slab = Math.min(planes, most);
  const near = arena.allocate(Math.min(planes, slab + 2 * reach) * planeCells, purpose);
  const size = slabPlanes ?? Math.max(1, Math.floor(cellsAtOnce / planeCells));
  const flagBytes = 16 * Math.ceil(words / 8);
  const lanes = Array.from({ length: pool.threads }, () => ({
    squared: arena.allocate(2 * size * planeCells, purpose),
    scratch: arena.allocate((rows + 1) * words * 128 + rows * flagBytes + 2112, purpose),
  }));
  for (let zFrom = 0; zFrom < planes; zFrom += slab) {
    const zTo = Math.min(planes, zFrom + slab);
    const [first, last] = [Math.max(0, zFrom - reach), Math.min(planes, zTo + reach)];
    const common = { memory, grid: grid.at, near };
    const rowsAtOnce = Math.max(1, Math.floor((4 * cellsAtOnce) / ((last - first) * words * 64)));
    await inPieces(pool, { from: 0, to: rows, size: rowsAtOnce }, { signal }, (yFrom, yTo) =>
      pool.run(kernelTasks.distanceAlongZ, { ...common, bits, invert, first, last, yFrom, yTo }, { signal }),
    );
    const range = { from: zFrom, to: zTo, size };
    await inPieces(pool, range, { signal }, async (from, to, lane) => {
      const { squared, scratch } = lanes[lane];
      await pool.run(
        kernelTasks.distanceInPlanes,
        { ...common, from: from - first, to: to - first, reach, squared, scratch },
        { signal },
      );
      await work(squared, from, to);
      progress?.(to / planes);
    });
  }
  arena.release(mark);
}
