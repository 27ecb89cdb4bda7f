import { type ByteSource, readExactly } from '../bytes/byte-source.ts';
import { checkUnpacking, deflateMaximumRatio } from '../bytes/inflate.ts';
import { malformed, unsupported } from '../format-error.ts';

/** Limits against decompression bombs; error messages state them. */
export interface ZipLimits {
  entries: number;
  directoryBytes: number;
  /** total unpacked size of all entries */
  unpackedBytes: number;
}

export const defaultZipLimits: ZipLimits = {
  entries: 200_000,
  directoryBytes: 128 << 20,
  unpackedBytes: 2 ** 41,
};

export interface ZipFileEntry {
  /** checked path inside the archive with forward slashes, which cannot leave the folder */
  path: string;
  compression: 'store' | 'deflate';
  packedBytes: number;
  unpackedBytes: number;
  crc32: number;
  /** offset of the local header */
  headerOffset: number;
}

const makeView = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * The files of a ZIP archive from its central directory, without folders; zip64 is supported, nothing is unpacked.
 *
 * @throws FormatError MALFORMED for damage, overlapping entries, impossible sizes and names that leave the folder;
 * UNSUPPORTED for encryption, several disks and methods other than store and deflate
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
export async function readZipDirectory(
  source: ByteSource,
  limits: ZipLimits = defaultZipLimits,
): Promise<ZipFileEntry[]> {
  const end = await findEnd(source);
  if (end.entries > limits.entries) {
    throw malformed(
      `${source.name}: the archive lists ${end.entries} files; at most ${limits.entries} are read.`,
    );
  }
  if (end.size > limits.directoryBytes || end.size < end.entries * 46) {
    throw malformed(
      `${source.name}: a directory of ${end.size} bytes cannot be right for ${end.entries} files.`,
    );
  }
  const bytes = await readExactly(source, end.offset, end.size, 'the directory of the archive');
  const view = makeView(bytes);
  const files: ZipFileEntry[] = [];
  let at = 0;
  let total = 0;
  for (let i = 0; i < end.entries; i++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) {
      throw malformed(`${source.name}: the directory of the archive is damaged at file ${i + 1}.`);
    }
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const length = 46 + nameLength + extraLength + view.getUint16(at + 32, true);
    if (at + length > bytes.length)
      throw malformed(`${source.name}: the directory of the archive is cut off at file ${i + 1}.`);
    const path = entryPath(bytes.subarray(at + 46, at + 46 + nameLength), source.name);
    const sizes = entrySizes(view, at, nameLength, extraLength, source.name, path);
    if (!path.endsWith('/')) {
      files.push(checkedEntry(view, at, path, sizes, end.offset, source.name));
      total += sizes.unpackedBytes;
    }
    at += length;
  }
  if (total > limits.unpackedBytes) {
    throw malformed(
      `${source.name}: the archive unpacks to ${total} bytes; at most ${limits.unpackedBytes} are read.`,
    );
  }
  refuseOverlaps(files, source.name);
  refuseDoubles(files, source.name);
  checkUnpacking(source.name, source.size, total);
  return files;
}

interface DirectoryPlace {
  entries: number;
  size: number;
  offset: number;
}

/** The end record is last, before a comment of up to 65535 bytes. */
async function findEnd(source: ByteSource): Promise<DirectoryPlace> {
  const tailLength = Math.min(source.size, 65535 + 22);
  const tailStart = source.size - tailLength;
  const tail = await readExactly(source, tailStart, tailLength, 'the end of the archive');
  const view = makeView(tail);
  for (let at = tailLength - 22; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue;
    if (at + 22 + view.getUint16(at + 20, true) !== tailLength) continue;
    const place = {
      entries: view.getUint16(at + 10, true),
      size: view.getUint32(at + 12, true),
      offset: view.getUint32(at + 16, true),
    };
    const big = place.entries === 0xffff || place.size === 0xffffffff || place.offset === 0xffffffff;
    const found = big ? ((await findEnd64(source, tailStart + at)) ?? place) : place;
    if (!big && (view.getUint16(at + 4, true) !== 0 || view.getUint16(at + 8, true) !== place.entries)) {
      throw unsupported(`${source.name} is one part of an archive of several disks; join the parts first.`);
    }
    if (found.offset + found.size > tailStart + at) {
      throw malformed(
        `${source.name}: the directory of the archive would lie behind its end; the file is cut off or damaged.`,
      );
    }
    return found;
  }
  throw malformed(`${source.name}: the archive has no end record; it is cut off or no ZIP file.`);
}

async function findEnd64(source: ByteSource, endAt: number): Promise<DirectoryPlace | undefined> {
  if (endAt < 20) return undefined;
  const locator = makeView(await readExactly(source, endAt - 20, 20, 'the zip64 locator'));
  if (locator.getUint32(0, true) !== 0x07064b50) return undefined;
  const at = Number(locator.getBigUint64(8, true));
  const record = makeView(await readExactly(source, at, 56, 'the zip64 end record'));
  if (record.getUint32(0, true) !== 0x06064b50)
    throw malformed(`${source.name}: the zip64 end record is damaged.`);
  return {
    entries: Number(record.getBigUint64(32, true)),
    size: Number(record.getBigUint64(40, true)),
    offset: Number(record.getBigUint64(48, true)),
  };
}

/** Characters 128 to 255 of code page 437, used for names that are not UTF-8, as by Windows Explorer. */
const codePage437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return Array.from(bytes, (byte) =>
      byte < 128 ? String.fromCharCode(byte) : codePage437.charAt(byte - 128),
    ).join('');
  }
}

/** Uses forward slashes; a name that could leave the folder is an attack, not a mistake, and is refused. */
function entryPath(bytes: Uint8Array, archive: string): string {
  const name = decodeName(bytes);
  const path = name.replace(/\\/g, '/');
  if (
    path.startsWith('/') ||
    /^[a-z]:/i.test(path) ||
    path.split('/').includes('..') ||
    path.includes('\0')
  ) {
    throw malformed(
      `${archive}: the archive holds a file named ${JSON.stringify(name.slice(0, 80))}, which leads outside of its folder.`,
    );
  }
  return path;
}

interface EntrySizes {
  packedBytes: number;
  unpackedBytes: number;
  headerOffset: number;
}

function entrySizes(
  view: DataView,
  at: number,
  nameLength: number,
  extraLength: number,
  archive: string,
  path: string,
): EntrySizes {
  const sizes = {
    packedBytes: view.getUint32(at + 20, true),
    unpackedBytes: view.getUint32(at + 24, true),
    headerOffset: view.getUint32(at + 42, true),
  };
  if (
    sizes.packedBytes !== 0xffffffff &&
    sizes.unpackedBytes !== 0xffffffff &&
    sizes.headerOffset !== 0xffffffff
  )
    return sizes;
  const extraStart = at + 46 + nameLength;
  for (let e = extraStart; e + 4 <= extraStart + extraLength; ) {
    const length = view.getUint16(e + 2, true);
    if (view.getUint16(e, true) === 1) {
      let field = e + 4;
      const end = Math.min(field + length, extraStart + extraLength);
      // Contains only the fields that overflow the 32-bit record, in this order.
      for (const key of ['unpackedBytes', 'packedBytes', 'headerOffset'] as const) {
        if (sizes[key] !== 0xffffffff) continue;
        if (field + 8 > end) throw malformed(`${archive}: the zip64 sizes of ${path} are cut off.`);
        sizes[key] = Number(view.getBigUint64(field, true));
        field += 8;
      }
      return sizes;
    }
    e += 4 + length;
  }
  return sizes;
}

function checkedEntry(
  view: DataView,
  at: number,
  path: string,
  sizes: EntrySizes,
  directoryOffset: number,
  archive: string,
): ZipFileEntry {
  if (view.getUint16(at + 8, true) & 1)
    throw unsupported(`${archive}: ${path} is encrypted; pack it without a password.`);
  const method = view.getUint16(at + 10, true);
  if (method !== 0 && method !== 8) {
    throw unsupported(
      `${archive}: ${path} is packed with method ${method}; only store and deflate are read.`,
    );
  }
  const { packedBytes, unpackedBytes, headerOffset } = sizes;
  if (headerOffset + 30 + packedBytes > directoryOffset) {
    throw malformed(`${archive}: ${path} would reach into the directory of the archive.`);
  }
  if (method === 0 ? packedBytes !== unpackedBytes : unpackedBytes > packedBytes * deflateMaximumRatio) {
    throw malformed(
      `${archive}: ${path} claims to unpack from ${packedBytes} to ${unpackedBytes} bytes, which is not possible.`,
    );
  }
  return {
    path,
    compression: method === 0 ? 'store' : 'deflate',
    packedBytes,
    unpackedBytes,
    crc32: view.getUint32(at + 16, true),
    headerOffset,
  };
}

/** Overlapping packed data is how a small archive unpacks to petabytes. */
function refuseOverlaps(files: ZipFileEntry[], archive: string): void {
  const sorted = [...files].sort((a, b) => a.headerOffset - b.headerOffset);
  for (const [i, entry] of sorted.entries()) {
    const next = sorted[i + 1];
    if (next && entry.headerOffset + 30 + entry.packedBytes > next.headerOffset) {
      throw malformed(`${archive}: ${entry.path} and ${next.path} overlap in the archive.`);
    }
  }
}

/** Readers differ in which of two files with the same name they use. */
function refuseDoubles(files: ZipFileEntry[], archive: string): void {
  const known = new Set<string>();
  for (const { path } of files) {
    if (known.has(path))
      throw malformed(`${archive}: the archive holds two files named ${path.slice(0, 80)}; pack it again.`);
    known.add(path);
  }
}
