import type { KernelPool } from '../pool.ts';
import { planeReader } from './plane-reader.ts';
import { wholeGrid } from './region.ts';
import { bytesPerVoxel, type SlabSource, voxelArray } from './volume.ts';

/**
 * A volume as it is behind a median filter of 3 × 3 × 3 cells, made as it is read: never whole in memory, and the same
 * to the last bit whatever is read at once, whichever region of it, on however many threads. Grid and type of grey values
 * stay. Beyond the volume's border its outermost cells go on (SciPy's mode `nearest`, as our Gauss filter). A cell without
 * value (NaN) stays so and has no say beside it: there it is the median of the others, the lower one of two in the middle.
 * A zero is given back as positive.
 *
 * Voxel edges are of no account, nor is what they measure: each of the 27 has one vote. Noise falls to 0.25 times its
 * standard deviation, single wild cells are gone, flat edges stay where they are; round ones of few cells' radius shrink,
 * and what is thinner than two cells goes.
 * @see https://doi.org/10.1145/1468075.1468121
 */
export function medianFiltered(source: SlabSource, pool: KernelPool): SlabSource {
  const filtered: SlabSource = {
    grid: source.grid,
    dataType: source.dataType,
    medianOf: source,
    readSlab: (zStart, zEnd, signal) =>
      pool.withArena(async (arena) => {
        const [nx, ny] = source.grid.dimensions;
        const planes = zEnd - zStart;
        const purpose = 'The median filter';
        const bytes = nx * ny * planes * bytesPerVoxel[source.dataType];
        const address = arena.allocate(bytes, purpose);
        const read = planeReader(filtered, wholeGrid(source.grid), pool, arena, { planes, purpose });
        await read({ address, first: zStart }, zStart, zEnd, signal);
        const slab = voxelArray(source.dataType, nx * ny * planes);
        new Uint8Array(slab.buffer).set(arena.bytes(address, bytes));
        return slab;
      }),
  };
  return filtered;
}
