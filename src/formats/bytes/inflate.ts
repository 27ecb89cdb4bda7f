import { inflateSync } from 'fflate';
import { malformed, unsupported } from '../format-error.ts';
import type { ByteSource } from './byte-source.ts';
import { nativeZlib } from './native-zlib.ts';

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

const inputBlockBytes = 1 << 20;

/**
 * Inflates a whole source piece by piece, with the platform's own decompressor, holding about a megabyte.
 *
 * @throws FormatError MALFORMED when the compressed bytes are damaged; the reason of `signal` when it is aborted
 */
export async function* inflateStream(
  source: ByteSource,
  compression: Compression,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream(compression);
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
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
          await writer.abort(error);
          return;
        }
        await writer.ready;
        await writer.write(block);
      }
      await writer.close();
    } catch {
      // The reader sees the same failure and reports it.
    }
  };
  const feeding = feed();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
  } catch (error) {
    if (readingFailed) throw readingFailed.error;
    if (signal?.aborted) throw error;
    throw malformed(`${source.name}: the compressed data is damaged or cut off (${compression}).`, error);
  } finally {
    stopped = true;
    await reader.cancel().catch(() => undefined);
    await feeding;
  }
}

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
      const options = { maxOutputLength: length + 65536, finishFlush: nativeZlib.constants.Z_SYNC_FLUSH };
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
