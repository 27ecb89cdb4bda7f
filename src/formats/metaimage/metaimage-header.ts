import { type DataType, mapVector, type Vector3 } from '#kernels/grid/volume.ts';
import type { ByteOrder } from '../bytes/byte-order.ts';
import { type ByteSource, readExactly, type Sources, slicePart } from '../bytes/byte-source.ts';
import { checkReference, companions, numberedNames } from '../bytes/companion.ts';
import { decodeText } from '../bytes/decode-text.ts';
import { checkUnpacking, inflateStream } from '../bytes/inflate.ts';
import { streamedSource } from '../bytes/streamed-source.ts';
import { type MissingField, malformed, unsupported } from '../format-error.ts';
import { lookUp } from '../look-up.ts';
import { setOnce } from '../set-once.ts';
import { mmPerNamedUnit, mmPerUnit } from '../units.ts';
import { rawSlabs, rawSlabsAfter, type StoredValues, slabsOfFiles } from '../volume/raw-slabs.ts';
import { textSlabs } from '../volume/text-values.ts';
import {
  checkedDimensions,
  checkedVoxelSize,
  type ImportHints,
  type ReadSlab,
  scaleBetween,
  splitAxes,
  type VolumeHeader,
} from '../volume/volume-header.ts';

const maximumHeaderBytes = 1 << 20;

const types: Record<string, DataType> = {
  MET_CHAR: 'int8',
  MET_UCHAR: 'uint8',
  MET_SHORT: 'int16',
  MET_USHORT: 'uint16',
  MET_INT: 'int32',
  MET_UINT: 'uint32',
  MET_LONG: 'int32',
  MET_ULONG: 'uint32',
  MET_FLOAT: 'float32',
  MET_DOUBLE: 'float64',
};

interface MetaFields {
  values: Map<string, string>;
  /** lines after `ElementDataFile = LIST` */
  listed: string[];
  /** offset after the ElementDataFile line, where LOCAL data begins */
  dataOffset: number;
}

/** `Key = value` lines up to and including ElementDataFile, which must be last. */
async function readFields(source: ByteSource): Promise<MetaFields> {
  const bytes = await readExactly(
    source,
    0,
    Math.min(maximumHeaderBytes, source.size),
    'the MetaImage header',
  );
  const values = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(10, at);
    const end = newline < 0 ? bytes.length : newline;
    const line = decodeText(bytes.subarray(at, Math.min(end, at + 65536))).trim();
    at = end + 1;
    if (line === '') continue;
    const equals = line.indexOf('=');
    if (equals < 0) throw malformed(`${source.name}: the header line "${line.slice(0, 60)}" has no "=".`);
    const key = line.slice(0, equals).trim();
    const value = line.slice(equals + 1).trim();
    setOnce(values, key, value, source.name);
    if (key !== 'ElementDataFile') continue;
    const rest = /^LIST\b/.test(value) ? decodeText(bytes.subarray(at)).split(/\r?\n/) : [];
    return { values, listed: rest.map((name) => name.trim()).filter(Boolean), dataOffset: at };
  }
  throw malformed(`${source.name}: the MetaImage header has no ElementDataFile.`);
}

const isTrue = (text: string | undefined) => /^(true|t|1|yes|y)$/i.test(text ?? '');

/** @param keys synonyms, of which a file uses one */
function numbers(fields: MetaFields, keys: string[], length: number, where: string): number[] | undefined {
  const one = new Map<string, string>();
  const key = keys.find((name) => fields.values.has(name));
  if (key === undefined) return undefined;
  const texts = keys.flatMap((name) => fields.values.get(name) ?? []);
  const [values = []] = texts.map((text) => {
    const found = text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number);
    if (found.length !== length || !found.every(Number.isFinite))
      throw malformed(`${where}: ${key} must be ${length} numbers, not "${text.slice(0, 60)}".`);
    setOnce(one, key, found.join(' '), where);
    return found;
  });
  return values;
}

/**
 * A MetaImage volume (MHA, or MHD with its data file); `sources[0]` is the header, the others are files it may refer
 * to.
 *
 * @see https://itk.org/Wiki/ITK/MetaIO/Documentation
 */
export async function metaImageHeader(sources: Sources, hints: ImportHints): Promise<VolumeHeader> {
  const source = sources[0];
  const where = source.name;
  const fields = await readFields(source);
  const { values } = fields;
  const objectType = values.get('ObjectType') ?? 'Image';
  if (objectType !== 'Image') throw unsupported(`${where} is a MetaIO ${objectType}, not an Image.`);
  const rank = Number(values.get('NDims'));
  if (!Number.isInteger(rank) || rank < 1 || rank > 10)
    throw malformed(`${where}: NDims is "${values.get('NDims') ?? ''}".`);
  const sizes = numbers(fields, ['DimSize'], rank, where);
  if (!sizes) throw malformed(`${where}: DimSize is missing.`);
  if (rank !== 3) {
    throw unsupported(
      `${where} has ${rank} dimensions (${sizes.join(' × ')}); only volumes of 3 dimensions are read.`,
    );
  }
  const channels = Number(values.get('ElementNumberOfChannels') ?? 1);
  if (channels !== 1)
    throw unsupported(`${where} has ${channels} channels a voxel; only one grey value is read.`);
  const typeName = values.get('ElementType') ?? '';
  const dataType = lookUp(types, typeName);
  if (!dataType)
    throw unsupported(
      `${where}: ElementType "${typeName}" is not read; 8 to 32 bit numbers, float and double are.`,
    );
  const dimensions = checkedDimensions(sizes, dataType, where);

  const spacing = numbers(fields, ['ElementSpacing'], 3, where) ?? numbers(fields, ['ElementSize'], 3, where);
  if (spacing?.some((value) => value === 0)) throw malformed(`${where}: ElementSpacing has a 0.`);
  const named = mmPerNamedUnit(values.get('DistanceUnits') ?? '');
  const hinted = hints.unit && mmPerUnit[hints.unit];
  // The format specifies mm, but writers use any unit: if the file does not state it, the user is asked.
  const missing: MissingField[] = [];
  const warnings: string[] = [];
  if (!spacing && !hints.voxelSizeMm) missing.push('voxelSizeMm');
  else if (named === undefined && hinted === undefined && !hints.voxelSizeMm) missing.push('unit');
  const sizes3 = spacing?.map(Math.abs) as Vector3 | undefined;
  const factor = named ?? hinted ?? scaleBetween(sizes3, hints.voxelSizeMm) ?? 1;
  const voxelSizeMm =
    hints.voxelSizeMm ??
    (sizes3 &&
      checkedVoxelSize(
        mapVector(sizes3, (value) => value * factor),
        where,
      ));
  const origin = numbers(fields, ['Offset', 'Position', 'Origin'], 3, where);
  const matrix = numbers(fields, ['TransformMatrix', 'Rotation', 'Orientation'], 9, where) ?? [
    1, 0, 0, 0, 1, 0, 0, 0, 1,
  ];
  // Positions are LPS as in ITK; an axis may run backwards, which makes its spacing negative.
  const axes = matrix.map((value, i) => value * Math.sign(spacing?.[Math.floor(i / 3)] ?? 1));

  const order: ByteOrder =
    hints.byteOrder ??
    (isTrue(values.get('ElementByteOrderMSB') ?? values.get('BinaryDataByteOrderMSB')) ? 'big' : 'little');
  return {
    dimensions,
    dataType,
    voxelSizeMm,
    originMm: origin && (origin.map((value) => value * factor) as Vector3),
    directions: splitAxes(axes, where).directions,
    warnings,
    missing,
    suggested: missing.includes('unit') ? { unit: 'mm' } : {},
    forwardsOnly: isTrue(values.get('CompressedData')),
    workingBytes: isTrue(values.get('CompressedData')) ? 8 << 20 : 0,
    readSlab: await slabs(sources, fields, { dimensions, dataType, order, warnings }),
  };
}

function dataFiles(sources: Sources, fields: MetaFields): ByteSource[] {
  const header = sources[0];
  const reference = checkReference(fields.values.get('ElementDataFile') ?? '', header.name);
  if (reference === '') throw malformed(`${header.name}: ElementDataFile is empty.`);
  if (/^local$/i.test(reference))
    return [slicePart(header, fields.dataOffset, header.size - fields.dataOffset)];
  if (/^LIST\b/.test(reference)) return companions(header, fields.listed, sources);
  const pattern = /^(\S*%0?\d*[di]\S*)(?:\s+(-?\d+)\s+(-?\d+)(?:\s+(-?\d+))?)?$/.exec(reference);
  if (pattern) {
    const planes = Number((fields.values.get('DimSize') ?? '').trim().split(/\s+/)[2]);
    const from = Number(pattern[2] ?? 1);
    const to = Number(pattern[3] ?? planes);
    const names = numberedNames(pattern[1] ?? '', from, to, Number(pattern[4] ?? 1), header.name);
    return companions(header, names, sources);
  }
  return companions(header, [reference], sources);
}

function slabs(sources: Sources, fields: MetaFields, stored: StoredValues): Promise<ReadSlab> {
  const { values } = fields;
  const where = sources[0].name;
  const headerSize = Number(values.get('HeaderSize') ?? 0);
  if (!Number.isSafeInteger(headerSize) || headerSize < -1)
    throw malformed(`${where}: HeaderSize is "${values.get('HeaderSize')}"; −1 or more would be right.`);
  const from = Math.max(0, headerSize);
  const isText = values.has('BinaryData') && !isTrue(values.get('BinaryData'));
  return slabsOfFiles(where, dataFiles(sources, fields), stored, async (file, part) => {
    if (!isTrue(values.get('CompressedData')))
      return isText ? textSlabs(file, from, part) : rawSlabsAfter(file, headerSize, part);
    const declared = Number(values.get('CompressedDataSize') ?? file.size - from);
    if (!Number.isSafeInteger(declared) || declared < 0 || from + declared > file.size) {
      throw malformed(
        `${file.name}: CompressedDataSize is ${declared}, but ${Math.max(0, file.size - from)} bytes are there.`,
      );
    }
    const { neededBytes, warnings } = part;
    checkUnpacking(file.name, declared, neededBytes);
    const body = slicePart(file, from, declared);
    // Usually zlib; some writers use gzip.
    const [first] = await readExactly(body, 0, Math.min(1, declared), 'the compressed data');
    const format = first === 0x1f ? 'gzip' : 'deflate';
    const inflated = streamedSource(file.name, neededBytes, () => inflateStream(body, format), { warnings });
    return rawSlabs(inflated, 0, part.dimensions, part.dataType, part.order);
  });
}
