import type { ZipFileEntry } from './zip-directory.ts';

/** Records of a ZIP archive about one file. */
export interface ZipRecord extends ZipFileEntry {
  /** sizes and checksum follow the data, because they are not known before */
  descriptor: boolean;
  /** the local header and descriptor have 64-bit sizes */
  zip64: boolean;
  modified: Date;
}

const full16 = 0xffff;
const full32 = 0xffffffff;

/** The largest size of a 32-bit field; all ones mean "see the zip64 field". */
export const largest32 = full32 - 1;

/** Little-endian bytes of numbers with their widths. */
function pack(fields: [value: number, width: 2 | 4 | 8][], ...tails: Uint8Array[]): Uint8Array {
  const fixed = fields.reduce((sum, [, width]) => sum + width, 0);
  const bytes = new Uint8Array(fixed + tails.reduce((sum, tail) => sum + tail.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, width] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else if (width === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += width;
  }
  for (const tail of tails) {
    bytes.set(tail, at);
    at += tail.length;
  }
  return bytes;
}

/** DOS date and time in UTC, with a resolution of two seconds, from 1980. */
function dosTime(date: Date): { time: number; date: number } {
  const year = Math.min(127, Math.max(0, date.getUTCFullYear() - 1980));
  return {
    time: (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
    date: (year << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(),
  };
}

const utf8Flag = 1 << 11;
const descriptorFlag = 1 << 3;
const flags = (record: ZipRecord) => utf8Flag | (record.descriptor ? descriptorFlag : 0);
const method = (record: ZipRecord) => (record.compression === 'deflate' ? 8 : 0);
const nameBytes = (path: string) => new TextEncoder().encode(path);

/** The header before a file's data. */
export function localHeader(record: ZipRecord): Uint8Array {
  const { time, date } = dosTime(record.modified);
  const name = nameBytes(record.path);
  const known = !record.descriptor;
  const extra = record.zip64
    ? pack([
        [1, 2],
        [16, 2],
        [known ? record.unpackedBytes : 0, 8],
        [known ? record.packedBytes : 0, 8],
      ])
    : new Uint8Array(0);
  const size = (bytes: number) => (record.zip64 ? full32 : known ? bytes : 0);
  return pack(
    [
      [0x04034b50, 4],
      [record.zip64 ? 45 : 20, 2],
      [flags(record), 2],
      [method(record), 2],
      [time, 2],
      [date, 2],
      [known ? record.crc32 : 0, 4],
      [size(record.packedBytes), 4],
      [size(record.unpackedBytes), 4],
      [name.length, 2],
      [extra.length, 2],
    ],
    name,
    extra,
  );
}

/** Checksum and sizes after a file's data; empty when the header had them. */
export function dataDescriptor(record: ZipRecord): Uint8Array {
  if (!record.descriptor) return new Uint8Array(0);
  const width = record.zip64 ? 8 : 4;
  return pack([
    [0x08074b50, 4],
    [record.crc32, 4],
    [record.packedBytes, width],
    [record.unpackedBytes, width],
  ]);
}

/** A file's record in the central directory. */
export function centralHeader(record: ZipRecord): Uint8Array {
  const { time, date } = dosTime(record.modified);
  const name = nameBytes(record.path);
  const wide: [number, 8][] = [];
  const narrow = (value: number): number => {
    if (value <= largest32) return value;
    wide.push([value, 8]);
    return full32;
  };
  // Order matters: unpacked size, packed size, offset, each only when it is too large.
  const unpacked = narrow(record.unpackedBytes);
  const packed = narrow(record.packedBytes);
  const offset = narrow(record.headerOffset);
  const extra = wide.length > 0 ? pack([[1, 2], [8 * wide.length, 2], ...wide]) : new Uint8Array(0);
  return pack(
    [
      [0x02014b50, 4],
      [(3 << 8) | 45, 2],
      [record.zip64 || wide.length > 0 ? 45 : 20, 2],
      [flags(record), 2],
      [method(record), 2],
      [time, 2],
      [date, 2],
      [record.crc32, 4],
      [packed, 4],
      [unpacked, 4],
      [name.length, 2],
      [extra.length, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [(0o100644 << 16) >>> 0, 4],
      [offset, 4],
    ],
    name,
    extra,
  );
}

/** The end of the archive; zip64 records come first when a number is too large for the old one. */
export function endRecords(entries: number, directoryBytes: number, directoryOffset: number): Uint8Array {
  const big = entries >= full16 || directoryBytes > largest32 || directoryOffset > largest32;
  const end64 = big
    ? pack([
        [0x06064b50, 4],
        [44, 8],
        [(3 << 8) | 45, 2],
        [45, 2],
        [0, 4],
        [0, 4],
        [entries, 8],
        [entries, 8],
        [directoryBytes, 8],
        [directoryOffset, 8],
        [0x07064b50, 4],
        [0, 4],
        [directoryOffset + directoryBytes, 8],
        [1, 4],
      ])
    : new Uint8Array(0);
  const end = pack([
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [Math.min(entries, full16), 2],
    [Math.min(entries, full16), 2],
    [Math.min(directoryBytes, full32), 4],
    [Math.min(directoryOffset, full32), 4],
    [0, 2],
  ]);
  return pack([], end64, end);
}
