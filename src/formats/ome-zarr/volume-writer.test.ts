import { readFile, truncate } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { BlobNotFound, type BlobSource, type BlobStore } from '#storage/blobs/blob-store.ts';
import { crc32c } from '../bytes/crc32.ts';
import { filled, grid, hash, openVolumeFolder } from './testing/volume-folder.ts';
import { openVolumeReader } from './volume-reader.ts';
import { createVolumeWriter } from './volume-writer.ts';

let folder: Awaited<ReturnType<typeof openVolumeFolder>>;
beforeAll(async () => {
  folder = await openVolumeFolder();
});
afterAll(() => folder.remove());

describe('the writer', () => {
  it('exposes nothing of a volume before it is finished or after it is discarded', async () => {
    const writer = createVolumeWriter(folder.store, 'volumes/half', {
      ...grid([10, 10, 4]),
      dataType: 'uint8',
    });
    await writer.append(new Uint8Array(300));
    await expect(openVolumeReader(folder.store, 'volumes/half')).rejects.toThrow(BlobNotFound);
    await expect(writer.finish()).rejects.toThrow('the volume has 4 planes and only 3 were given');
    await writer.discard();
    for await (const { key } of folder.store.list('volumes/half/')) expect.unreachable(`${key} is left`);
  });

  it('refuses planes that do not fit', async () => {
    const writer = createVolumeWriter(folder.store, 'volumes/misfit', {
      ...grid([10, 10, 4]),
      dataType: 'uint8',
    });
    await expect(writer.append(new Uint8Array(150))).rejects.toThrow(
      'a plane has 10 × 10 values and the volume 4 planes',
    );
    await expect(writer.append(new Uint8Array(500))).rejects.toThrow(RangeError);
    await expect(writer.append(new Uint16Array(100))).rejects.toThrow(
      'planes are Uint16Array, the volume holds uint8',
    );
  });

  it('stops when aborted, and reports the error of the store', async () => {
    const abort = new AbortController();
    const writer = createVolumeWriter(folder.store, 'volumes/stopped', {
      ...grid([10, 10, 4]),
      dataType: 'uint8',
      signal: abort.signal,
    });
    abort.abort(new Error('cancelled'));
    await expect(writer.append(new Uint8Array(100))).rejects.toThrow('cancelled');
    const full: BlobStore = { ...folder.store, putPart: () => Promise.reject(new Error('no space left')) };
    const failing = createVolumeWriter(full, 'volumes/full', { ...grid([10, 10, 4]), dataType: 'uint8' });
    await expect(failing.append(new Uint8Array(400)).then(() => failing.finish())).rejects.toThrow(
      'no space left',
    );
  });

  it('writes what Zarr v3 and OME-Zarr 0.5 require', async () => {
    const reader = await folder.written(
      new Uint16Array(130 * 3 * 2),
      'uint16',
      grid([130, 3, 2], { voxelSizeMm: [0.1, 0.2, 0.3] }),
    );
    const read = async (name: string) =>
      JSON.parse(await readFile(path.join(folder.directory, reader.key, name), 'utf8'));
    expect(await read('0/zarr.json')).toMatchObject({
      zarr_format: 3,
      node_type: 'array',
      shape: [2, 3, 130],
      data_type: 'uint16',
      chunk_grid: { name: 'regular', configuration: { chunk_shape: [2, 3, 192] } },
      codecs: [
        {
          name: 'sharding_indexed',
          configuration: {
            chunk_shape: [2, 3, 64],
            codecs: [{ name: 'bytes', configuration: { endian: 'little' } }],
            index_codecs: [{ name: 'bytes', configuration: { endian: 'little' } }, { name: 'crc32c' }],
            index_location: 'end',
          },
        },
      ],
    });
    const { attributes } = await read('zarr.json');
    expect(attributes.ome.version).toBe('0.5');
    expect(attributes.ome.multiscales[0].datasets[1].coordinateTransformations[0]).toEqual({
      type: 'scale',
      scale: [0.6, 0.4, 0.2],
    });
  });

  it('ends each file with the index that Zarr reads it by', async () => {
    expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
    const dimensions: Vector3 = [300, 70, 66];
    const voxels = filled(dimensions, 'uint16', hash);
    const { key } = await folder.written(voxels, 'uint16', grid(dimensions), 66);
    // Reads the file from the specification alone.
    const shardOf = [256, 128, 128];
    const inner = [64, 64, 64];
    const across = shardOf.map((n, axis) => n / inner[axis]);
    for (const [x, y, z] of [
      [0, 0, 0],
      [255, 69, 65],
      [256, 0, 65],
      [299, 64, 1],
    ]) {
      const file = await readFile(path.join(folder.directory, key, `0/c/0/0/${Math.floor(x / 256)}`));
      const indexBytes = 16 * across[0] * across[1] * across[2];
      const index = file.subarray(file.byteLength - indexBytes - 4, file.byteLength - 4);
      expect(file.readUInt32LE(file.byteLength - 4)).toBe(crc32c(index));
      const [i, j, k] = [x % 256, y, z];
      const entry =
        16 * ((Math.floor(k / 64) * across[1] + Math.floor(j / 64)) * across[0] + Math.floor(i / 64));
      expect(index.readBigUInt64LE(entry + 8)).toBe(BigInt(64 ** 3 * 2));
      const at = ((k % 64) * 64 + (j % 64)) * 64 + (i % 64);
      const value = file.readUInt16LE(Number(index.readBigUInt64LE(entry)) + 2 * at);
      expect(value).toBe(voxels[(z * 70 + y) * 300 + x]);
      if (x >= 256) expect(index.readBigUInt64LE(16)).toBe(0xffff_ffff_ffff_ffffn);
    }
  });
});

it('reuses the memory of chunks, and leaves no old values beyond the volume', async () => {
  const dimensions: Vector3 = [70, 64, 64 * 30 + 5];
  const used = new Map<number, Set<ArrayBufferLike>>();
  const store: BlobStore = {
    ...folder.store,
    flush: (prefix) => folder.store.flush(prefix),
    put: (key, source) => folder.store.put(key, source),
    putPart: (key, source) => folder.store.putPart(key, passing(source)),
  };
  async function* passing(source: BlobSource) {
    for await (const part of source instanceof Uint8Array ? [source] : source) {
      used.set(part.byteLength, (used.get(part.byteLength) ?? new Set()).add(part.buffer));
      yield part;
    }
  }
  const chunk = 64 ** 3 * 2;
  const writer = createVolumeWriter(store, 'volumes/anew', { ...grid(dimensions), dataType: 'uint16' });
  const planes = new Uint16Array(70 * 64 * 8).fill(7);
  for (let z = 0; z < dimensions[2]; z += 8)
    await writer.append(planes.subarray(0, 70 * 64 * Math.min(8, dimensions[2] - z)));
  await writer.finish();
  // Of 62 chunks of the volume itself; those of coarser levels have another size.
  expect(used.get(chunk)?.size).toBeLessThan(31);
  const last = await readFile(path.join(folder.directory, 'volumes/anew/0/c/7/0/0'));
  const value = (x: number, y: number, z: number) =>
    last.readUInt16LE(chunk * (2 * 2 + Math.floor(x / 64)) + 2 * ((z * 64 + y) * 64 + (x % 64)));
  expect([value(69, 63, 4), value(70, 63, 4), value(127, 0, 0), value(0, 0, 5), value(63, 63, 63)]).toEqual([
    7, 0, 0, 0, 0,
  ]);
});

describe('a damaged volume', () => {
  it('is named, not read as zeros', async () => {
    const reader = await folder.written(new Uint8Array(1000), 'uint8', grid([10, 10, 10]));
    await truncate(path.join(folder.directory, reader.key, '0/c/0/0/0'), 900);
    await expect(reader.readSlab(0, 0, 10)).rejects.toThrow('the volume is damaged');
    const load = reader.slabs(0).boxes.read([0, 0, 0], [10, 10, 10], (box) => box.load(new Uint8Array(1000)));
    await expect(load).rejects.toThrow('the volume is damaged: ');
    await folder.store.delete(`${reader.key}/0/c/0/0/0`);
    await expect(reader.readSlab(0, 0, 10)).rejects.toThrow(BlobNotFound);
  });
});
