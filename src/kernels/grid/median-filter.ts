import type { KernelPool } from '../arena.ts';
import { planeReader } from './plane-reader.ts';
import { wholeGrid } from './region.ts';
import { bytesPerVoxel, type SlabSource, voxelArray } from './volume.ts';

/**
 * A volume behind a 3 × 3 × 3 median filter, computed on read: it is never in memory whole, and the result is the same
 * to the last bit for any region, chunk size and number of threads. Grid and data type are unchanged. Border cells are
 * repeated beyond the border (SciPy's mode `nearest`, like our Gaussian filter). NaN stays NaN and is ignored by its
 * neighbours, which get the median of the other cells, the lower of two middle ones. Negative zero becomes positive.
 *
 * All 27 cells have equal weight, whatever the voxel edges. Noise falls to 0.25 times its standard deviation, single
 * outliers are removed, flat edges stay in place; round edges with a radius of few cells shrink, and structures thinner
 * than two cells vanish.
 * @see https://doi.org/10.1145/1468075.1468121
 */
export function medianFiltered(source: SlabSource, pool: KernelPool): SlabSource {
  const filtered: SlabSource = {
    grid: source.grid,
    dataType: source.dataType,
    medianSource: source,
    readSlab: (zStart, zEnd) =>
      pool.withArena(async (arena) => {
        const [nx, ny] = source.grid.dimensions;
        const planes = zEnd - zStart;
        const purpose = 'The median filter';
        const bytes = nx * ny * planes * bytesPerVoxel[source.dataType];
        const address = arena.allocate(bytes, purpose);
        const read = planeReader(filtered, wholeGrid(source.grid), arena, { planes, purpose });
        await read({ address, first: zStart }, zStart, zEnd);
        const slab = voxelArray(source.dataType, nx * ny * planes);
        new Uint8Array(slab.buffer).set(arena.bytes(address, bytes));
        return slab;
      }),
  };
  return filtered;
}
