import { bytesPerVoxel, type SlabSource, type Volume, type VoxelArray } from './volume.ts';

/** Slab size for writers. */
const slabBytes = 8 << 20;

/** The slabs of a volume in order, some megabytes each; shared by all writers. */
export async function* slabsInOrder(source: SlabSource, signal?: AbortSignal): AsyncGenerator<VoxelArray> {
  const [nx, ny, nz] = source.grid.dimensions;
  const planes = Math.max(1, Math.floor(slabBytes / (nx * ny * bytesPerVoxel[source.dataType])));
  for (let z = 0; z < nz; z += planes) {
    signal?.throwIfAborted();
    yield await source.readSlab(z, Math.min(nz, z + planes), signal);
  }
}

/** Size of all grey values in bytes. */
export const voxelBytes = ({ dimensions, dataType }: Pick<Volume, 'dimensions' | 'dataType'>): number =>
  dimensions[0] * dimensions[1] * dimensions[2] * bytesPerVoxel[dataType];
