/** Keeps the most recently used volumes open, so that scrolling through slices reads each chunk once. */

import { ChunkCache } from '#formats/ome-zarr/chunk-cache.ts';
import { openVolumeReader, type VolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { BlobNotFound, type BlobStore } from '#storage/blobs/blob-store.ts';
import type { DataObjectRow } from '#storage/db/schema-data.ts';
import { Problem } from '../../http/problem.ts';

const MAX_OPEN = 8;
/** Bricks cut by an oblique plane of 1024 × 1024 voxels of 16 bits take up to 250 MB, which scrolling should read once. */
const CACHE_BYTES = 320 * 1024 * 1024;

export class OpenVolumes {
  readonly #store: BlobStore;
  /** shared by all volumes */
  readonly #cache = new ChunkCache(CACHE_BYTES);
  readonly #open = new Map<string, Promise<VolumeReader>>();

  constructor(store: BlobStore) {
    this.#store = store;
  }

  /** @throws Problem CONFLICT for a data object that is not a volume, or not complete */
  async get(row: DataObjectRow): Promise<VolumeReader> {
    const key = row.volumeKey;
    if (row.kind !== 'volume' || key === null)
      throw new Problem('CONFLICT', `this needs a volume; the data object is a ${row.kind}`);
    if (row.status !== 'completed')
      throw new Problem('CONFLICT', `the volume is ${row.status}, not completed`);
    const opening = this.#open.get(key) ?? openVolumeReader(this.#store, key, { cache: this.#cache });
    // Re-inserted, so that the first entry of the Map is the least recently used.
    this.#open.delete(key);
    this.#open.set(key, opening);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MAX_OPEN) break;
      this.#open.delete(oldest);
    }
    try {
      return await opening;
    } catch (error) {
      this.#open.delete(key);
      if (error instanceof BlobNotFound)
        throw new Problem('CONFLICT', 'the data of this volume no longer exists');
      throw error;
    }
  }
}
