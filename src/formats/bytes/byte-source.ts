import { malformed } from '../format-error.ts';

/** A file, or what acts as one, that is read at any place without being in memory whole. */
/** One file, or several of which the first is the main one. */
export type Sources = readonly [ByteSource, ...ByteSource[]];

/** Name of one or several files for messages: that of the first. */
export const nameSources = ([first]: readonly ByteSource[]): string => first?.name ?? 'Nothing';

export interface ByteSource {
  /** file name without folders, as far as known */
  readonly name: string;
  /** total size in bytes */
  readonly size: number;
  /** bytes offset … offset+length−1; fewer only at the end of the source. The caller owns the array. */
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Exactly `length` bytes, or a FormatError that says what is cut off. Allocates nothing if the source is too short. */
export async function readExactly(
  source: ByteSource,
  offset: number,
  length: number,
  what: string,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!(offset >= 0 && length >= 0 && offset + length <= source.size)) {
    throw malformed(
      `${source.name}: ${what} would span bytes ${offset} to ${offset + length}, but the file has ${source.size} bytes.`,
    );
  }
  const bytes = await source.read(offset, length);
  if (bytes.length !== length) {
    throw malformed(
      `${source.name}: ${what} ends after ${bytes.length} of ${length} bytes at byte ${offset}.`,
    );
  }
  return bytes;
}

export function bytesSource(name: string, bytes: Uint8Array): ByteSource {
  return { name, size: bytes.length, read: async (offset, length) => bytes.slice(offset, offset + length) };
}

/** A `File` or `Blob` of the browser, read on demand. */
export function blobSource(blob: Blob, name = 'name' in blob ? String(blob.name) : 'file'): ByteSource {
  return {
    name,
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  };
}

/** `size` bytes of another source from `offset`, as a source. */
export function slicePart(source: ByteSource, offset: number, size: number, name = source.name): ByteSource {
  return {
    name,
    size,
    read: (from, length) => source.read(offset + from, Math.max(0, Math.min(length, size - from))),
  };
}

/**
 * The same source, read in windows of `windowBytes`, so that many small neighbouring reads cost one. Keeps two windows,
 * so that headers at the end of a file and data at its beginning do not evict each other.
 */
export function buffered(source: ByteSource, windowBytes = 65536): ByteSource {
  let recent: { start: number; bytes: Uint8Array }[] = [];
  return {
    name: source.name,
    size: source.size,
    read: async (offset, length) => {
      if (length > windowBytes / 2) return source.read(offset, length);
      const end = Math.min(offset + length, source.size);
      let hit = recent.find((w) => offset >= w.start && end <= w.start + w.bytes.length);
      if (!hit) {
        hit = { start: offset, bytes: await source.read(offset, windowBytes) };
        recent = [hit, ...recent].slice(0, 2);
      }
      return new Uint8Array(hit.bytes.subarray(offset - hit.start, Math.max(0, end - hit.start)));
    },
  };
}
