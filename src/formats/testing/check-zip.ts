/**
 * Reads an archive strictly by APPNOTE 6.3.10 (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT) and refuses
 * the smallest contradiction, like the strictest other programs. It shares no code with our writer or reader, so that
 * their errors cannot hide here.
 */
import { crc32, inflateRawSync } from 'node:zlib';
import type { ByteSource } from '../bytes/byte-source.ts';

export interface CheckedEntry {
  path: string;
  unpackedBytes: number;
  /** the local header and descriptor use 64-bit sizes */
  zip64: boolean;
  /** unpacked data; omitted above 16 MiB, where the checksum is not verified either */
  data?: Uint8Array;
}

const heldBytes = 16 * 1024 ** 2;
const full16 = 0xffff;
const full32 = 0xffffffff;

class Fields {
  readonly #view: DataView;
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  u16 = (at: number) => this.#view.getUint16(at, true);
  u32 = (at: number) => this.#view.getUint32(at, true);
  u64 = (at: number) => Number(this.#view.getBigUint64(at, true));
}

function must(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what} is ${actual}, but should be ${expected}`);
}

/** The 64-bit numbers of extra field 1; empty when there is none. No other field is allowed. */
function zip64Numbers(extra: Uint8Array): number[] {
  if (extra.length === 0) return [];
  const fields = new Fields(extra);
  must('the kind of the extra field', fields.u16(0), 1);
  must('the length of the extra field', fields.u16(2), extra.length - 4);
  return Array.from({ length: (extra.length - 4) / 8 }, (_, i) => fields.u64(4 + 8 * i));
}

/** Location of the central directory, from the records at the end. */
async function findDirectory(fieldsAt: (at: number, length: number) => Promise<Fields>, size: number) {
  const end = await fieldsAt(size - 22, 22);
  must('the signature of the end', end.u32(0), 0x06054b50);
  must('the number of this disk', end.u32(4), 0);
  must('the length of the comment', end.u16(20), 0);
  must('the number of files on this disk', end.u16(8), end.u16(10));
  const stated = { count: end.u16(10), bytes: end.u32(12), offset: end.u32(16), endsAt: size - 22 };
  if (stated.count < full16 && stated.bytes < full32 && stated.offset < full32) return stated;

  const locator = await fieldsAt(size - 22 - 20, 20);
  must('the signature of the zip64 locator', locator.u32(0), 0x07064b50);
  must('the disk of the zip64 end', locator.u32(4), 0);
  must('the number of disks', locator.u32(16), 1);
  const endsAt = size - 22 - 20 - 56;
  must('the place of the zip64 end', locator.u64(8), endsAt);
  const wide = await fieldsAt(endsAt, 56);
  must('the signature of the zip64 end', wide.u32(0), 0x06064b50);
  must('the length of the zip64 end', wide.u64(4), 44);
  must('the version that the zip64 end needs', wide.u16(14), 45);
  must('the disks of the zip64 end', wide.u64(16), 0);
  must('the number of files on this disk in 64 bits', wide.u64(24), wide.u64(32));
  const directory = { count: wide.u64(32), bytes: wide.u64(40), offset: wide.u64(48), endsAt };
  // The short record contains the number itself or all ones, nothing else.
  must('the short number of files', stated.count, Math.min(directory.count, full16));
  must('the short length of the directory', stated.bytes, Math.min(directory.bytes, full32));
  must('the short place of the directory', stated.offset, Math.min(directory.offset, full32));
  return directory;
}

/**
 * Every file of the archive in directory order.
 * @throws Error naming the first wrong field
 */
export async function checkZip(archive: ByteSource): Promise<CheckedEntry[]> {
  const fieldsAt = async (at: number, length: number) => {
    const bytes = await archive.read(at, length);
    must(`the number of bytes at ${at}`, bytes.length, length);
    return new Fields(bytes);
  };
  const directory = await findDirectory(fieldsAt, archive.size);
  must('the end of the directory', directory.offset + directory.bytes, directory.endsAt);
  const central = await fieldsAt(directory.offset, directory.bytes);

  const entries: CheckedEntry[] = [];
  let at = 0;
  let next = 0;
  while (at < directory.bytes) {
    must('the signature in the directory', central.u32(at), 0x02014b50);
    const [nameLength, extraLength] = [central.u16(at + 28), central.u16(at + 30)];
    must('the length of a comment', central.u16(at + 32), 0);
    const name = central.bytes.subarray(at + 46, at + 46 + nameLength);
    const path = new TextDecoder('utf-8', { fatal: true }).decode(name);
    const wide = zip64Numbers(
      central.bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength),
    );
    const wideCount = wide.length;
    const full = (short: number) => (short === full32 ? (wide.shift() ?? Number.NaN) : short);
    const unpacked = full(central.u32(at + 24));
    const packed = full(central.u32(at + 20));
    const headerAt = full(central.u32(at + 42));
    must(`what is left of the 64-bit numbers of ${path}`, wide.length, 0);
    if (wideCount > 0) must(`the version that ${path} needs`, central.u16(at + 6), 45);
    const sum = central.u32(at + 16);
    const [flags, method] = [central.u16(at + 8), central.u16(at + 10)];
    must(`the flag for UTF-8 of ${path}`, flags & 0x800, 0x800);

    // Files are stored one after the other without gaps, from the first byte on.
    must(`the place of ${path}`, headerAt, next);
    const header = await fieldsAt(headerAt, 30);
    must(`the signature of ${path}`, header.u32(0), 0x04034b50);
    must(`the flags of ${path}`, header.u16(6), flags);
    must(`the method of ${path}`, header.u16(8), method);
    must(`the time of ${path}`, header.u32(10), central.u32(at + 12));
    must(`the length of the name of ${path}`, header.u16(26), nameLength);
    const rest = await fieldsAt(headerAt + 30, nameLength + header.u16(28));
    must(`the name of ${path}`, new TextDecoder().decode(rest.bytes.subarray(0, nameLength)), path);
    const localWide = zip64Numbers(rest.bytes.subarray(nameLength));
    const zip64 = localWide.length > 0;
    if (zip64) {
      must(`the number of 64-bit sizes of ${path}`, localWide.length, 2);
      must(`the version that the header of ${path} needs`, header.u16(4), 45);
      must(`the short packed size of ${path}`, header.u32(18), full32);
      must(`the short size of ${path}`, header.u32(22), full32);
    }
    const hasDescriptor = (flags & 8) !== 0;
    const local = zip64 ? localWide : [header.u32(22), header.u32(18)];
    must(`the size in front of ${path}`, local[0], hasDescriptor ? 0 : unpacked);
    must(`the packed size in front of ${path}`, local[1], hasDescriptor ? 0 : packed);
    must(`the sum in front of ${path}`, header.u32(14), hasDescriptor ? 0 : sum);
    const dataAt = headerAt + 30 + nameLength + header.u16(28);
    next = dataAt + packed;
    if (hasDescriptor) {
      const descriptor = await fieldsAt(next, zip64 ? 24 : 16);
      must(`the signature behind ${path}`, descriptor.u32(0), 0x08074b50);
      must(`the sum behind ${path}`, descriptor.u32(4), sum);
      must(`the packed size behind ${path}`, zip64 ? descriptor.u64(8) : descriptor.u32(8), packed);
      must(`the size behind ${path}`, zip64 ? descriptor.u64(16) : descriptor.u32(12), unpacked);
      next += descriptor.bytes.length;
    }
    const entry: CheckedEntry = { path, unpackedBytes: unpacked, zip64 };
    if (unpacked <= heldBytes) {
      const stored = await archive.read(dataAt, packed);
      entry.data = method === 8 ? new Uint8Array(inflateRawSync(stored)) : stored;
      must(`the length of ${path}`, entry.data.length, unpacked);
      must(`the sum of ${path}`, crc32(entry.data), sum);
    }
    entries.push(entry);
    at += 46 + nameLength + extraLength;
  }
  must('the number of files', entries.length, directory.count);
  must('the end of the last file', next, directory.offset);
  return entries;
}
