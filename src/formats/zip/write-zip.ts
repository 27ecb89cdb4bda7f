import { compressed } from '../bytes/compress.ts';
import { crc32 } from '../bytes/crc32.ts';
import {
  centralHeader,
  dataDescriptor,
  endRecords,
  largest32,
  localHeader,
  type ZipRecord,
} from './zip-records.ts';

/** One file to pack. */
export interface ZipInput {
  /** path inside the archive, with forward slashes, no leading slash and no `..` */
  path: string;
  /** the bytes, or a stream that is read when the file is written */
  data: Uint8Array | AsyncIterable<Uint8Array>;
  /** length of a stream, if known; a different number of bytes is then an error */
  sizeBytes?: number;
  /** deflate instead of store; grey values of a scan hardly compress, so store is the default */
  compress?: boolean;
  /** default: now */
  modified?: Date;
}

/** What is known of a file before its data. */
function plan(input: ZipInput, headerOffset: number, modified: Date): ZipRecord {
  const { path, data, compress = false } = input;
  if (
    path === '' ||
    path.startsWith('/') ||
    path.includes('\\') ||
    path.split('/').includes('..') ||
    path.includes('\0')
  ) {
    throw new RangeError(`"${path}" is no path for a file in an archive`);
  }
  const inMemory = data instanceof Uint8Array;
  const size = inMemory ? data.length : input.sizeBytes;
  const known = inMemory && !compress;
  return {
    path,
    compression: compress ? 'deflate' : 'store',
    descriptor: !known,
    // Deflate can expand incompressible data slightly, so sizes near the limit count as large.
    zip64: size === undefined || size > largest32 - (compress ? largest32 / 100 : 0),
    packedBytes: known ? data.length : 0,
    unpackedBytes: known ? data.length : 0,
    crc32: known ? crc32(data) : 0,
    headerOffset,
    modified,
  };
}

/**
 * Writes a ZIP archive piece by piece in constant memory; zip64 if sizes, offsets or the number of files need it.
 *
 * `inputs` may be a generator: each file is requested after the previous one is finished, so a manifest of checksums
 * can come last.
 *
 * @throws RangeError for paths that leave the archive or are duplicated, and for streams of a different length than
 * stated
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
export async function* writeZip(
  inputs: Iterable<ZipInput> | AsyncIterable<ZipInput>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const written: ZipRecord[] = [];
  const paths = new Set<string>();
  let offset = 0;
  for await (const input of inputs) {
    signal?.throwIfAborted();
    if (paths.has(input.path)) throw new RangeError(`"${input.path}" comes twice in the archive`);
    paths.add(input.path);
    const record = plan(input, offset, input.modified ?? new Date());
    const header = localHeader(record);
    yield header;
    offset += header.length;
    let sum = 0;
    let unpacked = 0;
    const counted = async function* () {
      for await (const block of listBlocks(input.data)) {
        signal?.throwIfAborted();
        sum = crc32(block, sum);
        unpacked += block.length;
        yield block;
      }
    };
    let packed = 0;
    for await (const block of input.compress ? compressed(counted(), 'deflate-raw') : counted()) {
      packed += block.length;
      yield block;
    }
    if (input.sizeBytes !== undefined && unpacked !== input.sizeBytes) {
      throw new RangeError(`"${input.path}" was to have ${input.sizeBytes} bytes, but gave ${unpacked}`);
    }
    Object.assign(record, { crc32: sum, packedBytes: packed, unpackedBytes: unpacked });
    const descriptor = dataDescriptor(record);
    if (descriptor.length > 0) yield descriptor;
    offset += packed + descriptor.length;
    written.push(record);
  }
  let directoryBytes = 0;
  for (const record of written) {
    const header = centralHeader(record);
    directoryBytes += header.length;
    yield header;
  }
  yield endRecords(written.length, directoryBytes, offset);
}

async function* listBlocks(data: ZipInput['data']): AsyncGenerator<Uint8Array> {
  if (data instanceof Uint8Array) {
    if (data.length > 0) yield data;
    return;
  }
  for await (const block of data) if (block.length > 0) yield block;
}
