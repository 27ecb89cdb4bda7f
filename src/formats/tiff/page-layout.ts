import type { DataType } from '#kernels/grid/volume.ts';
import { deflateMaximumRatio } from '../bytes/inflate.ts';
import { malformed, unsupported } from '../format-error.ts';
import type { PlaneTurn } from '../volume/inner-frame.ts';
import { type Directory, readNumber, readNumbers } from './directory.ts';
import { compressionNames, photometricNames, tag } from './tags.ts';

type TiffCompression = 'none' | 'lzw' | 'deflate' | 'packbits';

/** Layout of the samples of one page; the offsets of strips or tiles are read with the data. */
export interface PageLayout {
  directory: Directory;
  /** as stored in the file */
  width: number;
  height: number;
  /** how to turn the page upright */
  turn: PlaneTurn;
  /** upright */
  shown: { width: number; height: number };
  bits: number;
  sampleFormat: 'unsigned' | 'signed' | 'float';
  /** type of a decoded page */
  dataType: DataType;
  compression: TiffCompression;
  predictor: 1 | 2 | 3;
  /** white is 0 in the file: inverted on reading */
  whiteIsZero: boolean;
  /** the bits of each byte are in reverse order */
  reversedBits: boolean;
  tiled: boolean;
  chunkWidth: number;
  chunkHeight: number;
  /** there is a colour table; the indices are read, not the colours */
  palette: boolean;
  /** 1 = a smaller copy of another page, 4 = a mask */
  subfileType: number;
}

const compressions: Record<number, TiffCompression> = {
  1: 'none',
  5: 'lzw',
  8: 'deflate',
  32773: 'packbits',
  32946: 'deflate',
};
/** Largest possible decompression ratio; higher claims are false. */
export const maximumRatio: Record<TiffCompression, number> = {
  none: 1,
  lzw: 4096,
  deflate: deflateMaximumRatio,
  packbits: 64,
};
/** By Orientation: where the first row and column of the file belong. */
const turns: Record<number, PlaneTurn> = {
  1: { exchanged: false, columnsReversed: false, rowsReversed: false },
  2: { exchanged: false, columnsReversed: true, rowsReversed: false },
  3: { exchanged: false, columnsReversed: true, rowsReversed: true },
  4: { exchanged: false, columnsReversed: false, rowsReversed: true },
  5: { exchanged: true, columnsReversed: false, rowsReversed: false },
  6: { exchanged: true, columnsReversed: true, rowsReversed: false },
  7: { exchanged: true, columnsReversed: true, rowsReversed: true },
  8: { exchanged: true, columnsReversed: false, rowsReversed: true },
};
const maximumExtent = 1 << 20;
const maximumChunkBytes = 2 ** 31 - 1;

/**
 * Checks and interprets the tags of a page; pages that are not grey values on a grid are refused by name.
 *
 * @throws FormatError UNSUPPORTED for colour, several samples per pixel, or an unsupported compression; MALFORMED for
 * contradictory sizes
 */
export async function readPageLayout(directory: Directory): Promise<PageLayout> {
  const { source } = directory.file;
  const where = `${source.name}, page ${directory.page}`;
  const width = await readNumber(directory, tag.imageWidth);
  const height = await readNumber(directory, tag.imageLength);
  for (const [name, value] of [
    ['width', width],
    ['height', height],
  ] as const) {
    if (value === undefined || !Number.isInteger(value) || value < 1 || value > maximumExtent) {
      throw malformed(
        `${where}: the ${name} is ${value ?? 'missing'}; it must be 1 to ${maximumExtent} pixels.`,
      );
    }
  }
  if (width === undefined || height === undefined) throw malformed(`${where}: the size is missing.`);

  const orientation = await readNumber(directory, tag.orientation, 1);
  // 0 does not exist; writers that use it mean the default.
  const turn = turns[orientation || 1];
  if (!turn)
    throw malformed(
      `${where}: the orientation is ${orientation}; a whole number from 1 to 8 would be right.`,
    );
  const depths = [
    await readNumber(directory, tag.imageDepth, 1),
    await readNumber(directory, tag.tileDepth, 1),
  ];
  if (depths.some((depth) => depth > 1)) {
    throw unsupported(
      `${where} holds ${Math.max(...depths)} planes in one page (ImageDepth), which is not read: save one page for each plane.`,
    );
  }
  const photometric = await readNumber(directory, tag.photometric, 1);
  if (photometric > 4 || photometric === 2) {
    throw unsupported(
      `${where} is ${photometricNames[photometric] ?? `of photometric kind ${photometric}`}; only grey values are read: export the slices as greyscale.`,
    );
  }
  const samples = await readNumber(directory, tag.samplesPerPixel, 1);
  if (samples !== 1) {
    throw unsupported(`${where} has ${samples} samples a pixel; only one grey value a pixel is read.`);
  }
  const compressionCode = await readNumber(directory, tag.compression, 1);
  const compression = compressions[compressionCode];
  if (!compression) {
    const name = compressionNames[compressionCode] ?? `number ${compressionCode}`;
    throw unsupported(
      `${where} is compressed with ${name}; none, LZW, Deflate and PackBits are read: save it with one of these.`,
    );
  }
  const bits = await readNumber(directory, tag.bitsPerSample, 1);
  const { sampleFormat, dataType } = sampleType(
    bits,
    await readNumber(directory, tag.sampleFormat, 1),
    where,
  );
  const predictor = await readNumber(directory, tag.predictor, 1);
  if (predictor !== 1 && predictor !== 2 && predictor !== 3) {
    throw unsupported(
      `${where} uses predictor ${predictor}; 1 (none), 2 (horizontal) and 3 (floating point) are read.`,
    );
  }
  if (predictor === 3 && sampleFormat !== 'float') {
    throw malformed(`${where} uses the floating-point predictor, but its samples are whole numbers.`);
  }
  const fillOrder = await readNumber(directory, tag.fillOrder, 1);

  const tiled = directory.fields.has(tag.tileWidth) || directory.fields.has(tag.tileOffsets);
  const chunkWidth = tiled ? await readNumber(directory, tag.tileWidth, 0) : width;
  const rows = tiled
    ? await readNumber(directory, tag.tileLength, 0)
    : await readNumber(directory, tag.rowsPerStrip, height);
  const chunkHeight = tiled ? rows : Math.min(rows, height);
  if (!(Number.isInteger(chunkWidth) && Number.isInteger(chunkHeight) && chunkWidth > 0 && chunkHeight > 0)) {
    throw malformed(
      `${where}: ${tiled ? 'tiles' : 'strips'} of ${chunkWidth} × ${chunkHeight} pixels are not possible.`,
    );
  }
  if (rowBytes(chunkWidth, bits) * chunkHeight > maximumChunkBytes) {
    throw unsupported(`${where}: one ${tiled ? 'tile' : 'strip'} is larger than 2 GiB, which is not read.`);
  }
  return {
    directory,
    width,
    height,
    turn,
    shown: turn.exchanged ? { width: height, height: width } : { width, height },
    bits,
    sampleFormat,
    dataType,
    compression,
    // Without compression the predictor has no meaning, and other readers ignore it.
    predictor: compression === 'lzw' || compression === 'deflate' ? predictor : 1,
    whiteIsZero: photometric === 0,
    reversedBits: fillOrder === 2,
    tiled,
    chunkWidth,
    chunkHeight,
    palette: photometric === 3,
    subfileType: await readNumber(directory, tag.newSubfileType, 0),
  };
}

/** Bytes of one row of samples: rows start on whole bytes. */
export const rowBytes = (width: number, bits: number) => Math.ceil((width * bits) / 8);

function sampleType(
  bits: number,
  format: number,
  where: string,
): { sampleFormat: PageLayout['sampleFormat']; dataType: DataType } {
  if (format === 5 || format === 6) throw unsupported(`${where} holds complex numbers, which are not read.`);
  if (format === 3) {
    if (bits === 16 || bits === 32) return { sampleFormat: 'float', dataType: 'float32' };
    if (bits === 64) return { sampleFormat: 'float', dataType: 'float64' };
    throw unsupported(`${where} holds floating-point numbers of ${bits} bits; 16, 32 and 64 are read.`);
  }
  if (format === 2) {
    if (bits === 8) return { sampleFormat: 'signed', dataType: 'int8' };
    if (bits === 16) return { sampleFormat: 'signed', dataType: 'int16' };
    if (bits === 32) return { sampleFormat: 'signed', dataType: 'int32' };
    throw unsupported(`${where} holds signed numbers of ${bits} bits; 8, 16 and 32 are read.`);
  }
  // 1 is unsigned; 4 is "undefined", which readers treat as unsigned; other values do not exist.
  if (format !== 1 && format !== 4) throw malformed(`${where}: sample format ${format} does not exist.`);
  if (Number.isInteger(bits) && bits >= 1) {
    if (bits <= 8) return { sampleFormat: 'unsigned', dataType: 'uint8' };
    if (bits <= 16) return { sampleFormat: 'unsigned', dataType: 'uint16' };
    if (bits === 24 || bits === 32) return { sampleFormat: 'unsigned', dataType: 'uint32' };
  }
  throw unsupported(`${where} holds unsigned numbers of ${bits} bits; 1 to 16, 24 and 32 are read.`);
}

/** Location of one strip or tile in the file. */
export interface Chunk {
  offset: number;
  byteCount: number;
}

/**
 * Locations of a page's strips or tiles, checked against the page and the available bytes: no chunk may claim more
 * samples than its bytes can hold with the best compression.
 */
export async function readChunks(layout: PageLayout): Promise<Chunk[]> {
  const { directory, tiled, width, height, chunkWidth, chunkHeight, bits, compression } = layout;
  const { source } = directory.file;
  const where = `${source.name}, page ${directory.page}`;
  const kind = tiled ? 'tile' : 'strip';
  const needed = Math.ceil(width / chunkWidth) * Math.ceil(height / chunkHeight);
  const offsetTag = tiled && directory.fields.has(tag.tileOffsets) ? tag.tileOffsets : tag.stripOffsets;
  const countTag =
    tiled && directory.fields.has(tag.tileByteCounts) ? tag.tileByteCounts : tag.stripByteCounts;
  const declared = directory.fields.get(offsetTag)?.count ?? 0;
  if (declared < needed) throw malformed(`${where} needs ${needed} ${kind}s, but lists ${declared}.`);
  const offsets = (await readNumbers(directory, offsetTag, needed)) ?? [];
  const declaredCounts = (await readNumbers(directory, countTag, needed)) ?? [];
  const rowOfChunk = rowBytes(chunkWidth, bits);
  const across = Math.ceil(width / chunkWidth);
  // Old writers omit the counts; without compression they follow from the size.
  const hasCounts = declaredCounts.length === needed && !(needed === 1 && declaredCounts[0] === 0);
  if (!hasCounts && compression !== 'none')
    throw malformed(`${where} needs ${needed} byte counts, but lists ${declaredCounts.length}.`);
  let claimed = 0;
  return offsets.map((offset, i): Chunk => {
    if (!(offset > 0 && offset < source.size)) {
      throw malformed(
        `${where}: ${kind} ${i + 1} begins at byte ${offset}, outside the file of ${source.size} bytes.`,
      );
    }
    const rows = tiled ? chunkHeight : Math.min(chunkHeight, height - Math.floor(i / across) * chunkHeight);
    const decoded = rowOfChunk * rows;
    // A count beyond the end of the file is clipped: the last strip of some writers has one, without harm.
    const counted = hasCounts ? (declaredCounts[i] ?? 0) : decoded;
    const byteCount = Math.min(counted, source.size - offset);
    // Overlapping strips would let a small file claim any size.
    claimed += byteCount;
    if (claimed > source.size)
      throw malformed(`${where}: the ${kind}s overlap; together they claim more bytes than the file has.`);
    if (
      !(decoded <= byteCount * maximumRatio[compression] + 64) ||
      (compression === 'none' && decoded > byteCount)
    ) {
      throw malformed(
        `${where}: ${kind} ${i + 1} should hold ${decoded} bytes of samples, but has only ${byteCount} bytes in the file.`,
      );
    }
    return { offset, byteCount };
  });
}
