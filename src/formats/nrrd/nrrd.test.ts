import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bytesPerVoxel, type DataType, makeSlabs, voxelArray } from '#kernels/grid/volume.ts';
import { encodeVoxels } from '../bytes/byte-order.ts';
import { bytesSource } from '../bytes/byte-source.ts';
import { FormatError } from '../format-error.ts';
import { openVolume } from '../open-volume.ts';
import { collect, findFile, listValues, smallVolume, textFile } from '../testing/collect.ts';
import { nrrdWriter, writeNrrd } from './write-nrrd.ts';

const types = Object.keys(bytesPerVoxel) as DataType[];
const sample = (dataType: DataType) => {
  const data = voxelArray(dataType, 140);
  for (let i = 0; i < data.length; i++)
    data[i] = dataType.startsWith('float') ? (i - 70) / 7 : dataType.startsWith('u') ? i * 1.7 : i - 70;
  return smallVolume(dataType, data);
};
const header = (lines: string[]) => `NRRD0004\n${lines.join('\n')}\n\n`;
const grid3 = ['dimension: 3', 'sizes: 2 2 2', 'spacings: 0.1 0.2 0.3', 'encoding: raw', 'endian: big'];
const eight = new Int16Array([1, -2, 3, -4, 500, -600, 32767, -32768]);

describe('NRRD', () => {
  it.each(types.flatMap((type) => [[type, 'raw'] as const, [type, 'gzip'] as const]))(
    'brings back %s with encoding %s, its grid included',
    async (dataType, encoding) => {
      const volume = sample(dataType);
      const opened = await openVolume([await findFile('a.nrrd', writeNrrd(makeSlabs(volume), { encoding }))]);
      expect(opened.dataType).toBe(dataType);
      expect(opened.warnings).toEqual([]);
      expect(opened.grid.dimensions).toEqual(volume.dimensions);
      expect(opened.grid.originMm).toEqual(volume.originMm);
      for (const axis of [0, 1, 2])
        expect(opened.grid.voxelSizeMm[axis]).toBeCloseTo(volume.voxelSizeMm[axis], 12);
      expect(await listValues(opened.slabs)).toEqual([...volume.data]);
    },
  );

  it('knows the length of what it writes', async () => {
    const source = makeSlabs(sample('uint16'));
    expect((await collect(writeNrrd(source))).length).toBe(nrrdWriter.sizeBytes(source));
  });

  it('reads big-endian values and spacings', async () => {
    const file = textFile('a.nrrd', header(['type: int16', ...grid3]), encodeVoxels(eight, 'big'));
    const { grid, slabs, warnings } = await openVolume([file]);
    expect(grid.voxelSizeMm).toEqual([0.1, 0.2, 0.3]);
    expect(await listValues(slabs, 1)).toEqual([...eight]);
    expect(warnings[0]).toMatch(/millimetres were taken/);
  });

  it('reads slabs of a gzip file in any order', async () => {
    const volume = sample('int32');
    const { slabs } = await openVolume([
      await findFile('a.nrrd', writeNrrd(makeSlabs(volume), { encoding: 'gzip' })),
    ]);
    expect([...(await slabs.readSlab(5, 7))]).toEqual([...volume.data.slice(100)]);
    expect([...(await slabs.readSlab(0, 1))]).toEqual([...volume.data.slice(0, 20)]);
    const both = await Promise.all([slabs.readSlab(3, 4), slabs.readSlab(1, 2)]);
    expect(both.map((slab) => [...slab])).toEqual([
      [...volume.data.slice(60, 80)],
      [...volume.data.slice(20, 40)],
    ]);
  });

  it('finds the data of a detached header in other files, also one file per plane', async () => {
    const body = encodeVoxels(eight, 'little');
    const lines = ['type: short', ...grid3.slice(0, 4), 'endian: little'];
    const one = textFile('a.nhdr', header([...lines, 'data file: ./a.raw']));
    expect(await listValues((await openVolume([bytesSource('a.raw', body), one])).slabs)).toEqual([...eight]);
    const planes = [bytesSource('p2.raw', body.slice(8)), bytesSource('p1.raw', body.slice(0, 8))];
    const pattern = textFile('b.nhdr', header([...lines, 'data file: p%d.raw 1 2 1']));
    expect(await listValues((await openVolume([pattern, ...planes])).slabs)).toEqual([...eight]);
    const list = textFile('c.nhdr', header([...lines, 'data file: LIST\np1.raw\np2.raw']));
    expect(await listValues((await openVolume([list, ...planes])).slabs)).toEqual([...eight]);
    await expect(openVolume([one])).rejects.toThrow(/"a.raw", which is not there/);
  });

  it('skips lines and bytes before the data, and counts from the end for −1', async () => {
    const body = encodeVoxels(eight, 'little');
    const lines = ['type: short', 'dimension: 3', 'sizes: 2 2 2', 'spacings: 1 1 1', 'endian: little'];
    const data = new Uint8Array([...new TextEncoder().encode('one\ntwo\nxx'), ...body]);
    const skip = textFile(
      'a.nhdr',
      header([...lines, 'encoding: raw', 'line skip: 2', 'byte skip: 2', 'data file: d']),
    );
    expect(await listValues((await openVolume([skip, bytesSource('d', data)])).slabs)).toEqual([...eight]);
    for (const encoding of ['raw', 'gzip']) {
      const last = textFile(
        'b.nhdr',
        header([...lines, `encoding: ${encoding}`, 'byte skip: -1', 'data file: d']),
      );
      const file = bytesSource('d', encoding === 'gzip' ? new Uint8Array(gzipSync(data)) : data);
      expect(await listValues((await openVolume([last, file])).slabs)).toEqual([...eight]);
    }
  });

  it('reads values written as text', async () => {
    const lines = ['type: float', 'dimension: 3', 'sizes: 2 2 2', 'spacings: 1 1 1', 'encoding: ascii'];
    const file = textFile('a.nrrd', header(lines), new TextEncoder().encode('1 2.5\n-3e2, 4 5 6\n7 nan'));
    expect(await listValues((await openVolume([file])).slabs)).toEqual([
      1,
      2.5,
      -300,
      4,
      5,
      6,
      7,
      Number.NaN,
    ]);
  });

  it('reads micrometres, a rotated frame and an origin from the header', async () => {
    const lines = [
      'type: uchar',
      'dimension: 3',
      'space dimension: 3',
      'sizes: 2 2 2',
      'space directions: (0,20,0) (-20,0,0) (0,0,40)',
      'space origin: (1000,0,-500)',
      'space units: "µm" "um" "microns"',
      'encoding: raw',
    ];
    const data = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    const file = textFile('a.nrrd', header(lines), data);
    const { grid, slabs, warnings } = await openVolume([file], { sizeConfirmed: true });
    expect(grid.voxelSizeMm).toEqual([0.02, 0.02, 0.04]);
    // Rows of the file run along −x, columns along y.
    expect(grid.directions).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    expect(grid.originMm).toEqual([0.98, 0, -0.5]);
    expect(await listValues(slabs)).toEqual([3, 1, 4, 2, 7, 5, 8, 6]);
    expect(warnings).toEqual([]);
  });

  it('reads a negative spacing as a reversed axis', async () => {
    const lines = [
      'type: uchar',
      'dimension: 3',
      'sizes: 3 1 1',
      'spacings: -1 1 1',
      'axis mins: 7 0 0',
      'encoding: raw',
    ];
    const file = textFile('a.nrrd', header(lines), Uint8Array.of(1, 2, 3));
    const { grid, slabs } = await openVolume([file]);
    expect([grid.originMm[0], grid.directions[0], await listValues(slabs)]).toEqual([5, 1, [3, 2, 1]]);
  });

  it('refuses a space without axis directions', async () => {
    const lines = ['type: uchar', ...grid3, 'space: 3D-left-handed', 'encoding: raw'];
    const error = await openVolume([textFile('a.nrrd', header(lines), new Uint8Array(8))]).catch(
      (e) => e.message,
    );
    expect(error).toMatch(/space "3D-left-handed" is not read, since it does not say where its axes point/i);
  });

  it('asks for the voxel size and the byte order when the header lacks them', async () => {
    const file = textFile(
      'a.nrrd',
      header(['type: short', 'dimension: 3', 'sizes: 2 2 2', 'encoding: raw']),
      new Uint8Array(16),
    );
    await expect(openVolume([file])).rejects.toMatchObject({
      code: 'INPUT_INCOMPLETE',
      missing: ['voxelSizeMm', 'byteOrder'],
    });
    const { grid } = await openVolume([file], { voxelSizeMm: [1, 2, 3], byteOrder: 'little' });
    expect(grid.voxelSizeMm).toEqual([1, 2, 3]);
  });

  it.each([
    [
      'four dimensions',
      ['type: uchar', 'dimension: 4', 'sizes: 3 2 2 2', 'encoding: raw'],
      /4 dimensions \(3 × 2 × 2 × 2\)/,
    ],
    ['64-bit whole numbers', ['type: int64', ...grid3], /"int64" are not read/],
    ['bzip2', ['type: uchar', ...grid3.slice(0, 3), 'encoding: bzip2'], /"bzip2" is not read/],
    [
      'skewed axes',
      [
        'type: uchar',
        'dimension: 3',
        'sizes: 2 2 2',
        'space directions: (1,0,0) (0.5,1,0) (0,0,1)',
        'encoding: raw',
      ],
      /right angles/,
    ],
    [
      'sizes beyond the data',
      ['type: uchar', 'dimension: 3', 'sizes: 1000 1000 1000', 'spacings: 1 1 1', 'encoding: raw'],
      /need 1000000000 bytes, but there are 8/,
    ],
    [
      'sizes beyond what gzip could hold',
      ['type: uchar', 'dimension: 3', 'sizes: 1000 1000 1000', 'spacings: 1 1 1', 'encoding: gzip'],
      /cannot hold/,
    ],
    [
      'a size that is no number',
      ['type: uchar', 'dimension: 3', 'sizes: 2 x 2', 'encoding: raw'],
      /along y is NaN/,
    ],
  ])('refuses %s', async (_, lines, message) => {
    const error = await openVolume([textFile('a.nrrd', header(lines), new Uint8Array(8))]).catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(FormatError);
    expect((error as FormatError).message).toMatch(message);
  });

  it('reports truncated gzip data', async () => {
    const bytes = await collect(writeNrrd(makeSlabs(sample('float64')), { encoding: 'gzip' }));
    const { slabs } = await openVolume([bytesSource('a.nrrd', bytes.slice(0, bytes.length - 40))]);
    await expect(slabs.readSlab(0, 7)).rejects.toThrow(FormatError);
  });

  it('refuses a header that contradicts itself, and accepts one that repeats itself', async () => {
    const open = (...lines: string[]) =>
      openVolume([
        textFile('a.nrrd', header(['type: int16', ...grid3, ...lines]), encodeVoxels(eight, 'big')),
      ]);
    await expect(open('spacings: 1 2 3')).rejects.toThrow(/says spacings twice, "0.1 0.2 0.3" and "1 2 3"/);
    await expect(open('sizes: 2 2 1')).rejects.toThrow(/says sizes twice/);
    await expect(open('space directions: (1,0,0) (0,2,0) (0,0,3)')).rejects.toThrow(
      /spacings are 0.1, 0.2, 0.3, but the space directions are 1, 2, 3 long/,
    );
    for (const same of ['spacings: 0.1 0.2 0.3', 'space directions: (0,0.1,0) (0.2,0,0) (0,0,-0.30001)'])
      expect((await open(same)).grid.dimensions).toEqual([2, 2, 2]);
  });

  it('reports gzip data after the last voxel', async () => {
    const lines = header([
      'type: int16',
      ...grid3.map((line) => line.replace('raw', 'gzip')),
      'space units: "mm" "mm" "mm"',
    ]);
    const read = async (packed: Uint8Array<ArrayBuffer>) => {
      const { slabs, warnings } = await openVolume([textFile('a.nrrd', lines, packed)]);
      expect(await listValues(slabs, 1)).toEqual([...eight]);
      return warnings.join();
    };
    const whole = encodeVoxels(eight, 'big');
    const packed = new Uint8Array(gzipSync(whole));
    expect(await read(packed)).toBe('');
    const more = new Uint8Array(gzipSync(Buffer.concat([whole, whole])));
    expect(await read(more)).toMatch(/goes on behind the last voxel, at byte 16; what follows was left out/);
  });

  it('counts voxels without a finite value once, however often they are read', async () => {
    const data = new Float32Array(140).fill(1);
    const open = async () =>
      openVolume([await findFile('a.nrrd', writeNrrd(makeSlabs(smallVolume('float32', data))))]);
    const whole = await open();
    await listValues(whole.slabs);
    expect(whole.warnings).toEqual([]);
    for (const at of [3, 77, 139]) data[at] = [Number.NaN, Infinity, -Infinity][at % 3] ?? 0;
    const { slabs, warnings } = await open();
    await slabs.readSlab(0, 2);
    expect(warnings).toEqual([]);
    for (let time = 0; time < 2; time++) await listValues(slabs, 1);
    expect(warnings).toEqual([expect.stringContaining('3 voxels hold no finite number')]);
  });
});
