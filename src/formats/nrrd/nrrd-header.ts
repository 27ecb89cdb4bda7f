import { bytesPerVoxel, mapVector, type Vector3 } from '#kernels/grid/volume.ts';
import type { ByteOrder } from '../bytes/byte-order.ts';
import { type ByteSource, readExactly, type Sources, slicePart } from '../bytes/byte-source.ts';
import { checkReference, companions, numberedNames } from '../bytes/companion.ts';
import { checkUnpacking, inflateStream } from '../bytes/inflate.ts';
import { streamedSource } from '../bytes/streamed-source.ts';
import { type MissingField, malformed, unsupported } from '../format-error.ts';
import { lookUp } from '../look-up.ts';
import { mmPerNamedUnit, mmPerUnit } from '../units.ts';
import { toInnerFrame } from '../volume/inner-frame.ts';
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
import {
  type NrrdFields,
  nrrdQuoted,
  nrrdSizes,
  nrrdType,
  nrrdVectors,
  readNrrdFields,
} from './nrrd-fields.ts';

type Encoding = 'raw' | 'gzip' | 'text';
const encodings: Record<string, Encoding> = {
  raw: 'raw',
  gzip: 'gzip',
  gz: 'gzip',
  ascii: 'text',
  text: 'text',
  txt: 'text',
};

/**
 * An NRRD volume, attached or detached; `sources[0]` is the header, the others are files it may refer to.
 *
 * @see https://teem.sourceforge.net/nrrd/format.html
 */
export async function nrrdHeader(sources: Sources, hints: ImportHints): Promise<VolumeHeader> {
  const source = sources[0];
  const where = source.name;
  const parsed = await readNrrdFields(source);
  const { fields } = parsed;
  const sizes = nrrdSizes(fields, where);
  const dataType = nrrdType(fields, where);
  const dimensions = checkedDimensions(sizes, dataType, where);
  const warnings: string[] = [];
  const missing: MissingField[] = [];

  const placed = placement(fields, hints, where, warnings);
  const voxelSizeMm = hints.voxelSizeMm ?? placed.voxelSizeMm;
  if (!voxelSizeMm) missing.push('voxelSizeMm');

  const encodingName = (fields.get('encoding') ?? '').toLowerCase();
  const encoding = lookUp(encodings, encodingName);
  if (!encoding) {
    throw unsupported(`${where}: encoding "${encodingName}" is not read; raw, gzip and ascii are.`);
  }
  const endian = hints.byteOrder ?? fields.get('endian')?.toLowerCase();
  const needsOrder = bytesPerVoxel[dataType] > 1 && encoding !== 'text';
  if (needsOrder && endian !== 'little' && endian !== 'big') missing.push('byteOrder');
  const order: ByteOrder = endian === 'big' ? 'big' : 'little';
  const files = dataFiles(sources, parsed);
  const stored = { dimensions, dataType, order, warnings };
  const readSlab = await openFileSlabs(where, files, fields, encoding, stored);
  return {
    dimensions,
    dataType,
    voxelSizeMm,
    originMm: placed.originMm,
    directions: placed.directions,
    warnings,
    missing,
    suggested: {},
    forwardsOnly: encoding === 'gzip',
    workingBytes: encoding === 'gzip' ? 8 << 20 : encoding === 'text' ? 2 * (files[0]?.size ?? 0) : 0,
    readSlab,
  };
}

/** Spaces that name their axes, and those that only state handedness, which are read unchanged. */
const spaces: Record<string, 'LPS' | 'RAS' | 'LAS'> = {
  'left-posterior-superior': 'LPS',
  lps: 'LPS',
  'right-anterior-superior': 'RAS',
  ras: 'RAS',
  'left-anterior-superior': 'LAS',
  las: 'LAS',
  'scanner-xyz': 'LPS',
  '3d-right-handed': 'LPS',
};

function namedSpace(fields: Map<string, string>, where: string): 'LPS' | 'RAS' | 'LAS' {
  const name = fields.get('space')?.toLowerCase();
  if (name === undefined || name === '') return 'LPS';
  const space = lookUp(spaces, name);
  if (space) return space;
  throw unsupported(
    `${where}: the space "${name.slice(0, 40)}" is not read, since it does not say where its axes point; left-posterior-superior, right-anterior-superior and left-anterior-superior do.`,
  );
}

/** Spacing, origin and directions in mm in the product's frame, from either set of fields. */
function placement(fields: Map<string, string>, hints: ImportHints, where: string, warnings: string[]) {
  const units = nrrdQuoted(fields.get('spaceunits') ?? fields.get('units') ?? '');
  const named = units.map(mmPerNamedUnit);
  if (units.length > 0 && named.includes(undefined) && hints.unit === undefined) {
    warnings.push(
      `${where}: the unit "${units[named.indexOf(undefined)]}" is not known; millimetres were taken.`,
    );
  }
  const space = namedSpace(fields, where);
  const inFile = readGeometry(fields, where);
  const spacing = inFile.vectors && splitAxes(inFile.vectors.flat(), where);
  // Vector components are along the axes of space, to which the space units refer.
  const isNamed = named.length > 0 || hints.unit !== undefined;
  const assumed = isNamed ? undefined : scaleBetween(spacing?.lengths, hints.voxelSizeMm);
  const factor = (axis: number) => named[axis] ?? (hints.unit ? mmPerUnit[hints.unit] : (assumed ?? 1));
  const inMm = (vector: Vector3) =>
    toInnerFrame(
      mapVector(vector, (value, axis) => value * factor(axis)),
      space,
    );
  const result: Pick<VolumeHeader, 'voxelSizeMm' | 'originMm' | 'directions'> = {};
  if (inFile.vectors) {
    const { vectors } = inFile;
    const axes = vectors.flatMap(inMm);
    const { lengths, directions } = splitAxes(axes, where);
    result.voxelSizeMm = checkedVoxelSize(lengths, where);
    result.directions = directions;
    if (!isNamed && hints.voxelSizeMm === undefined)
      warnings.push(`${where} does not name the unit of its spacing; millimetres were taken.`);
  }
  if (inFile.origin) result.originMm = inMm(inFile.origin);
  return result;
}

/**
 * In the unit and space of the file: the axis vectors, each a step to the next voxel, and the centre of the first
 * voxel.
 */
function readGeometry(
  fields: Map<string, string>,
  where: string,
): { vectors?: Vector3[]; origin?: Vector3 | undefined } {
  const origin = fields.has('spaceorigin')
    ? nrrdVectors(fields.get('spaceorigin') ?? '', where)[0]
    : undefined;
  const numbers = (name: string) => (fields.get(name) ?? '').split(/\s+/).map(Number);
  const directionText = fields.get('spacedirections');
  if (directionText !== undefined) {
    const vectors = nrrdVectors(directionText, where);
    if (vectors.length !== 3 || vectors.includes(undefined)) {
      throw unsupported(
        `${where}: an axis has no direction in space ("${directionText.slice(0, 60)}"), so it is no axis of a volume.`,
      );
    }
    const given = vectors.filter((vector) => vector !== undefined);
    checkLengths(given, numbers('spacings'), where);
    return { vectors: given, origin };
  }
  if (!fields.has('spacings')) return { origin };
  const spacings = numbers('spacings');
  if (spacings.length !== 3) throw malformed(`${where}: spacings needs three numbers, one for each axis.`);
  if (spacings.some(Number.isNaN)) return { origin };
  const [x = 0, y = 0, z = 0] = spacings;
  const mins = numbers('axismins');
  const hasMins = mins.length === 3 && mins.every(Number.isFinite);
  // An axis may run backwards, which makes its spacing negative.
  return {
    vectors: [
      [x, 0, 0],
      [0, y, 0],
      [0, 0, z],
    ],
    origin: origin ?? (hasMins ? (mins as Vector3) : undefined),
  };
}

/** Tolerance for rounding by writers. */
const sameLength = 1e-3;

/** The format allows either directions or spacings; a file with both must be consistent. */
function checkLengths(vectors: readonly Vector3[], spacings: readonly number[], where: string): void {
  const { lengths } = splitAxes(vectors.flat(), where);
  const isOther = lengths.some(
    (length, axis) => Math.abs(Math.abs(spacings[axis] ?? 0) / length - 1) > sameLength,
  );
  if (
    spacings.length !== 3 ||
    !spacings.every((spacing) => spacing !== 0 && Number.isFinite(spacing)) ||
    !isOther
  )
    return;
  throw malformed(
    `${where}: the spacings are ${spacings.join(', ')}, but the space directions are ${lengths.join(', ')} long; keep the right ones.`,
  );
}

/** The file or files, in order of z, with the grey values. */
function dataFiles(sources: Sources, { fields, listed, dataOffset }: NrrdFields): ByteSource[] {
  const header = sources[0];
  const given = fields.get('datafile');
  if (given === undefined) return [slicePart(header, dataOffset, header.size - dataOffset)];
  const reference = checkReference(given, header.name);
  if (/^LIST\b/.test(reference)) return companions(header, listed, sources);
  const pattern = /^(.*%0?\d*[di]\S*)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)(?:\s+\d+)?$/.exec(reference);
  if (pattern) {
    const names = numberedNames(
      pattern[1] ?? '',
      Number(pattern[2]),
      Number(pattern[3]),
      Number(pattern[4]),
      header.name,
    );
    return companions(header, names, sources);
  }
  return companions(header, [reference], sources);
}

function openFileSlabs(
  where: string,
  files: ByteSource[],
  fields: Map<string, string>,
  encoding: Encoding,
  stored: StoredValues,
): Promise<ReadSlab> {
  const skips = {
    lines: wholeNumber(fields.get('lineskip'), 'line skip', 0),
    bytes: wholeNumber(fields.get('byteskip'), 'byte skip', -1),
  };
  return slabsOfFiles(where, files, stored, async (file, part) => {
    const start = skips.lines > 0 ? await afterLines(file, skips.lines) : 0;
    const body = slicePart(file, start, file.size - start);
    if (encoding === 'text') return textSlabs(body, Math.max(0, skips.bytes), part);
    if (encoding === 'raw') return rawSlabsAfter(body, skips.bytes, part);
    const { source, offset } = await inflated(body, part.neededBytes, skips.bytes, part.warnings);
    return rawSlabs(source, offset, part.dimensions, part.dataType, part.order);
  });
}

/** Largest part of a gzip file that is skipped to find the grey values from its end. */
const longestLead = 64 << 20;

/** A gzip file as a source of the needed bytes, and the offset of the grey values in it. */
async function inflated(body: ByteSource, needed: number, byteSkip: number, warnings: string[]) {
  checkUnpacking(body.name, body.size, needed + Math.max(0, byteSkip));
  const open = () => inflateStream(body, 'gzip');
  if (byteSkip === -1) {
    // Offsets from the end need the length, which takes one pass that keeps nothing.
    let total = 0;
    for await (const block of open()) {
      total += block.length;
      if (total > needed + longestLead)
        throw unsupported(
          `${body.name}: more than ${longestLead} bytes stand in front of the grey values; give their number (byte skip).`,
        );
    }
    if (total < needed)
      throw malformed(`${body.name}: ${needed} bytes of grey values are declared, but gzip gives ${total}.`);
    return { source: streamedSource(body.name, total, open), offset: total - needed };
  }
  const niftiOffset =
    byteSkip === 0 ? await niftiDataOffset(streamedSource(body.name, Math.min(needed, 352), open)) : 0;
  if (niftiOffset > 0) {
    warnings.push(`${body.name} is a NIfTI file; its header of ${niftiOffset} bytes was passed over.`);
  }
  const offset = byteSkip + niftiOffset;
  return { source: streamedSource(body.name, offset + needed, open, { warnings }), offset };
}

/** The offset of the voxels if the bytes are a single-file NIfTI-1 header, otherwise 0. */
async function niftiDataOffset(source: ByteSource): Promise<number> {
  if (source.size < 352) return 0;
  const bytes = await readExactly(source, 0, 352, 'the beginning of the data');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(344, false) !== 0x6e2b3100) return 0; // "n+1\0"
  const little = view.getInt32(0, true) === 348;
  const offset = view.getFloat32(108, little);
  return Number.isInteger(offset) && offset >= 352 && offset < 1e6 ? offset : 0;
}

function wholeNumber(text: string | undefined, what: string, least: number): number {
  if (text === undefined) return 0;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) {
    throw malformed(`The NRRD header has ${what} "${text}"; a whole number from ${least} would be right.`);
  }
  return value;
}

/** Offset after `lines` lines, within the first megabyte. */
async function afterLines(file: ByteSource, lines: number): Promise<number> {
  const bytes = await readExactly(file, 0, Math.min(file.size, 1 << 20), 'the lines to skip');
  let at = 0;
  for (let line = 0; line < lines; line++) {
    const end = bytes.indexOf(10, at);
    if (end < 0)
      throw malformed(`${file.name}: ${lines} lines are to be skipped, but only ${line} are there.`);
    at = end + 1;
  }
  return at;
}
