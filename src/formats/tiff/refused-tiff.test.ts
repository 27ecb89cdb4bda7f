import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesSource } from '../bytes/byte-source.ts';
import { FormatError } from '../format-error.ts';
import { openVolume } from '../open-volume.ts';
import { buildTiff, encodeLzw, greyPage, short, type TiffEntry } from '../testing/build-tiff.ts';

const hints = { voxelSizeMm: [1, 1, 1] as [number, number, number] };
const read = async (bytes: Uint8Array) => (await openVolume([bytesSource('a.tif', bytes)], hints)).slabs;

describe('TIFF that is not read', () => {
  const page = (more: TiffEntry[], chunks = [new Uint8Array(64)]) =>
    buildTiff([{ entries: greyPage(4, 4, 8, more), chunks }]);

  it.each([
    ['RGB', page([short(262, 2), short(277, 3), short(258, 8, 8, 8)]), 'UNSUPPORTED', /RGB colour/],
    ['two samples', page([short(277, 2)]), 'UNSUPPORTED', /2 samples a pixel/],
    ['JPEG', page([short(259, 7)]), 'UNSUPPORTED', /JPEG/],
    ['fax', page([short(259, 4)]), 'UNSUPPORTED', /CCITT Group 4/],
    ['complex numbers', page([short(258, 64), short(339, 5)]), 'UNSUPPORTED', /complex/],
    ['64-bit whole numbers', page([short(258, 64)]), 'UNSUPPORTED', /64 bits/],
    [
      'a huge size with few bytes',
      page([
        { id: 256, type: 4, values: [60000] },
        { id: 257, type: 4, values: [30000] },
      ]),
      'MALFORMED',
      /1800000000 bytes are declared/,
    ],
    [
      'a huge size in Deflate',
      page([{ id: 256, type: 4, values: [60000] }, { id: 257, type: 4, values: [30000] }, short(259, 8)]),
      'MALFORMED',
      /1800000000 bytes are declared/,
    ],
    [
      'a strip that ends early',
      page([short(259, 32773)], [new Uint8Array([0, 1])]),
      'MALFORMED',
      /ends after 1 of 16 bytes/,
    ],
    ['damaged Deflate', page([short(259, 8)], [new Uint8Array(40).fill(9)]), 'MALFORMED', /zlib/],
    ['damaged LZW', page([short(259, 5)], [new Uint8Array(40).fill(255)]), 'MALFORMED', /strip 1/],
    [
      'a missing height',
      buildTiff([{ entries: [short(256, 4)], chunks: [new Uint8Array(4)] }]),
      'MALFORMED',
      /height is missing/,
    ],
  ])('refuses %s', async (_, bytes, code, message) => {
    const error = await read(bytes)
      .then((slabs) => slabs.readSlab(0, 1))
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(FormatError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('refuses strips that share their bytes', async () => {
    const one = buildTiff([
      {
        entries: greyPage(4, 4, 8, [short(278, 1)]),
        chunks: [new Uint8Array(8), new Uint8Array(8), new Uint8Array(8), new Uint8Array(8)],
      },
    ]);
    const view = new DataView(one.buffer);
    // All four strips now begin at byte 8 and claim the whole file.
    const counts = [8, 8, 8, 8].flatMap((value) => [value, 0, 0, 0]);
    const at = Buffer.from(one).indexOf(Buffer.from(counts));
    for (let i = 0; i < 4; i++) view.setUint32(at + 4 * i, one.length - 8, true);
    await expect(read(one).then((slabs) => slabs.readSlab(0, 1))).rejects.toThrow(/overlap/);
  });

  it('refuses an endless chain of pages', async () => {
    const bytes = page([]);
    const view = new DataView(bytes.buffer);
    const first = view.getUint32(4, true);
    view.setUint32(bytes.length - 4, first, true);
    await expect(read(bytes)).rejects.toThrow(/leads back to an earlier page/);
  });

  it('keeps a page with one compressed strip in memory only once', async () => {
    const [side, pageBytes] = [4096, 4096 ** 2];
    const page = buildTiff([
      {
        entries: greyPage(side, side, 8, [short(259, 8)]),
        chunks: [new Uint8Array(deflateSync(new Uint8Array(pageBytes)))],
      },
    ]);
    const slabs = await read(page);
    const before = process.memoryUsage().arrayBuffers;
    expect((await slabs.readSlab(0, 1)).length).toBe(pageBytes);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1.5 * pageBytes);
  });

  it('throws a FormatError or returns values when any bytes are changed', async () => {
    const good = buildTiff([
      {
        entries: greyPage(8, 8, 16, [short(259, 5), short(317, 2), short(278, 3)]),
        chunks: [24, 24, 16].map((n) => encodeLzw(new Uint8Array(2 * n).fill(n))),
      },
      {
        entries: greyPage(8, 8, 16, [short(259, 8)]),
        chunks: [new Uint8Array(deflateSync(new Uint8Array(128)))],
      },
    ]);
    await read(good).then((slabs) => slabs.readSlab(0, 2));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        async (edits) => {
          const bytes = good.slice();
          for (const [at, value] of edits) bytes[at] = value;
          try {
            const slabs = await read(bytes);
            await slabs.readSlab(0, slabs.grid.dimensions[2]);
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});
