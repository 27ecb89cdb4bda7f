import { Gunzip, inflateSync } from 'fflate';
import { malformed, unsupported } from '../format-error.ts';
import type { ByteSource } from './byte-source.ts';
import { type NodeGunzip, nativeZlib } from './native-zlib.ts';

export type Compression = 'gzip' | 'deflate' | 'deflate-raw';

/** Deflate cannot grow data more than this; a header that claims more is wrong or hostile. */
export const deflateMaximumRatio = 1032;

/** Grey values of scans shrink to a third, synthetic ones to a hundredth; what unpacks to more is made to exhaust. */
const likelyRatio = 256;
/** Up to here any ratio is fine. */
const harmlessBytes = 2 ** 32;

/**
 * Holds what a compressed file is said to unpack to against its own size, before anything is unpacked.
 *
 * @param possibleRatio more than this the compression cannot give
 * @throws FormatError MALFORMED for what is not possible, UNSUPPORTED for what is not likely
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

/** A decompressor: bytes go in by `write`, each accepted before the next; what comes out is read meanwhile. */
interface Inflater {
  write(block: Uint8Array<ArrayBuffer>): Promise<void>;
  /** no more will come */
  end(): Promise<void>;
  /** the next piece; undefined at the end. @throws for damaged bytes, and what `stop` was given */
  read(): Promise<Uint8Array | undefined>;
  stop(reason?: unknown): Promise<void>;
}

const inputBlockBytes = 1 << 20;

/**
 * Inflates a whole source piece by piece, with the platform's own decompressor, holding about a megabyte. A gzip file
 * may be of several members one after another, as `bgzip` and `cat` make them, and may be padded behind the last one.
 *
 * @throws FormatError MALFORMED when the compressed bytes are damaged
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
      // The reader sees the same failure and reports it.
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
  if (compression !== 'gzip') return throughStream(new DecompressionStream(compression));
  return nativeZlib
    ? throughNodeGunzip(nativeZlib.createGunzip())
    : throughStream(gunzipMembers(), pushBytes);
}

interface Transform {
  writable: WritableStream<Uint8Array<ArrayBuffer>>;
  readable: ReadableStream<Uint8Array>;
}

/** @param pieceBytes written at a time: what a piece becomes is held until it is read */
function throughStream({ writable, readable }: Transform, pieceBytes = inputBlockBytes): Inflater {
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

/** Node's own: its `DecompressionStream` takes a second member for damage. */
function throughNodeGunzip(gunzip: NodeGunzip): Inflater {
  const pieces = gunzip[Symbol.asyncIterator]();
  // What is wrong is thrown by the iterator; without a listener it would end the process besides.
  gunzip.on('error', () => undefined);
  // A stream that ends by an error never calls back for what was being written.
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

/** fflate's number for bytes that do not begin as gzip. */
const isNoGzip = (error: unknown) => (error as { code?: number }).code === 6;
/** Members within one push are gone through by recursion, so a push must not hold too many. */
const pushBytes = 16 << 10;

/** Where only `DecompressionStream` is, which ends at the first member. */
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

/** zlib counts what is free in 32 bits. */
const LONGEST_PIECE = 2 ** 30;

/**
 * Inflates into exactly `length` bytes; a longer stream is cut there, so memory never passes what the caller knows.
 *
 * @returns the bytes; shorter than `length` when the stream is
 */
export function inflateBounded(bytes: Uint8Array, length: number, wrapped: boolean): Uint8Array<ArrayBuffer> {
  let body = bytes;
  if (wrapped) {
    // zlib's header: method 8, window ≤ 32 K, no preset dictionary, and a check by 31. The sum at the end is not
    // required, since some writers leave it out.
    const [method = 0, flags = 0] = bytes;
    if ((method & 15) !== 8 || method >> 4 > 7 || ((method << 8) | flags) % 31 !== 0) {
      throw malformed('the data does not begin as a zlib stream');
    }
    if (flags & 32) throw malformed('the zlib stream needs a preset dictionary');
    body = bytes.subarray(2);
  }
  if (nativeZlib) {
    try {
      // Some writers fill the last strip up to its full height, hence the allowance.
      const maxOutputLength = length + 65536;
      const finishFlush = nativeZlib.constants.Z_SYNC_FLUSH;
      // In one piece where that can be: several would be joined, and held twice.
      const chunkSize = Math.min(maxOutputLength, LONGEST_PIECE);
      const options = { maxOutputLength, finishFlush, chunkSize };
      return nativeZlib.inflateRawSync(body, options).subarray(0, length);
    } catch {
      // Damaged, or longer than wanted, which zlib takes for an error: the other decoder tells them apart.
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
