import { type ByteSource, readExactly } from '../bytes/byte-source.ts';
import { decodeText } from '../bytes/decode-text.ts';
import { malformed } from '../format-error.ts';
import { fieldBytes, tag } from './tags.ts';

/** More pages are refused; the largest detectors give some ten thousand slices. */
const maximumPages = 200_000;
/** More entries per page are refused; writers use about twenty. */
const maximumEntries = 4096;
/** Text tags are truncated here; OME-XML of large screens has several megabytes. */
const maximumTextBytes = 16 << 20;

interface Field {
  type: number;
  count: number;
  /** offset of the values in the file */
  at: number;
}

/** One image file directory with the offsets of its fields. Values are read on demand. */
export interface Directory {
  readonly file: TiffFile;
  /** from 1, for messages */
  readonly page: number;
  readonly fields: ReadonlyMap<number, Field>;
}

interface TiffFile {
  readonly source: ByteSource;
  readonly littleEndian: boolean;
  readonly big: boolean;
}

const makeView = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** BigTIFF offsets have 64 bits; values that a double cannot represent exactly are not valid offsets. */
function readOffset(view: DataView, at: number, { littleEndian, big }: TiffFile): number {
  return big ? Number(view.getBigUint64(at, littleEndian)) : view.getUint32(at, littleEndian);
}

/**
 * The directories of all pages of a TIFF or BigTIFF in order, without their data.
 *
 * @param source should make small neighbouring reads cheap, see `buffered`
 * @throws FormatError MALFORMED, also for a chain that returns to an earlier page
 */
export async function readDirectories(source: ByteSource): Promise<Directory[]> {
  const header = makeView(
    await readExactly(source, 0, Math.min(16, Math.max(8, source.size)), 'the TIFF header'),
  );
  const mark = header.getUint16(0, false);
  if (mark !== 0x4949 && mark !== 0x4d4d) {
    throw malformed(`${source.name}: a TIFF file begins with "II" or "MM"; this one does not.`);
  }
  const littleEndian = mark === 0x4949;
  const version = header.getUint16(2, littleEndian);
  if (version !== 42 && version !== 43) {
    throw malformed(
      `${source.name}: the TIFF version is ${version}; 42 (TIFF) or 43 (BigTIFF) would be right.`,
    );
  }
  const file: TiffFile = { source, littleEndian, big: version === 43 };
  if (file.big && (header.byteLength < 16 || header.getUint16(4, littleEndian) !== 8)) {
    throw malformed(`${source.name}: the BigTIFF header does not declare offsets of 8 bytes.`);
  }
  const directories: Directory[] = [];
  const seen = new Set<number>();
  let entries = 0;
  let at = file.big ? readOffset(header, 8, file) : header.getUint32(4, littleEndian);
  while (at !== 0 && directories.length < maximumPages) {
    if (seen.has(at)) {
      throw malformed(`${source.name}: page ${directories.length} leads back to an earlier page.`);
    }
    if (directories.length >= maximumPages) {
      throw malformed(`${source.name}: more than ${maximumPages} pages.`);
    }
    seen.add(at);
    const { directory, next } = await readDirectory(file, at, directories.length + 1);
    directories.push(directory);
    at = next;
    // Overlapping directories would let a small file list any number of entries.
    entries += directory.fields.size;
    if (entries * 12 > source.size) {
      throw malformed(
        `${source.name}: the directories overlap; they list more entries than the file can hold.`,
      );
    }
  }
  if (directories.length === 0) throw malformed(`${source.name}: the TIFF file has no page.`);
  return directories;
}

async function readDirectory(
  file: TiffFile,
  at: number,
  page: number,
): Promise<{ directory: Directory; next: number }> {
  const { source, littleEndian, big } = file;
  const countBytes = big ? 8 : 2;
  const entryBytes = big ? 20 : 12;
  const what = `the directory of page ${page}`;
  const countView = makeView(await readExactly(source, at, countBytes, what));
  const count = big ? Number(countView.getBigUint64(0, littleEndian)) : countView.getUint16(0, littleEndian);
  if (count === 0 || count > maximumEntries) {
    throw malformed(
      `${source.name}: ${what} declares ${count} entries; 1 to ${maximumEntries} would be right.`,
    );
  }
  const body = makeView(await readExactly(source, at + countBytes, count * entryBytes + (big ? 8 : 4), what));
  const fields = new Map<number, Field>();
  for (let i = 0; i < count; i++) {
    const entry = i * entryBytes;
    const id = body.getUint16(entry, littleEndian);
    const type = body.getUint16(entry + 2, littleEndian);
    const size = fieldBytes[type] ?? 0;
    const number = readOffset(body, entry + 4, file);
    const valueAt = entry + (big ? 12 : 8);
    const inlineBytes = big ? 8 : 4;
    const inPlace = size * number <= inlineBytes;
    const place = inPlace ? at + countBytes + valueAt : readOffset(body, valueAt, file);
    // Unknown types are skipped, as the standard requires; of duplicate tags the first one counts.
    if (size > 0 && !fields.has(id)) fields.set(id, { type, count: number, at: place });
  }
  return { directory: { file, page, fields }, next: readOffset(body, count * entryBytes, file) };
}

/**
 * The first `most` numbers of a field; rationals as quotients. Undefined when the page lacks the field.
 *
 * @throws FormatError MALFORMED when the values would lie outside the file; checked before memory is allocated
 */
export async function readNumbers(
  directory: Directory,
  id: number,
  most = Number.POSITIVE_INFINITY,
): Promise<number[] | undefined> {
  const field = directory.fields.get(id);
  if (!field) return undefined;
  const { source, littleEndian } = directory.file;
  const size = fieldBytes[field.type] ?? 0;
  const count = Math.min(field.count, most);
  const bytes = makeView(
    await readExactly(source, field.at, size * count, `the values of tag ${id} of page ${directory.page}`),
  );
  const readers: Record<number, (at: number) => number> = {
    1: (at) => bytes.getUint8(at),
    3: (at) => bytes.getUint16(at, littleEndian),
    4: (at) => bytes.getUint32(at, littleEndian),
    5: (at) => bytes.getUint32(at, littleEndian) / bytes.getUint32(at + 4, littleEndian),
    6: (at) => bytes.getInt8(at),
    8: (at) => bytes.getInt16(at, littleEndian),
    9: (at) => bytes.getInt32(at, littleEndian),
    10: (at) => bytes.getInt32(at, littleEndian) / bytes.getInt32(at + 4, littleEndian),
    11: (at) => bytes.getFloat32(at, littleEndian),
    12: (at) => bytes.getFloat64(at, littleEndian),
    13: (at) => bytes.getUint32(at, littleEndian),
    16: (at) => Number(bytes.getBigUint64(at, littleEndian)),
    17: (at) => Number(bytes.getBigInt64(at, littleEndian)),
    18: (at) => Number(bytes.getBigUint64(at, littleEndian)),
  };
  const read = readers[field.type];
  if (!read) {
    throw malformed(
      `${source.name}: tag ${id} of page ${directory.page} has field type ${field.type}, but must be a number.`,
    );
  }
  return Array.from({ length: count }, (_, i) => read(i * size));
}

/** The single number of a field, or the fallback when the page lacks the field. */
export async function readNumber(directory: Directory, id: number, fallback: number): Promise<number>;
export async function readNumber(directory: Directory, id: number): Promise<number | undefined>;
export async function readNumber(
  directory: Directory,
  id: number,
  fallback?: number,
): Promise<number | undefined> {
  const field = directory.fields.get(id);
  if (!field) return fallback;
  // Some writers repeat a value for each sample; the first one counts.
  return (await readNumbers(directory, id, 1))?.[0] ?? fallback;
}

/** The description of a page up to its NUL, as UTF-8 or else Latin-1 (ImageJ's µ). Empty when missing. */
export async function readDescription(directory: Directory): Promise<string> {
  const field = directory.fields.get(tag.imageDescription);
  if (!field || fieldBytes[field.type] !== 1) return '';
  const bytes = await readExactly(
    directory.file.source,
    field.at,
    Math.min(field.count, maximumTextBytes),
    `the description of page ${directory.page}`,
  );
  const end = bytes.indexOf(0);
  const text = end < 0 ? bytes : bytes.subarray(0, end);
  return decodeText(text);
}
