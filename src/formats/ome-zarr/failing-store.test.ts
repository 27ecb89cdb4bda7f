/** A store that fails, as on a full disk: no write remains pending, and its files are closed. */
import { expect, it } from 'vitest';
import type { ByteStore } from '../bytes/byte-store.ts';
import { createVolumeWriter } from './volume-writer.ts';

/** Accepts the bytes of all files but one; reports the files that are still being written. */
function failingStore(refused: RegExp) {
  const open = new Set<string>();
  const deleted: string[] = [];
  const unused = () => Promise.reject(new Error('not used'));
  const store: ByteStore = {
    read: unused,
    readInto: unused,
    flush: async () => undefined,
    deleteAll: async (prefix) => void deleted.push(prefix),
    put: async (key, bytes) => store.putPart(key, bytes),
    putPart: async (key, bytes) => {
      open.add(key);
      try {
        if (!(bytes instanceof Uint8Array))
          for await (const part of bytes) expect(part.length).toBeGreaterThan(0);
        // A disk may become full only at the last bytes.
        if (refused.test(key)) throw new Error('ENOSPC');
      } finally {
        open.delete(key);
      }
    },
  };
  return { store, open, deleted };
}

it.each([
  ['at the coarser level', /\/v\/1\//],
  ['at one of many files of a level', /\/v\/0\/.*\/0$/],
  ['at the description', /\/v\/zarr\.json$/],
])('fails %s and leaves no file open', async (_, refused) => {
  const { store, open, deleted } = failingStore(refused);
  const writer = createVolumeWriter(store, 'volumes/v', {
    dimensions: [6000, 8, 8],
    voxelSizeMm: [1, 1, 1],
    originMm: [0, 0, 0],
    directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    dataType: 'uint8',
    levels: 2,
  });
  const write = async () => {
    await writer.append(new Uint8Array(6000 * 64)).catch(async (error: unknown) => {
      await writer.discard();
      throw error;
    });
    return writer.finish();
  };
  await expect(write()).rejects.toThrow('ENOSPC');
  expect([...open]).toEqual([]);
  expect(deleted).toEqual(['volumes/v/']);
});
