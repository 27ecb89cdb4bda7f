import { Gunzip, inflateSync } from 'fflate';
import { malformed, unsupported } from '../format-error.ts';
import type { ByteSource } from './byte-source.ts';
import { type NodeGunzip, nativeZlib } from './native-zlib.ts';

export type Compression = 'gzip' | 'deflate' | 'deflate-raw';

/** Deflate cannot expand data by more than this; a header that claims more is wrong or hostile. */
export const deflateMaximumRatio = 1032;

/** Scans compress to a third, synthetic data to a hundredth; higher ratios are decompression bombs. */
const likelyRatio = 256;
/** Up to this size any ratio is accepted. */
const harmlessBytes = 2 ** 32;

/**
 * Compares the stated unpacked size of a compressed file with its compressed size, before unpacking.
 *
 * @param possibleRatio largest ratio of this compression
 * @throws FormatError MALFORMED for impossible sizes, UNSUPPORTED for improbable ones
 */
export function checkUnpacking(
  where: string,
  packedBytes: number,
  unpackedBytes: number,
  possibleRatio = deflateMaximumRatio,
): void {
  if (unpackedBytes > packedBytes * possibleRatio) {
    throw malformed(
      `${where}: ${unpackedBytes} bytes are declared, which ${packedBytes} compressed bytes cannot hold.`,
    );
  }
  const limit = Math.max(harmlessBytes, packedBytes * likelyRatio);
  if (unpackedBytes > limit) {
    throw unsupported(
      `${where}: ${packedBytes} compressed bytes would unpack to ${unpackedBytes}; at most ${limit} are read.`,
    );
  }
}

/** A decompressor: input is written in blocks, each accepted before the next; output is read concurrently. */
interface Inflater {
  write(block: Uint8Array<ArrayBuffer>): Promise<void>;
  /** end of the input */
  end(): Promise<void>;
  /** the next piece; undefined at the end. @throws for damaged data, and the reason given to `stop` */
  read(): Promise<Uint8Array | undefined>;
  stop(reason?: unknown): Promise<void>;
}

const inputBlockBytes = 1 << 20;

/**
 * Inflates a source piece by piece with the platform's decompressor, using about a megabyte. A gzip file may have
 * several members, as written by `bgzip` and `cat`, and padding at the end.
 *
 * @throws FormatError MALFORMED when the compressed data is damaged
 */
export async function* inflateStream(
  source: ByteSource,
  compression: Compression,
): AsyncGenerator<Uint8Array> {
  const inflater = openInflater(compression);
  let stopped = false;
  let readingFailed: { error: unknown } | undefined;
  const feed = async () => {
    try {
      for (let at = 0; at < source.size && !stopped; at += inputBlockBytes) {
        let block: Uint8Array<ArrayBuffer>;
        try {
          block = await source.read(at, inputBlockBytes);
        } catch (error) {
          readingFailed = { error };
          await inflater.stop(error);
          return;
        }
        await inflater.write(block);
      }
      await inflater.end();
    } catch {
      // The reader gets the same failure and reports it.
    }
  };
  const feeding = feed();
  try {
    for (;;) {
      const piece = await inflater.read();
      if (!piece) break;
      yield piece;
    }
  } catch (error) {
    if (readingFailed) throw readingFailed.error;
    throw malformed(`${source.name}: the compressed data is damaged or cut off (${compression}).`, error);
  } finally {
    stopped = true;
    await inflater.stop().catch(() => undefined);
    await feeding;
  }
}

function openInflater(compression: Compression): Inflater {
  if (compression !== 'gzip') return inflateByStream(new DecompressionStream(compression));
  return nativeZlib ? inflateByNode(nativeZlib.createGunzip()) : inflateByStream(gunzipMembers(), pushBytes);
}

interface Transform {
  writable: WritableStream<Uint8Array<ArrayBuffer>>;
  readable: ReadableStream<Uint8Array>;
}

/** @param pieceBytes bytes written at a time: the output of a piece is kept in memory until it is read */
function inflateByStream({ writable, readable }: Transform, pieceBytes = inputBlockBytes): Inflater {
  const writer = writable.getWriter();
  const reader = readable.getReader();
  return {
    write: async (block) => {
      for (let at = 0; at < block.length; at += pieceBytes) {
        await writer.ready;
        await writer.write(block.subarray(at, at + pieceBytes));
      }
    },
    end: () => writer.close(),
    read: async () => (await reader.read()).value,
    stop: async (reason) => {
      if (reason !== undefined) await writer.abort(reason);
      await reader.cancel();
    },
  };
}

/** Node's gunzip, because its `DecompressionStream` rejects a second member. */
function inflateByNode(gunzip: NodeGunzip): Inflater {
  const pieces = gunzip[Symbol.asyncIterator]();
  // Errors are thrown by the iterator; without a listener they would also end the process.
  gunzip.on('error', () => undefined);
  // After an error, a stream never calls back for pending writes.
  const closed = new Promise<void>((resolve) => gunzip.on('close', resolve));
  return {
    write: async (block) => {
      await Promise.race([closed, new Promise<void>((resolve) => gunzip.write(block, () => resolve()))]);
      if (gunzip.destroyed) throw new Error('the stream has ended');
    },
    end: async () => gunzip.end(),
    read: async () => (await pieces.next()).value,
    stop: async () => gunzip.destroy(),
  };
}

/** fflate's error code for data without a gzip header. */
const isNoGzip = (error: unknown) => (error as { code?: number }).code === 6;
/** Members within one push are processed recursively, so a push must not contain too many. */
const pushBytes = 16 << 10;

/** For platforms with `DecompressionStream` only, which stops after the first member. */
function gunzipMembers(): Transform {
  let passed = 0;
  let isPadding = false;
  let gunzip: Gunzip;
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array>({
    start: (controller) => {
      gunzip = new Gunzip((piece) => {
        passed += piece.length;
        controller.enqueue(piece);
      });
    },
    transform: (block) => {
      if (isPadding) return;
      try {
        gunzip.push(block);
      } catch (error) {
        if (!isNoGzip(error) || passed === 0) throw error;
        isPadding = true;
      }
    },
  });
}

/** zlib stores free space in 32 bits. */
const MAX_PIECE_BYTES = 2 ** 30;

/**
 * Inflates at most `length` bytes; the rest of a longer stream is dropped, so memory is bounded by the caller.
 *
 * @returns the bytes; fewer than `length` if the stream is shorter
 */
export function inflateBounded(bytes: Uint8Array, length: number, wrapped: boolean): Uint8Array<ArrayBuffer> {
  let body = bytes;
  if (wrapped) {
    // zlib header: method 8, window ≤ 32 K, no preset dictionary, checksum divisible by 31. The checksum at the end is
    // optional, because some writers omit it.
    const [method = 0, flags = 0] = bytes;
    if ((method & 15) !== 8 || method >> 4 > 7 || ((method << 8) | flags) % 31 !== 0) {
      throw malformed('the data does not begin as a zlib stream');
    }
    if (flags & 32) throw malformed('the zlib stream needs a preset dictionary');
    body = bytes.subarray(2);
  }
  if (nativeZlib) {
    try {
      // Some writers pad the last strip to its full height, hence the allowance.
      const maxOutputLength = length + 65536;
      const finishFlush = nativeZlib.constants.Z_SYNC_FLUSH;
      // In one piece if possible: several would be joined, which needs the memory twice.
      const chunkSize = Math.min(maxOutputLength, MAX_PIECE_BYTES);
      const options = { maxOutputLength, finishFlush, chunkSize };
      return nativeZlib.inflateRawSync(body, options).subarray(0, length);
    } catch {
      // Damaged, or longer than wanted, which zlib reports as an error too: the other decoder distinguishes the two.
    }
  }
  const out = new Uint8Array(length);
  let result: Uint8Array;
  try {
    result = inflateSync(body, { out });
  } catch (cause) {
    throw malformed('the Deflate data is damaged or cut off', cause);
  }
  return result.length === length ? out : out.subarray(0, result.length);
}
