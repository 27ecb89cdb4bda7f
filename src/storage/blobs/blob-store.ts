/** Interface of the blob store, which holds files and volumes by key. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';

/** Bytes, or a stream of parts; they must not change until everything is stored. */
export type BlobSource = Uint8Array | AsyncIterable<Uint8Array>;

/** Bytes from `start` (included) to `end` (excluded). */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface StoredBlob {
  sizeBytes: number;
  /** hex */
  sha256: string;
}

export interface BlobInfo {
  key: string;
  sizeBytes: number;
  modifiedAt: Date;
}

export interface PutOptions {
  mediaType?: string;
  /** aborts writing, leaving nothing under the key */
  signal?: AbortSignal;
}

/** There is no blob under the key. */
export class BlobNotFound extends Error {
  override name = 'BlobNotFound';
  readonly key: string;

  constructor(key: string) {
    super(`there is no blob ${key}`);
    this.key = key;
  }
}

/** Defers an error of a stream until it is read; without a listener, Node would end the process. */
export function deferErrors(stream: Readable): Readable {
  return stream.on('error', () => undefined);
}

/**
 * Blobs are written completely or not at all, and never change. While a key is being written, readers get its previous
 * content or BlobNotFound.
 */
export interface BlobStore {
  /** Writes a blob of any size, in parts if the store requires it. */
  put(key: string, source: BlobSource, options?: PutOptions): Promise<StoredBlob>;
  /**
   * Takes over a local file, without copying it if the store is on the same disk. The file must not change afterwards; its
   * original name may be deleted.
   * @param sha256 if known, the file is not read either
   */
  putFile(key: string, file: string, options?: PutOptions & { sha256?: string | null }): Promise<StoredBlob>;
  /**
   * Writes one of the many files of a volume. It may be lost in a power failure until `flush` is called, which is acceptable
   * because a volume exists only once all its files are written. The memory of a part of the source may be reused once the
   * second part after it was requested.
   */
  putPart(key: string, source: BlobSource): Promise<void>;
  /** @throws BlobNotFound, RangeError when the range begins beyond the end */
  get(key: string, range?: ByteRange, signal?: AbortSignal): Promise<Readable>;
  /** Returns all bytes, for small blobs and ranges. @throws BlobNotFound, RangeError */
  read(key: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** Fills `target`, which may be shared memory, from byte `start` on. @throws BlobNotFound; RangeError when the blob ends early */
  readInto(target: Uint8Array, key: string, start: number, signal?: AbortSignal): Promise<void>;
  head(key: string): Promise<BlobInfo | undefined>;
  /** All blobs whose key begins with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<BlobInfo>;
  /** Deletes a blob; a missing one is not an error. */
  delete(key: string): Promise<void>;
  /** Deletes all blobs below `prefix`, which must end with a slash. */
  deleteAll(prefix: string): Promise<void>;
  /** Resolves once everything below `prefix` would survive a power failure. */
  flush(prefix: string): Promise<void>;
  /** Releases connections. */
  close(): Promise<void>;
}

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const MAX_KEY_LENGTH = 900;

/**
 * Checks a key: segments of letters, digits, `.`, `_` and `-`, separated by single slashes, none starting with a dot.
 *
 * @throws RangeError naming the key
 */
export function checkKey(key: string): void {
  if (key.length > MAX_KEY_LENGTH || !key.split('/').every((segment) => SEGMENT.test(segment))) {
    throw new RangeError(
      `${JSON.stringify(key)} is no key of a blob: use letters, digits, ".", "_" and "-" between single slashes`,
    );
  }
}

/** Checks a prefix: a key, with or without a trailing slash, or empty. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '') checkKey(prefix.replace(/\/$/, ''));
}

/** @throws RangeError unless it is two integers in ascending order */
export function checkRange(range: ByteRange): void {
  const { start, end } = range;
  if (
    !Number.isSafeInteger(start) ||
    start < 0 ||
    (end !== undefined && (!Number.isSafeInteger(end) || end < start))
  ) {
    throw new RangeError(`bytes ${start} to ${end ?? 'the end'} are no range: 0 ≤ start ≤ end is needed`);
  }
}

export type BlobRoom =
  | 'files'
  | 'volumes'
  | 'views'
  | 'exports'
  | 'uploads'
  | 'thumbnails'
  | 'renders'
  | 'archives';

/** A new unique key; the two-digit folder keeps directories small. */
export function newBlobKey(room: BlobRoom): string {
  const id = randomUUID();
  return `${room}/${id.slice(0, 2)}/${id}`;
}

/** @throws RangeError when fewer bytes were read than requested */
export function checkFilled(bytes: number, target: Uint8Array, key: string): void {
  if (bytes === target.byteLength) return;
  throw new RangeError(`${key} ends ${target.byteLength - bytes} bytes early`);
}
