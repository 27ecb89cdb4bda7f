import type { SlabSource } from '#kernels/grid/volume.ts';
import { bytesFromVoxels } from '../bytes/byte-order.ts';
import { slabsInOrder } from '../volume/slab-walk.ts';

/** The grey values alone, little endian, x fastest; what they mean is in `rawSidecar`. */
export async function* writeRaw(source: SlabSource, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const slab of slabsInOrder(source, signal)) yield bytesFromVoxels(slab, 'little');
}
