import { inPieces, type KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import type { CellBox } from './region.ts';
import { bytesPerVoxel, type SlabSource } from './volume.ts';

export interface ReadPlanes {
  /** where planes first … last−1 of the volume lie, whole planes, x fastest; outside of the region they mean nothing */
  address: number;
  first: number;
  last: number;
}

export interface PlanesRead {
  /** planes of the volume; pieces of `size` */
  from: number;
  to: number;
  size: number;
  /** further planes that are read with each piece, on either side of it, as far as the region has them */
  before?: number;
  after?: number;
  /** who has asked for memory */
  purpose: string;
  signal?: AbortSignal | undefined;
  progress?: ((fraction: number) => void) | undefined;
}

/**
 * Runs `work` on pieces of a region's planes, which lie in the arena while it runs; as many at once as the pool has
 * threads. Memory: for each thread a piece, and the boxes on their way where the volume is stored in boxes; given back.
 */
export async function eachPlanes(
  source: SlabSource,
  cells: CellBox,
  pool: KernelPool,
  arena: Arena,
  { from, to, size, before = 0, after = 0, purpose, signal, progress }: PlanesRead,
  work: (zFrom: number, zTo: number, planes: ReadPlanes, lane: number) => Promise<void>,
): Promise<void> {
  const { memory } = arena;
  const { grid, boxes } = source;
  const [nx, ny] = grid.dimensions;
  const bytesPerCell = bytesPerVoxel[source.dataType];
  const planes = Math.min(cells.to[2] - cells.from[2], size + before + after);
  const boxBytes = boxes ? boxes.size[0] * boxes.size[1] * Math.min(planes, boxes.size[2]) * bytesPerCell : 0;
  const mark = arena.mark();
  const lanes = Array.from({ length: pool.threads }, () => ({
    target: arena.allocate(planes * nx * ny * bytesPerCell, purpose),
    free: Array.from({ length: boxes?.atOnce ?? 0 }, () => arena.allocate(boxBytes, purpose)),
  }));
  await inPieces(pool, { from, to, size }, { signal, progress }, async (zFrom, zTo, lane) => {
    const { target, free } = lanes[lane];
    const first = Math.max(cells.from[2], zFrom - before);
    const last = Math.min(cells.to[2], zTo + after);
    if (boxes) {
      await boxes.read(
        [cells.from[0], cells.from[1], first],
        [cells.to[0], cells.to[1], last],
        async (box) => {
          const address = free.pop();
          if (address === undefined) throw new Error('more boxes at once than was said');
          await box.load(arena.bytes(address, bytesPerCell * box.size.reduce((all, n) => all * n)));
          const place = { memory, box: address, boxSize: box.size, at: box.from, bytesPerCell };
          await pool.run('placeBox', { ...place, target, size: [nx, ny], first }, { signal });
          free.push(address);
        },
        signal,
      );
    } else {
      const slab = await source.readSlab(first, last, signal);
      arena.bytes(target, slab.byteLength).set(new Uint8Array(slab.buffer, slab.byteOffset, slab.byteLength));
    }
    await work(zFrom, zTo, { address: target, first, last }, lane);
  });
  arena.release(mark);
}
