import { slabsInOrder, voxelBytes } from '#kernels/grid/slab-walk.ts';
import type { SlabSource } from '#kernels/grid/volume.ts';
import { encodeVoxels } from '../bytes/byte-order.ts';
import type { VolumeWriter } from '../format.ts';

/** The grey values only, little endian, x fastest; a `RawSidecar` describes them. */
export async function* writeRaw(source: SlabSource, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const slab of slabsInOrder(source, signal)) yield encodeVoxels(slab, 'little');
}

export const rawWriter: VolumeWriter = {
  write: (slabs, { signal } = {}) => writeRaw(slabs, signal),
  sizeBytes: ({ grid, dataType }) => voxelBytes({ ...grid, dataType }),
};
