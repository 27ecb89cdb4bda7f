import { deflateRawSync, crc32 as referenceCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { type ByteSource, bytesSource } from '../bytes/byte-source.ts';
import { crc32Portable } from '../bytes/crc32.ts';
import { FormatError } from '../format-error.ts';
import { checkZip } from '../testing/check-zip.ts';
import { collect } from '../testing/collect.ts';
import { writeZip, type ZipInput } from './write-zip.ts';
import { defaultZipLimits, readZipDirectory } from './zip-directory.ts';
import { UnpackedCache, zipEntrySource } from './zip-entry-source.ts';
import { centralHeader, dataDescriptor, endRecords, localHeader, type ZipRecord } from './zip-records.ts';

const text = (content: string) => new TextEncoder().encode(content);
async function* makeStream(...blocks: Uint8Array[]) {
  yield* blocks;
}

async function unpackAll(archive: ByteSource): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readZipDirectory(archive)) {
    const source = zipEntrySource(archive, entry, new UnpackedCache());
    files[entry.path] = Buffer.from(await source.read(0, source.size)).toString('latin1');
  }
  return files;
}

const mixed = (): ZipInput[] => [
  { path: 'manifest.json', data: text('{"a":1}') },
  { path: 'data/ström.raw', data: makeStream(text('abc'), text('def')), sizeBytes: 6 },
  { path: 'data/unknown length.bin', data: makeStream(text('xyz'.repeat(1000))) },
  { path: 'data/small.txt', data: text('small '.repeat(5000)), compress: true },
  { path: 'data/small stream.txt', data: makeStream(text('stream '.repeat(500))), compress: true },
  { path: 'empty', data: new Uint8Array(0) },
];
const mixedContents = {
  'manifest.json': '{"a":1}',
  'data/ström.raw': 'abcdef',
  'data/unknown length.bin': 'xyz'.repeat(1000),
  'data/small.txt': 'small '.repeat(5000),
  'data/small stream.txt': 'stream '.repeat(500),
  empty: '',
};

describe('ZIP', () => {
  it('restores stored, streamed and deflated files', async () => {
    expect(await unpackAll(bytesSource('a.zip', await collect(writeZip(mixed()))))).toEqual(mixedContents);
  });

  it('is read by another implementation, and conforms to the format', async () => {
    const bytes = await collect(writeZip(mixed()));
    const asText = (data: Uint8Array) => Buffer.from(data).toString('latin1');
    const others = Object.entries(unzipSync(bytes)).map(([path, data]) => [path, asText(data)]);
    expect(Object.fromEntries(others)).toEqual(mixedContents);
    const checked = await checkZip(bytesSource('a.zip', bytes));
    expect(Object.fromEntries(checked.map(({ path, data }) => [path, asText(data ?? text('?'))]))).toEqual(
      mixedContents,
    );
    // A stream of unknown length may exceed 32 bits, so its sizes are 64 bits wide from the start.
    expect(checked.filter(({ zip64 }) => zip64).map(({ path }) => path)).toEqual([
      'data/unknown length.bin',
      'data/small stream.txt',
    ]);
  });

  it.each([
    ['a sum in the directory', 'PK\x01\x02', 16],
    ['a size in the directory', 'PK\x01\x02', 24],
    ['a place in the directory', 'PK\x01\x02', 42],
    ['a sum in front of the data', 'PK\x03\x04', 14],
    ['a method in front of the data', 'PK\x03\x04', 8],
    ['a sum behind the data', 'PK\x07\x08', 4],
    ['a size behind the data', 'PK\x07\x08', 8],
    ['the number of files', 'PK\x05\x06', 10],
    ['the place of the directory', 'PK\x05\x06', 16],
  ])('the check of the letter notices %s that is wrong', async (_what, signature, offset) => {
    const bytes = await collect(writeZip(mixed()));
    bytes[Buffer.from(bytes).indexOf(signature, 0, 'latin1') + offset] ^= 1;
    await expect(checkZip(bytesSource('a.zip', bytes))).rejects.toThrow(/ is .* but should be /);
  });

  it('holds more than 65535 files', async () => {
    const inputs = Array.from({ length: 66_000 }, (_, i) => ({ path: `f${i}`, data: new Uint8Array(0) }));
    const bytes = await collect(writeZip(inputs));
    const entries = await readZipDirectory(bytesSource('many.zip', bytes));
    expect(entries.length).toBe(66_000);
    expect(entries[65_999].path).toBe('f65999');
    expect(await checkZip(bytesSource('many.zip', bytes))).toHaveLength(66_000);
    expect(Object.keys(unzipSync(bytes))).toHaveLength(66_000);
  });

  it('places files of more than 4 GiB by 64-bit numbers that the reader follows', async () => {
    const size = 5 * 2 ** 30 + 7;
    const record = (path: string, headerOffset: number, bytes: number): ZipRecord => ({
      path,
      compression: 'store',
      descriptor: true,
      zip64: bytes >= 0xffffffff,
      packedBytes: bytes,
      unpackedBytes: bytes,
      crc32: referenceCrc32('end'),
      headerOffset,
      modified: new Date(0),
    });
    // The archive as pieces at their offsets; gaps read as zeros and take no memory.
    const pieces = new Map<number, Uint8Array>();
    let at = 0;
    const put = (bytes: Uint8Array) => {
      pieces.set(at, bytes);
      at += bytes.length;
    };
    const big = record('big.raw', 0, size);
    put(localHeader(big));
    at += size;
    put(dataDescriptor(big));
    const late = record('late.txt', at, 3);
    put(localHeader(late));
    put(text('end'));
    put(dataDescriptor(late));
    const directoryAt = at;
    put(centralHeader(big));
    put(centralHeader(late));
    put(endRecords(2, at - directoryAt, directoryAt));
    const archive: ByteSource = {
      name: 'big.zip',
      size: at,
      read: async (offset, length) => {
        const out = new Uint8Array(Math.max(0, Math.min(length, at - offset)));
        for (const [start, bytes] of pieces) {
          for (let i = 0; i < bytes.length; i++) {
            if (start + i >= offset && start + i < offset + out.length) out[start + i - offset] = bytes[i];
          }
        }
        return out;
      },
    };
    const entries = await readZipDirectory(archive);
    expect(entries.map((entry) => [entry.path, entry.unpackedBytes])).toEqual([
      ['big.raw', size],
      ['late.txt', 3],
    ]);
    const source = zipEntrySource(archive, entries[1], new UnpackedCache());
    expect(Buffer.from(await source.read(0, 3)).toString()).toBe('end');
    expect(await checkZip(archive)).toEqual([
      { path: 'big.raw', unpackedBytes: size, zip64: true },
      { path: 'late.txt', unpackedBytes: 3, zip64: false, data: text('end') },
    ]);
  });

  it.each(['../up.txt', '/root.txt', 'a/../../b', 'C:\\windows', 'a\\..\\b'])(
    'refuses the name %s',
    async (path) => {
      const bytes = await collect(writeZip([{ path: 'x'.repeat(path.length), data: text('1') }]));
      const hostile = Buffer.from(bytes).toString('latin1').replaceAll('x'.repeat(path.length), path);
      const archive = bytesSource('evil.zip', new Uint8Array(Buffer.from(hostile, 'latin1')));
      await expect(readZipDirectory(archive)).rejects.toThrow(/leads outside/);
      await expect(
        collect(writeZip([{ path: path.replaceAll('C:', '/'), data: text('1') }])),
      ).rejects.toThrow(RangeError);
    },
  );

  it('refuses a file that unpacks to more than it declares', async () => {
    const bytes = await collect(writeZip([{ path: 'bomb', data: new Uint8Array(100_000), compress: true }]));
    const view = new DataView(bytes.buffer);
    const central = Buffer.from(bytes).indexOf('PK\x01\x02', 0, 'latin1');
    view.setUint32(central + 24, 1000, true);
    const archive = bytesSource('bomb.zip', bytes);
    const [entry] = await readZipDirectory(archive);
    const source = zipEntrySource(archive, entry, new UnpackedCache());
    await expect(source.read(0, 1000)).rejects.toThrow(/more than the 1000 bytes/);
  });

  it('refuses sizes that deflate cannot reach, before unpacking anything', async () => {
    const bytes = await collect(writeZip([{ path: 'bomb', data: new Uint8Array(100), compress: true }]));
    const central = Buffer.from(bytes).indexOf('PK\x01\x02', 0, 'latin1');
    new DataView(bytes.buffer).setUint32(central + 24, 0xfffffff0, true);
    await expect(readZipDirectory(bytesSource('bomb.zip', bytes))).rejects.toThrow(/not possible/);
  });

  it('refuses files that share their bytes', async () => {
    const bytes = await collect(
      writeZip([
        { path: 'a', data: text('same') },
        { path: 'b', data: text('same') },
      ]),
    );
    const second = Buffer.from(bytes).lastIndexOf('PK\x01\x02', undefined, 'latin1');
    new DataView(bytes.buffer).setUint32(second + 42, 0, true);
    await expect(readZipDirectory(bytesSource('overlap.zip', bytes))).rejects.toThrow(/overlap/);
  });

  it('detects damage by the checksum', async () => {
    const packed = new Uint8Array(deflateRawSync(text('hello hello')));
    const archive = bytesSource('p', packed);
    const entry = {
      path: 'x',
      compression: 'deflate' as const,
      packedBytes: packed.length,
      unpackedBytes: 11,
      crc32: 123,
      headerOffset: 0,
    };
    const withHeader = bytesSource(
      'p.zip',
      Buffer.concat([
        localHeader({ ...entry, descriptor: false, zip64: false, modified: new Date(0) }),
        packed,
      ]),
    );
    expect(archive.size).toBe(packed.length);
    await expect(zipEntrySource(withHeader, entry, new UnpackedCache()).read(0, 11)).rejects.toThrow(
      /checksum/,
    );
  });

  it('names encryption and unsupported methods', async () => {
    const bytes = await collect(writeZip([{ path: 'a', data: text('1') }]));
    const central = Buffer.from(bytes).indexOf('PK\x01\x02', 0, 'latin1');
    const encrypted = bytes.slice();
    encrypted[central + 8] |= 1;
    await expect(readZipDirectory(bytesSource('e.zip', encrypted))).rejects.toThrow(/encrypted/);
    const lzma = bytes.slice();
    lzma[central + 10] = 14;
    await expect(readZipDirectory(bytesSource('l.zip', lzma))).rejects.toThrow(/method 14/);
  });

  it('enforces its limits', async () => {
    const archive = bytesSource('a.zip', await collect(writeZip(mixed())));
    await expect(readZipDirectory(archive, { ...defaultZipLimits, entries: 3 })).rejects.toThrow(/at most 3/);
    await expect(readZipDirectory(archive, { ...defaultZipLimits, unpackedBytes: 100 })).rejects.toThrow(
      /at most 100/,
    );
  });

  it('refuses to write a stream of another length than declared', async () => {
    const input = { path: 'a', data: makeStream(text('abc')), sizeBytes: 4 };
    await expect(collect(writeZip([input]))).rejects.toThrow(/was to have 4 bytes/);
  });

  it('throws a FormatError or returns files when any bytes are changed', async () => {
    const good = await collect(writeZip(mixed().slice(0, 4)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (edits) => {
          const bytes = good.slice();
          for (const [at, value] of edits) bytes[at] = value;
          try {
            await unpackAll(bytesSource('fuzz.zip', bytes));
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('computes the CRC-32 of zlib without zlib too', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.uint8Array({ maxLength: 30 }), (a, b) => {
        expect(crc32Portable(b, crc32Portable(a))).toBe(referenceCrc32(Buffer.concat([a, b])));
      }),
    );
  });
});
