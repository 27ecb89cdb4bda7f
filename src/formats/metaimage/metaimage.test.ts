import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeVoxels } from '../bytes/byte-order.ts';
import { bytesSource } from '../bytes/byte-source.ts';
import { openVolume } from '../open-volume.ts';
import { listValues, textFile } from '../testing/collect.ts';

const values = new Float32Array([1.5, -2, 3, 4, 5, 6, 7, 1e30]);
const header = (lines: Record<string, string>, file = 'LOCAL') =>
  `${Object.entries({
    ObjectType: 'Image',
    NDims: '3',
    DimSize: '2 2 2',
    ElementSpacing: '0.1 0.2 0.3',
    DistanceUnits: 'mm',
    ElementType: 'MET_FLOAT',
    ...lines,
  })
    .map(([key, value]) => `${key} = ${value}`)
    .join('\n')}\nElementDataFile = ${file}\n`;

describe('MetaImage', () => {
  it.each(['False', 'True'])('reads local data with most significant byte first: %s', async (msb) => {
    const data = encodeVoxels(values, msb === 'True' ? 'big' : 'little');
    const opened = await openVolume([
      textFile('a.mha', header({ BinaryData: 'True', BinaryDataByteOrderMSB: msb }), data),
    ]);
    expect(opened.grid.voxelSizeMm).toEqual([0.1, 0.2, 0.3]);
    expect(opened.dataType).toBe('float32');
    expect(await listValues(opened.slabs, 1)).toEqual([...values]);
  });

  it('reads zlib data, the offset and a rotated frame, whose columns and rows it aligns with the axes', async () => {
    const packed = new Uint8Array(deflateSync(encodeVoxels(values, 'little')));
    const text = header({
      CompressedData: 'True',
      CompressedDataSize: String(packed.length),
      Offset: '1 2 3',
      TransformMatrix: '0 1 0 -1 0 0 0 0 1',
    });
    const { grid, slabs } = await openVolume([textFile('a.mha', text, packed)]);
    // The rows of the file run along −x, its columns along y.
    expect(grid.directions).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    expect(grid.voxelSizeMm).toEqual([0.2, 0.1, 0.3]);
    expect(grid.originMm).toEqual([0.8, 2, 3]);
    const [a, b, c, d, ...upper] = values;
    expect(await listValues(slabs)).toEqual([c, a, d, b, upper[2], upper[0], upper[3], upper[1]]);
  });

  it('finds detached data after a header, counted from the end, and one file per plane', async () => {
    const body = encodeVoxels(values, 'little');
    const one = textFile('a.mhd', header({ HeaderSize: '-1' }, 'a.raw'));
    expect(
      await listValues(
        (await openVolume([one, bytesSource('a.raw', new Uint8Array([9, 9, ...body]))])).slabs,
      ),
    ).toEqual([...values]);
    const planes = [bytesSource('p01.raw', body.slice(0, 16)), bytesSource('p02.raw', body.slice(16))];
    for (const file of ['p%02d.raw 1 2 1', 'LIST\np01.raw\np02.raw']) {
      expect(
        await listValues((await openVolume([textFile('b.mhd', header({}, file)), ...planes])).slabs),
      ).toEqual([...values]);
    }
  });

  it('asks for the unit that a file does not name, and derives it from a given voxel size', async () => {
    const text = header({ Offset: '1 2 3' }).replace(/DistanceUnits.*\n/, '');
    const file = textFile('a.mha', text, encodeVoxels(values, 'little'));
    await expect(openVolume([file])).rejects.toMatchObject({
      code: 'INPUT_INCOMPLETE',
      missing: ['unit'],
      suggested: { unit: 'mm' },
    });
    const inInches = (await openVolume([file], { unit: 'inch' })).grid;
    expect(inInches.voxelSizeMm).toEqual([0.1 * 25.4, 0.2 * 25.4, 0.3 * 25.4]);
    expect(inInches.originMm.map((mm) => Math.round((mm / 25.4) * 1e9) / 1e9)).toEqual([1, 2, 3]);
    // Ten times the numbers in the file, so the origin is scaled as well.
    const given = (await openVolume([file], { voxelSizeMm: [1, 2, 3] })).grid;
    expect(given.originMm.map(Math.round)).toEqual([10, 20, 30]);
    const named = textFile('b.mha', header({ DistanceUnits: 'um' }), encodeVoxels(values, 'little'));
    expect((await openVolume([named], { unit: 'm', sizeConfirmed: true })).grid.voxelSizeMm[0]).toBeCloseTo(
      1e-4,
      12,
    );
  });

  it('asks for the voxel size when there is none', async () => {
    const text = header({}).replace(/ElementSpacing.*\n/, '');
    const file = textFile('a.mha', text, encodeVoxels(values, 'little'));
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
    ['a voxel size of zero', header({ ElementSpacing: '1 0 1' }), /ElementSpacing has a 0/],
    ['a missing data file', header({}, 'b.raw'), /"b.raw", which is not there/],
    ['an object that is no image', header({ ObjectType: 'Tube' }), /Tube/],
  ])('refuses %s', async (_, text, message) => {
    await expect(openVolume([textFile('a.mha', text, new Uint8Array(32))])).rejects.toThrow(message);
  });

  it('refuses a header that contradicts itself', async () => {
    const open = (text: string) => openVolume([textFile('a.mha', text, encodeVoxels(values, 'little'))]);
    const twice = `ElementSpacing = 1 1 1\n${header({})}`;
    await expect(open(twice)).rejects.toThrow(/says ElementSpacing twice, "1 1 1" and "0.1 0.2 0.3"/);
    await expect(open(header({ Offset: '1 2 3', Position: '1 2 4' }))).rejects.toThrow(/says Offset twice/);
    const same = header({ Offset: '1 2 3', Position: '1.0 2 3', ElementSize: '9 9 9' });
    expect((await open(same)).grid).toMatchObject({ originMm: [1, 2, 3], voxelSizeMm: [0.1, 0.2, 0.3] });
  });

  it('reports compressed data after the last voxel', async () => {
    const bytes = encodeVoxels(values, 'little');
    const packed = new Uint8Array(deflateSync(Buffer.concat([bytes, bytes])));
    const { slabs, warnings } = await openVolume([
      textFile('a.mha', header({ CompressedData: 'True' }), packed),
    ]);
    expect(await listValues(slabs)).toEqual([...values]);
    expect(warnings.join()).toMatch(/goes on behind the last voxel/);
  });
});
