/** Files and volumes by key: what the rest of the program knows of where bytes are kept. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';

/** Bytes, or parts of them, which stay as they are until all is stored. */
export type BlobSource = Uint8Array | AsyncIterable<Uint8Array>;

/** Bytes `start` up to and without `end`. */
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
  /** stops the writing; nothing is left under the key */
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

/** A stream that fails before somebody reads it fails its reader then, where Node would end the process. */
export function deferErrors(stream: Readable): Readable {
  return stream.on('error', () => undefined);
}

/**
 * Blobs are written whole or not at all, and are not changed afterwards. A reader of a key that is being
 * written gets what was there before, or BlobNotFound.
 */
export interface BlobStore {
  /** Writes a blob of any size, in parts where the store needs that. */
  put(key: string, source: BlobSource, options?: PutOptions): Promise<StoredBlob>;
  /**
   * Takes over a file of this machine, whose bytes are not copied where the store lies on the same disk. Nobody may change
   * it afterwards; its own name can go.
   * @param sha256 where it is known: then the bytes are not read either
   */
  putFile(key: string, file: string, options?: PutOptions & { sha256?: string | null }): Promise<StoredBlob>;
  /**
   * Writes one of the many files of a volume, which is not there before its last file is written anyway: it may still be
   * lost when the machine loses power, until `flush` is called. Here the memory of a part of the source may be used anew
   * once the second part after it was asked for.
   */
  putPart(key: string, source: BlobSource): Promise<void>;
  /** @throws BlobNotFound, RangeError when the range begins beyond the end */
  get(key: string, range?: ByteRange, signal?: AbortSignal): Promise<Readable>;
  /** The bytes at once, for small blobs and ranges. @throws BlobNotFound, RangeError */
  read(key: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** Fills `target`, which other threads may see, from byte `start` on. @throws BlobNotFound, RangeError where the blob ends before */
  readInto(target: Uint8Array, key: string, start: number, signal?: AbortSignal): Promise<void>;
  head(key: string): Promise<BlobInfo | undefined>;
  /** All blobs whose key begins with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<BlobInfo>;
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>;
  /** Deletes all blobs below `prefix`, which ends in a slash. */
  deleteAll(prefix: string): Promise<void>;
  /** Returns once everything below `prefix` survives a power failure. */
  flush(prefix: string): Promise<void>;
  /** Releases connections. */
  close(): Promise<void>;
}

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const MAX_KEY_LENGTH = 900;

/**
 * Segments of letters, digits, `.`, `_` and `-` between single slashes, none beginning with a dot.
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

/** A prefix is a key with or without a slash at its end, or nothing. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '') checkKey(prefix.replace(/\/$/, ''));
}

/** @throws RangeError when it isn't two whole numbers in order */
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

/** A key that no other blob has or had; the two digits keep folders on disk small. */
export function newBlobKey(room: BlobRoom): string {
  const id = randomUUID();
  return `${room}/${id.slice(0, 2)}/${id}`;
}

/** @throws RangeError when fewer bytes were read than were asked for */
export function checkFilled(bytes: number, target: Uint8Array, key: string): void {
  if (bytes === target.byteLength) return;
  throw new RangeError(`${key} ends ${target.byteLength - bytes} bytes early`);
}
