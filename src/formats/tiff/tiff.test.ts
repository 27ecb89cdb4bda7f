import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesPerVoxel, type DataType, makeSlabs, voxelArray } from '#kernels/grid/volume.ts';
import { bytesSource } from '../bytes/byte-source.ts';
import { openVolume } from '../open-volume.ts';
import {
  buildTiff,
  encodeLzw,
  encodePackBits,
  greyPage,
  samples,
  short,
  type TiffEntry,
  text,
} from '../testing/build-tiff.ts';
import { collect, findFile, listValues, seededRandom, smallVolume } from '../testing/collect.ts';
import { decodeLzw } from './lzw.ts';
import { fraction, tiffWriter, writeTiff } from './write-tiff.ts';

const hints = { voxelSizeMm: [1, 1, 1] as [number, number, number] };
const read = async (bytes: Uint8Array) => (await openVolume([bytesSource('a.tif', bytes)], hints)).slabs;
const types = Object.keys(bytesPerVoxel) as DataType[];

describe('TIFF, written and read', () => {
  it.each(types.flatMap((type) => [[type, false] as const, [type, true] as const]))(
    'brings back %s with its voxel size (BigTIFF: %s)',
    async (dataType, big) => {
      const data = voxelArray(dataType, 140);
      for (let i = 0; i < data.length; i++)
        data[i] = dataType.startsWith('float') ? (i - 70) / 7 : dataType.startsWith('u') ? i * 1.7 : i - 70;
      const volume = smallVolume(dataType, data);
      const opened = await openVolume([await findFile('a.tif', writeTiff(makeSlabs(volume), { big }))]);
      expect(opened.dataType).toBe(dataType);
      expect(opened.grid.voxelSizeMm).toEqual(volume.voxelSizeMm);
      expect(opened.grid.originMm).toEqual(volume.originMm);
      expect(opened.warnings).toEqual([]);
      expect(await listValues(opened.slabs)).toEqual([...volume.data]);
    },
  );

  it('knows its length and switches to BigTIFF beyond 4 GiB', async () => {
    const volume = makeSlabs(smallVolume('uint8', new Uint8Array(140)));
    expect((await collect(writeTiff(volume))).length).toBe(tiffWriter.sizeBytes(volume));
    const large = {
      ...volume,
      dataType: 'uint16' as const,
      grid: { ...volume.grid, dimensions: [2000, 2000, 1000] as [number, number, number] },
    };
    expect(tiffWriter.sizeBytes(large)).toBeGreaterThan(8e9);
    const front = await writeTiff(large).next();
    expect([...(front.value ?? []).slice(0, 4)]).toEqual([0x49, 0x49, 43, 0]);
  });

  it('writes voxel sizes as fractions that read back as the same number', () => {
    for (const value of [0.0195, 1 / 3, 12.7, 1e-4, 0.1234567]) {
      const [numerator, denominator] = fraction(value);
      expect(Math.abs(numerator / denominator / value - 1)).toBeLessThan(1e-9);
    }
    expect(fraction(0.0195)).toEqual([39, 2000]);
  });
});

describe('TIFF of other writers', () => {
  const random = seededRandom(20240607);
  const width = 37;
  const height = 23;
  const grey = Uint16Array.from({ length: width * height }, (_, i) =>
    i % 40 < 20 ? 1000 : Math.floor(random() * 65536),
  );
  const rowsPerStrip = 10;
  const strips = (rows: (first: number, count: number) => Uint8Array) =>
    [0, 10, 20].map((first) => rows(first, Math.min(rowsPerStrip, height - first)));
  const differences = (values: Uint16Array) =>
    values.map((value, i) => (i % width === 0 ? value : value - values[i - 1]));

  const packers: [string, number, (bytes: Uint8Array) => Uint8Array][] = [
    ['no', 1, (bytes) => bytes],
    ['LZW', 5, encodeLzw],
    ['Deflate', 8, (bytes) => new Uint8Array(deflateSync(bytes))],
    ['old Deflate', 32946, (bytes) => new Uint8Array(deflateSync(bytes))],
    ['PackBits', 32773, encodePackBits],
  ];
  const cases = packers.flatMap(([name, code, pack]) =>
    (['little', 'big'] as const).flatMap((order) =>
      (code === 1 || code === 32773 ? [1] : [1, 2]).map((predictor) => ({
        name,
        code,
        pack,
        order,
        predictor,
      })),
    ),
  );

  it.each(cases)(
    'reads strips with $name compression, $order endian, predictor $predictor',
    async ({ code, pack, order, predictor }) => {
      const values = predictor === 2 ? differences(grey) : grey;
      const chunks = strips((first, count) =>
        pack(samples(values.subarray(first * width, (first + count) * width), order)),
      );
      const entries = greyPage(width, height, 16, [
        short(259, code),
        short(278, rowsPerStrip),
        short(317, predictor),
      ]);
      for (const big of [false, true]) {
        expect(await listValues(await read(buildTiff([{ entries, chunks }], order, big)))).toEqual([...grey]);
      }
    },
  );

  it.each(['little', 'big'] as const)('reads padded tiles, %s endian', async (order) => {
    const tile = 16;
    const chunks: Uint8Array[] = [];
    for (let top = 0; top < height; top += tile) {
      for (let left = 0; left < width; left += tile) {
        const values = new Uint16Array(tile * tile);
        for (let y = 0; y < tile; y++) {
          for (let x = 0; x < tile; x++) {
            if (top + y < height && left + x < width)
              values[y * tile + x] = grey[(top + y) * width + left + x];
          }
        }
        chunks.push(new Uint8Array(deflateSync(samples(values, order))));
      }
    }
    const entries = greyPage(width, height, 16, [short(259, 8), short(322, tile), short(323, tile)]);
    expect(await listValues(await read(buildTiff([{ entries, chunks, tiled: true }], order)))).toEqual([
      ...grey,
    ]);
  });

  it.each([32, 64])('undoes the floating-point predictor for %i bits', async (bits) => {
    const size = bits / 8;
    const values = bits === 32 ? new Float32Array(12) : new Float64Array(12);
    for (let i = 0; i < 12; i++) values[i] = Math.sin(i) * 1000;
    // Most significant bytes of a row first, then byte differences.
    const bytes = samples(values, 'big');
    const rows: number[] = [];
    for (let row = 0; row < 3; row++) {
      const sorted: number[] = [];
      for (let b = 0; b < size; b++) for (let x = 0; x < 4; x++) sorted.push(bytes[(row * 4 + x) * size + b]);
      rows.push(...sorted.map((byte, i) => (byte - (i > 0 ? sorted[i - 1] : 0)) & 255));
    }
    const entries = greyPage(4, 3, bits, [short(259, 8), short(317, 3), short(339, 3)]);
    for (const order of ['little', 'big'] as const) {
      const file = buildTiff(
        [{ entries, chunks: [new Uint8Array(deflateSync(new Uint8Array(rows)))] }],
        order,
      );
      expect(await listValues(await read(file))).toEqual([...values]);
    }
  });

  it.each([
    [1, [0, 1, 1, 0, 1]],
    [3, [7, 0, 5, 2, 1]],
    [4, [15, 0, 9, 3, 8]],
    [10, [1023, 0, 512, 77, 3]],
    [12, [4095, 1, 2048, 9, 0]],
    [14, [16383, 0, 8192, 5, 1]],
  ])('widens %i bits, also with white as 0 and reversed bits in each byte', async (bits, row) => {
    const packRow = (values: number[]) => {
      const digits = values.map((value) => value.toString(2).padStart(bits, '0')).join('');
      return Array.from({ length: Math.ceil(digits.length / 8) }, (_, i) =>
        digits.slice(8 * i, 8 * i + 8).padEnd(8, '0'),
      );
    };
    const bytes = (values: number[], reversed = false) =>
      new Uint8Array(
        [...packRow(values), ...packRow(values)].map((byte) =>
          Number.parseInt(reversed ? [...byte].reverse().join('') : byte, 2),
        ),
      );
    const expected = [...row, ...row];
    expect(
      await listValues(await read(buildTiff([{ entries: greyPage(5, 2, bits), chunks: [bytes(row)] }]))),
    ).toEqual(expected);
    const white = row.map((value) => 2 ** bits - 1 - value);
    const inverse = greyPage(5, 2, bits, [short(262, 0), short(266, 2)]);
    expect(
      await listValues(await read(buildTiff([{ entries: inverse, chunks: [bytes(white, true)] }]))),
    ).toEqual(expected);
  });

  it('reads half floats', async () => {
    const halves = new Uint16Array([0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00, 0x8000]);
    const file = buildTiff([
      { entries: greyPage(6, 1, 16, [short(339, 3)]), chunks: [samples(halves, 'little')] },
    ]);
    expect(await listValues(await read(file))).toEqual([1, -2, 2 ** -24, 65504, Infinity, -0]);
  });

  it('decodes any bytes encoded by its LZW encoder', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 300 })), { maxLength: 60 }),
        (runs) => {
          const data = new Uint8Array(
            runs.flatMap(([value, length]) =>
              Array.from({ length }, (_, i) => (value * 80 + i * value) & 255),
            ),
          );
          const out = new Uint8Array(data.length);
          expect(decodeLzw(encodeLzw(data), out)).toBe(data.length);
          expect(out).toEqual(data);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('Meaning of the pages of a TIFF', () => {
  const page = (value: number, more: TiffEntry[] = []) => ({
    entries: greyPage(2, 1, 8, more),
    chunks: [new Uint8Array([value, value])],
  });
  const firstOfEach = async (bytes: Uint8Array, more = {}) => {
    const { slabs, grid, warnings } = await openVolume([bytesSource('a.tif', bytes)], {
      sizeConfirmed: true,
      ...more,
    });
    return { values: (await listValues(slabs)).filter((_, i) => i % 2 === 0), grid, warnings };
  };

  /** Voxel size suggested for a page with this many pixels per inch or centimetre. */
  const suggestedFor = async (resolution: number, unit: 'inch' | 'cm', more: TiffEntry[] = []) => {
    const entries: TiffEntry[] = [
      { id: 282, type: 5, values: [resolution] },
      { id: 283, type: 5, values: [resolution] },
      short(296, unit === 'inch' ? 2 : 3),
      ...more,
    ];
    const file = buildTiff([page(1, entries), page(2, [])]);
    const error = await openVolume([bytesSource('a.tif', file)]).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'INPUT_INCOMPLETE', missing: ['voxelSizeMm'] });
    return error.suggested.voxelSizeMm;
  };

  it.each([72, 96, 100, 300])('does not suggest %i dots an inch as a voxel size', async (perInch) => {
    expect(await suggestedFor(perInch, 'inch')).toBeUndefined();
    expect(await suggestedFor(perInch / 2.54, 'cm')).toBeUndefined();
    expect(await suggestedFor(Math.round(perInch / 2.54), 'cm')).toBeUndefined();
    // ImageJ copies inches and then states them as the unit of all three axes.
    const imageJ = text(270, 'ImageJ=1.53t\nimages=2\nslices=2\nunit=inch\nspacing=1.0\n');
    expect(await suggestedFor(perInch, 'inch', [imageJ])).toBeUndefined();
  });

  it('suggests a resolution only when no screen or printer has it', async () => {
    expect(await suggestedFor(200, 'cm')).toEqual([0.05, 0.05, 0.05]);
    expect(await suggestedFor(1270, 'inch')).toEqual([0.02, 0.02, 0.02]);
  });

  it('separates channels of ImageJ from z and reads its unit and spacing', async () => {
    const description = text(
      270,
      'ImageJ=1.53t\nimages=6\nchannels=2\nslices=3\nunit=\\u00B5m\nspacing=2.5\n',
    );
    const resolution: TiffEntry[] = [
      { id: 282, type: 5, values: [4] },
      { id: 283, type: 5, values: [2] },
      short(296, 1),
    ];
    const file = buildTiff(
      [0, 1, 2, 3, 4, 5].map((value) => page(value, value === 0 ? [description, ...resolution] : [])),
    );
    const first = await firstOfEach(file);
    expect(first.values).toEqual([0, 2, 4]);
    expect(first.grid.voxelSizeMm).toEqual([0.00025, 0.0005, 0.0025]);
    expect(first.warnings).toEqual(['a.tif has 2 channels; channel 1 was read.']);
    expect((await firstOfEach(file, { channel: 1 })).values).toEqual([1, 3, 5]);
    await expect(firstOfEach(file, { channel: 2 })).rejects.toThrow(/2 channels/);
  });

  it('reads the stack that ImageJ writes beyond 4 GiB: one page, then all planes', async () => {
    const entries = greyPage(2, 1, 8, [text(270, 'ImageJ=1.53t\nimages=3\nslices=3\nunit=mm\nspacing=2\n')]);
    const bytes = buildTiff([{ entries, chunks: [new Uint8Array([1, 2, 3, 4, 5, 6])] }]);
    expect(await listValues(await read(bytes))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('follows the order of planes in OME-XML and its physical sizes', async () => {
    const xml =
      '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image><Pixels DimensionOrder="XYCZT" SizeC="2" SizeT="1" SizeX="2" SizeY="1" SizeZ="2" Type="uint8" PhysicalSizeX="1.5" PhysicalSizeY="1500" PhysicalSizeYUnit="nm" PhysicalSizeZ="0.002" PhysicalSizeZUnit="mm"><TiffData/></Pixels></Image></OME>';
    const file = buildTiff(
      [10, 11, 12, 13].map((value) => page(value, value === 10 ? [text(270, xml)] : [])),
    );
    const { values, grid } = await firstOfEach(file);
    expect(values).toEqual([10, 12]);
    expect(grid.voxelSizeMm[0]).toBeCloseTo(0.0015, 12);
    expect(grid.voxelSizeMm[1]).toBeCloseTo(0.0015, 12);
    expect(grid.voxelSizeMm[2]).toBeCloseTo(0.002, 12);
    const mapped = xml.replace(
      '<TiffData/>',
      '<TiffData IFD="3" FirstC="0" FirstZ="0"/><TiffData IFD="1" FirstC="0" FirstZ="1"/>',
    );
    const shuffled = buildTiff(
      [10, 11, 12, 13].map((value) => page(value, value === 10 ? [text(270, mapped)] : [])),
    );
    expect((await firstOfEach(shuffled)).values).toEqual([13, 11]);
  });

  it('asks for the voxel size, and offers the resolution as a suggestion only', async () => {
    const resolution: TiffEntry[] = [
      { id: 282, type: 5, values: [254] },
      { id: 283, type: 5, values: [254] },
      short(296, 2),
    ];
    await expect(openVolume([bytesSource('a.tif', buildTiff([page(1, resolution)]))])).rejects.toMatchObject({
      code: 'INPUT_INCOMPLETE',
      missing: ['voxelSizeMm'],
      suggested: { voxelSizeMm: [0.1, 0.1, 0.1] },
    });
  });

  it('leaves thumbnails out', async () => {
    const { values, warnings } = await firstOfEach(
      buildTiff([page(1), page(9, [short(254, 1)]), page(2)]),
      hints,
    );
    expect(values).toEqual([1, 2]);
    expect(warnings[0]).toMatch(/1 pages .* left out/);
  });

  it('reads a stack of files and names the slice that differs', async () => {
    const file = (value: number) => bytesSource(`s${value}.tif`, buildTiff([page(value)]));
    const { slabs } = await openVolume([file(3), file(1), file(2)], hints);
    expect((await listValues(slabs)).filter((_, i) => i % 2 === 0)).toEqual([1, 2, 3]);
    const odd = bytesSource(
      's2.tif',
      buildTiff([{ entries: greyPage(1, 2, 8), chunks: [new Uint8Array(2)] }]),
    );
    const opened = await openVolume([file(1), odd, file(3)], hints);
    await expect(opened.slabs.readSlab(0, 3)).rejects.toThrow(/s2.tif, page 1 has 1 × 2 pixels/);
  });
});
