import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { encodeVoxels } from '../bytes/byte-order.ts';
import { bytesSource } from '../bytes/byte-source.ts';
import { openVolume } from '../open-volume.ts';
import { collect, listValues, smallVolume } from '../testing/collect.ts';
import { writeZip } from '../zip/write-zip.ts';
import { hintsFromName } from './hints-from-name.ts';
import type { RawSidecar } from './sidecar.ts';
import { writeRaw } from './write-raw.ts';

const values = new Uint16Array([1, 2, 3, 4, 50000, 60000]);
const hints = { dimensions: [3, 2, 1], dataType: 'uint16', voxelSizeMm: [1, 1, 2] } as const;
const given = {
  dimensions: [...hints.dimensions],
  dataType: hints.dataType,
  voxelSizeMm: [...hints.voxelSizeMm],
} as Parameters<typeof openVolume>[1];

describe('RAW', () => {
  it('reads according to the hints: byte order, header, gzip', async () => {
    const plain = bytesSource('a.raw', encodeVoxels(values, 'little'));
    expect(await listValues((await openVolume([plain], given)).slabs)).toEqual([...values]);
    const headed = bytesSource('a.raw', new Uint8Array([7, 7, 7, ...encodeVoxels(values, 'big')]));
    const opened = await openVolume([headed], { ...given, byteOrder: 'big', headerBytes: 3 });
    expect(await listValues(opened.slabs)).toEqual([...values]);
    const packed = bytesSource('a.raw.gz', new Uint8Array(gzipSync(encodeVoxels(values, 'little'))));
    expect(await listValues((await openVolume([packed], given)).slabs)).toEqual([...values]);
  });

  it('asks for everything that is missing at once, and suggests values from the file name', async () => {
    const file = bytesSource('part_3x2x1_uint16.raw', encodeVoxels(values, 'little'));
    await expect(openVolume([file])).rejects.toMatchObject({
      code: 'INPUT_INCOMPLETE',
      missing: ['dimensions', 'dataType', 'voxelSizeMm'],
      suggested: { dimensions: [3, 2, 1], dataType: 'uint16' },
    });
  });

  it('reports how the size of the file and the hints disagree', async () => {
    const short = bytesSource('a.raw', new Uint8Array(11));
    await expect(openVolume([short], given)).rejects.toThrow(/need 12 bytes, but there are 11/);
    const long = bytesSource('a.raw', new Uint8Array(16));
    await expect(openVolume([long], given)).rejects.toThrow(/the file has 16, 4 more.*headerBytes \(4/);
    const packed = (bytes: number) =>
      bytesSource('a.raw.gz', new Uint8Array(gzipSync(new Uint8Array(bytes))));
    await expect(openVolume([packed(16)], given)).rejects.toThrow(/the file has 16, 4 more/);
    await expect(openVolume([packed(10)], { ...given, dimensions: [4000, 4000, 4000] })).rejects.toThrow(
      /cannot hold/,
    );
  });

  it('reads sizes from names only when they fit the file', () => {
    expect(hintsFromName('scan_100_200_300.raw', 6_000_000)).toEqual({
      dimensions: [100, 200, 300],
      dataType: 'uint8',
    });
    expect(hintsFromName('scan_512x512x3-float32.raw')).toEqual({
      dimensions: [512, 512, 3],
      dataType: 'float32',
    });
    expect(hintsFromName('scan.raw', 100)).toEqual({});
  });

  it('needs no input when its sidecar is present', async () => {
    const volume = smallVolume(
      'int16',
      Int16Array.from({ length: 140 }, (_, i) => i - 70),
    );
    const { data: _, ...grid } = volume;
    const sidecar: RawSidecar = {
      ...grid,
      format: 'scanwright-raw',
      dataFile: 'volume.raw',
      dataType: 'int16',
      byteOrder: 'little',
      headerBytes: 0,
    };
    const archive = await collect(
      writeZip([
        { path: 'v/volume.raw', data: writeRaw(makeSlabs(volume)) },
        {
          path: 'v/volume.json',
          data: new TextEncoder().encode(JSON.stringify(sidecar)),
        },
        { path: '__MACOSX/v/._volume.raw', data: new Uint8Array(9) },
      ]),
    );
    const opened = await openVolume([bytesSource('a.zip', archive)]);
    expect(opened.grid.voxelSizeMm).toEqual(volume.voxelSizeMm);
    expect(opened.grid.originMm).toEqual(volume.originMm);
    expect(await listValues(opened.slabs)).toEqual([...volume.data]);
  });
});
