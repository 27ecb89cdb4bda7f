import { type ByteSource, readExactly, slicePart } from '../bytes/byte-source.ts';
import { crc32 } from '../bytes/crc32.ts';
import { inflateStream } from '../bytes/inflate.ts';
import { streamedSource } from '../bytes/streamed-source.ts';
import { malformed } from '../format-error.ts';
import type { ZipFileEntry } from './zip-directory.ts';

/** Deflated files up to this size are unpacked as a whole; larger ones are streamed. */
const wholeBytes = 64 << 20;
/**
 * Bytes behind the furthest position of a large deflated file that remain readable: pages of a TIFF have their
 * directory after their data, and going back must not restart the stream.
 */
const windowBytes = 96 << 20;
/** Total size of unpacked files kept for the next read. */
const keptBytes = 128 << 20;

/** Cache of unpacked small files of one archive; the oldest is evicted first. */
export class UnpackedCache {
  private readonly kept = new Map<string, Uint8Array>();
  private bytes = 0;

  get(key: string): Uint8Array | undefined {
    const value = this.kept.get(key);
    if (value) {
      this.kept.delete(key);
      this.kept.set(key, value);
    }
    return value;
  }

  set(key: string, value: Uint8Array): void {
    this.kept.set(key, value);
    this.bytes += value.length;
    for (const [oldest, old] of this.kept) {
      if (this.bytes <= keptBytes || oldest === key) break;
      this.kept.delete(oldest);
      this.bytes -= old.length;
    }
  }
}

/**
 * One file of an archive as a source that is unpacked on reading. Stored files are read in place; deflated ones as a
 * whole (up to 64 MiB, cached) or as a stream. The checksum is verified whenever all bytes are read in order.
 */
export function zipEntrySource(archive: ByteSource, entry: ZipFileEntry, cache: UnpackedCache): ByteSource {
  const where = `${archive.name}, ${entry.path}`;
  const name = entry.path.split('/').pop() ?? entry.path;
  let located: Promise<ByteSource> | undefined;
  const packed = () => {
    located ??= locate(archive, entry, where);
    return located;
  };
  if (entry.compression === 'store') {
    return {
      name,
      size: entry.unpackedBytes,
      read: async (offset, length) => (await packed()).read(offset, length),
    };
  }
  const unpacked = async function* (): AsyncGenerator<Uint8Array> {
    let total = 0;
    let sum = 0;
    for await (const block of inflateStream(await packed(), 'deflate-raw')) {
      total += block.length;
      if (total > entry.unpackedBytes) {
        throw malformed(
          `${where} unpacks to more than the ${entry.unpackedBytes} bytes that the archive declares.`,
        );
      }
      sum = crc32(block, sum);
      if (total === entry.unpackedBytes && sum !== entry.crc32) {
        throw malformed(`${where} is damaged: its checksum is not the one in the archive.`);
      }
      yield block;
    }
    if (total < entry.unpackedBytes) {
      throw malformed(`${where} unpacks to ${total} bytes, but the archive declares ${entry.unpackedBytes}.`);
    }
  };
  const streamed = streamedSource(name, entry.unpackedBytes, unpacked, { keptBytes: windowBytes });
  if (entry.unpackedBytes > wholeBytes) return streamed;
  let pending: Promise<Uint8Array> | undefined;
  const whole = async (): Promise<Uint8Array> => {
    const known = cache.get(entry.path);
    if (known) return known;
    pending ??= (async () => {
      // Grows with the actual output, not the declared size.
      const blocks: Uint8Array[] = [];
      for await (const block of unpacked()) blocks.push(block);
      const bytes = new Uint8Array(entry.unpackedBytes);
      let at = 0;
      for (const block of blocks) {
        bytes.set(block, at);
        at += block.length;
      }
      cache.set(entry.path, bytes);
      return bytes;
    })().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  return {
    name,
    size: entry.unpackedBytes,
    read: async (offset, length) => new Uint8Array((await whole()).subarray(offset, offset + length)),
  };
}

/** The packed bytes after the local header, which has its own name and extra lengths. */
async function locate(archive: ByteSource, entry: ZipFileEntry, where: string): Promise<ByteSource> {
  const header = await readExactly(archive, entry.headerOffset, 30, `the header of ${entry.path}`);
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (view.getUint32(0, true) !== 0x04034b50)
    throw malformed(`${where}: its header in the archive is damaged.`);
  const start = entry.headerOffset + 30 + view.getUint16(26, true) + view.getUint16(28, true);
  if (start + entry.packedBytes > archive.size) throw malformed(`${where} is cut off.`);
  return slicePart(archive, start, entry.packedBytes, entry.path);
}
