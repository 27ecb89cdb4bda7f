import { inPieces } from '../pool.ts';
import { kernelTasks } from '../task.ts';
import type { BitStage } from './bit-stage.ts';

/** Largest distance supported, in cells. */
export const farthestCells = 254;
/** Value that marks distances beyond the reach. */
export const beyondReach = 65_535;

export interface DistanceRequest {
  bits: number;
  /** distance to the nearest cell that is not set */
  invert?: boolean;
  /** in cells, at most 254; larger distances are given as `beyondReach` */
  reach: number;
}

/** Approximate number of bytes of distances along z held at a time. */
const heldBytes = 192 * 1024 ** 2;
/** Cells per task, for some thousandths of a second. */
const cellsAtOnce = 4e6;
const purpose = 'The distances';

/**
 * Exact squared Euclidean distance transform: the distance of every cell to the nearest set cell, in cells². `work`
 * receives planes zFrom … zTo−1 as u16, in rows of 64 cells per word; the buffer is reused afterwards. Temporary
 * memory: one byte a cell for some planes and for `reach` more on either side, and two bytes a cell for a few planes.
 * @see https://doi.org/10.1016/0031-3203(94)90133-3 (Saito, Toriwaki 1994)
 */
export async function squaredDistances(
  { bits, invert = false, reach }: DistanceRequest,
  { grid, arena, progress, slabPlanes }: BitStage,
  work: (squared: number, zFrom: number, zTo: number) => Promise<void>,
): Promise<void> {
  if (!(reach >= 0 && reach <= farthestCells))
    throw new RangeError(`the reach must be between 0 and ${farthestCells} cells`);
  const mark = arena.mark();
  const { rows, planes, words } = grid;
  const planeCells = rows * words * 64;
  const most = slabPlanes ?? Math.max(32, reach, Math.floor(heldBytes / planeCells) - 2 * reach);
  const slab = Math.min(planes, most);
  const near = arena.allocate(Math.min(planes, slab + 2 * reach) * planeCells, purpose);
  const size = slabPlanes ?? Math.max(1, Math.floor(cellsAtOnce / planeCells));
  const flagBytes = 16 * Math.ceil(words / 8);
  const lanes = Array.from({ length: arena.threads }, () => ({
    squared: arena.allocate(2 * size * planeCells, purpose),
    scratch: arena.allocate((rows + 1) * words * 128 + rows * flagBytes + 2112, purpose),
  }));
  for (let zFrom = 0; zFrom < planes; zFrom += slab) {
    const zTo = Math.min(planes, zFrom + slab);
    const [first, last] = [Math.max(0, zFrom - reach), Math.min(planes, zTo + reach)];
    const common = { grid: grid.at, near };
    const rowsAtOnce = Math.max(1, Math.floor(cellsAtOnce / ((last - first) * words * 64)));
    await inPieces(arena, { from: 0, to: rows, size: rowsAtOnce }, (yFrom, yTo) =>
      arena.run(kernelTasks.distanceAlongZ, { ...common, bits, invert, first, last, yFrom, yTo }),
    );
    const range = { from: zFrom, to: zTo, size };
    await inPieces(arena, range, async (from, to, lane) => {
      const { squared, scratch } = lanes[lane];
      await arena.run(kernelTasks.distanceInPlanes, {
        ...common,
        from: from - first,
        to: to - first,
        reach,
        squared,
        scratch,
      });
      await work(squared, from, to);
      progress?.(to / planes);
    });
  }
  arena.release(mark);
}
