import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { collect } from '../testing/collect.ts';
import { bytesSource } from './byte-source.ts';

const content = Uint8Array.from({ length: 300_000 }, (_, i) => (i * i) % 251);
const member = (from: number, to: number) => gzipSync(content.subarray(from, to));
const files = {
  'of one member': [member(0, 300_000)],
  'of several members': [member(0, 10), member(10, 10), member(10, 200_000), member(200_000, 300_000)],
  'of thousands of members': [
    ...Array.from({ length: 3000 }, (_, i) => member(i, i + 1)),
    member(3000, 300_000),
  ],
  'padded with zeros': [member(0, 300_000), Buffer.alloc(5000)],
};

/** With Node's own decompressor, and with that of browsers. */
describe.each([
  ['Node', true],
  ['a browser', false],
])('gzip in %s', (_, isNode) => {
  const load = async () => {
    vi.resetModules();
    if (!isNode) vi.doMock('./native-zlib.ts', () => ({ nativeZlib: undefined }));
    return (await import('./inflate.ts')).inflateStream;
  };
  afterEach(() => vi.doUnmock('./native-zlib.ts'));

  it.each(Object.entries(files))('%s is read whole', async (_name, parts) => {
    const inflateStream = await load();
    const bytes = await collect(inflateStream(bytesSource('a.gz', Buffer.concat(parts)), 'gzip'));
    expect(Buffer.compare(bytes, content)).toBe(0);
  });

  it('that is damaged is refused, in any member', async () => {
    const inflateStream = await load();
    const damaged = Buffer.concat([member(0, 100_000), member(100_000, 300_000)]);
    // The byte right after the header of the second member: no block type starts with this value.
    damaged[member(0, 100_000).length + 10] = 0xff;
    await expect(collect(inflateStream(bytesSource('a.gz', damaged), 'gzip'))).rejects.toThrow(
      'a.gz: the compressed data is damaged or cut off (gzip).',
    );
    const none = bytesSource('a.gz', Buffer.from('no gzip at all'));
    await expect(collect(inflateStream(none, 'gzip'))).rejects.toThrow(/damaged or cut off/);
  });

  it('stops reading when its reader stops', async () => {
    const inflateStream = await load();
    const reads: number[] = [];
    const zeros = gzipSync(new Uint8Array(64 << 20), { level: 1 });
    const file = bytesSource('a.gz', Buffer.concat(Array.from({ length: 40 }, () => zeros)));
    const source = {
      ...file,
      read: (offset: number, length: number) => {
        reads.push(offset);
        return file.read(offset, length);
      },
    };
    for await (const piece of inflateStream(source, 'gzip')) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect(reads.length).toBeLessThan(source.size / (1 << 20));
  });
});
