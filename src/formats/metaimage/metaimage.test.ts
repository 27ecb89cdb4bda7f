import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bytesFromVoxels } from '../bytes/byte-order.ts';
import { bytesSource } from '../bytes/byte-source.ts';
import { openVolume } from '../import.ts';
import { textFile, valuesOf } from '../testing/collect.ts';

const values = new Float32Array([1.5, -2, 3, 4, 5, 6, 7, 1e30]);
const header = (lines: Record<string, string>, file = 'LOCAL') =>
  `${Object.entries({
    ObjectType: 'Image',
    NDims: '3',
    DimSize: '2 2 2',
    ElementSpacing: '0.1 0.2 0.3',
    ElementType: 'MET_FLOAT',
    ...lines,
  })
    .map(([key, value]) => `${key} = ${value}`)
    .join('\n')}\nElementDataFile = ${file}\n`;

describe('MetaImage', () => {
  it.each(['False', 'True'])('reads local data with most significant byte first: %s', async (msb) => {
    const data = bytesFromVoxels(values, msb === 'True' ? 'big' : 'little');
    const opened = await openVolume([
      textFile('a.mha', header({ BinaryData: 'True', BinaryDataByteOrderMSB: msb }), data),
    ]);
    expect(opened.grid.voxelSizeMm).toEqual([0.1, 0.2, 0.3]);
    expect(opened.dataType).toBe('float32');
    expect(await valuesOf(opened.slabs, 1)).toEqual([...values]);
  });

  it('reads zlib data, the offset and a turned frame', async () => {
    const packed = new Uint8Array(deflateSync(bytesFromVoxels(values, 'little')));
    const text = header({
      CompressedData: 'True',
      CompressedDataSize: String(packed.length),
      Offset: '1 2 3',
      TransformMatrix: '0 1 0 -1 0 0 0 0 1',
    });
    const opened = await openVolume([textFile('a.mha', text, packed)]);
    expect(opened.grid.originMm).toEqual([1, 2, 3]);
    expect(opened.grid.directions).toEqual([0, 1, 0, -1, 0, 0, 0, 0, 1]);
    expect(await valuesOf(opened.slabs)).toEqual([...values]);
  });

  it('finds detached data behind a header, counted from the end, and one file a plane', async () => {
    const body = bytesFromVoxels(values, 'little');
    const one = textFile('a.mhd', header({ HeaderSize: '-1' }, 'a.raw'));
    expect(
      await valuesOf((await openVolume([one, bytesSource('a.raw', new Uint8Array([9, 9, ...body]))])).slabs),
    ).toEqual([...values]);
    const planes = [bytesSource('p01.raw', body.slice(0, 16)), bytesSource('p02.raw', body.slice(16))];
    for (const file of ['p%02d.raw 1 2 1', 'LIST\np01.raw\np02.raw']) {
      expect(
        await valuesOf((await openVolume([textFile('b.mhd', header({}, file)), ...planes])).slabs),
      ).toEqual([...values]);
    }
  });

  it('asks for the voxel size when there is none', async () => {
    const text = header({}).replace(/ElementSpacing.*\n/, '');
    const file = textFile('a.mha', text, bytesFromVoxels(values, 'little'));
    await expect(openVolume([file])).rejects.toMatchObject({
      code: 'INPUT_INCOMPLETE',
      missing: ['voxelSizeMm'],
    });
  });

  it.each([
    ['four dimensions', header({ NDims: '4', DimSize: '2 2 2 2' }), /4 dimensions/],
    ['several channels', header({ ElementNumberOfChannels: '3' }), /3 channels/],
    ['an unknown type', header({ ElementType: 'MET_LONG_LONG' }), /MET_LONG_LONG/],
    ['dimensions beyond the data', header({ DimSize: '900 900 900' }), /need 2916000000 bytes/],
    [
      'a compressed size beyond the file',
      header({ CompressedData: 'True', CompressedDataSize: '99999' }),
      /CompressedDataSize is 99999/,
    ],
    ['a voxel size of zero', header({ ElementSpacing: '1 0 1' }), /along y is 0/],
    ['a missing data file', header({}, 'b.raw'), /"b.raw", which is not there/],
    ['an object that is no image', header({ ObjectType: 'Tube' }), /Tube/],
  ])('refuses %s', async (_, text, message) => {
    await expect(openVolume([textFile('a.mha', text, new Uint8Array(32))])).rejects.toThrow(message);
  });
});
