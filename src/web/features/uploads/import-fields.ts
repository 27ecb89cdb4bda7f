/** Information that a file lacks and the user adds: which fields to ask for, and which values they accept. */
import { RetryInput } from '#contract/shapes/operation.ts';
import { bytesPerVoxel } from '#kernels/grid/volume.ts';

export const importFields = [
  'sizeConfirmed',
  'dimensions',
  'dataType',
  'byteOrder',
  'headerBytes',
  'voxelSizeMm',
  'unit',
  'beam',
  'sourceToAxisMm',
  'sourceToDetectorMm',
  'pixelSizeMm',
  'totalAngleDeg',
  'turntable',
] as const;
export type ImportField = (typeof importFields)[number];

export type Triple = [number | '', number | '', number | ''];

/** Values of the form; '' = not entered yet. */
export interface ImportValues {
  /** whether an unusual size is right; '' = not answered */
  sizeConfirmed: 'yes' | 'no' | '';
  dimensions: Triple;
  dataType: string;
  byteOrder: string;
  headerBytes: number | '';
  voxelSizeMm: Triple;
  unit: string;
  /** fields for radiographs */
  beam: string;
  sourceToAxisMm: number | '';
  sourceToDetectorMm: number | '';
  pixelSizeMm: number | '';
  totalAngleDeg: number | '';
  turntable: string;
}

/** Lengths and angles of a scan, each a positive number. */
export const geometryNumbers = [
  'sourceToAxisMm',
  'sourceToDetectorMm',
  'pixelSizeMm',
  'totalAngleDeg',
] as const;

export type ImportErrors = Partial<Record<ImportField, string>>;

export const bytesOfType: Record<string, number> = bytesPerVoxel;

export const dataTypeLabels: Record<string, string> = {
  uint8: '8 bit unsigned',
  int8: '8 bit signed',
  uint16: '16 bit unsigned',
  int16: '16 bit signed',
  uint32: '32 bit unsigned',
  int32: '32 bit signed',
  float32: '32 bit float',
  float64: '64 bit float',
};

export const unitLabels: Record<string, string> = {
  mm: 'Millimetre (mm)',
  um: 'Micrometre (µm)',
  cm: 'Centimetre (cm)',
  m: 'Metre (m)',
  inch: 'Inch',
};

export const beamLabels: Record<string, string> = {
  cone: 'Cone beam',
  fan: 'Fan beam',
  parallel: 'Parallel beam',
};

export const turntableLabels: Record<string, string> = {
  counterclockwise: 'Counterclockwise',
  clockwise: 'Clockwise',
};

export const emptyImport: ImportValues = {
  sizeConfirmed: '',
  dimensions: ['', '', ''],
  dataType: '',
  byteOrder: 'little',
  headerBytes: 0,
  voxelSizeMm: ['', '', ''],
  unit: '',
  beam: 'cone',
  sourceToAxisMm: '',
  sourceToDetectorMm: '',
  pixelSizeMm: '',
  totalAngleDeg: '',
  turntable: 'counterclockwise',
};

const isTriple = (value: unknown): value is [number, number, number] =>
  Array.isArray(value) && value.length === 3 && value.every((each) => typeof each === 'number');

const numberOr = (value: unknown, otherwise: number | ''): number | '' =>
  typeof value === 'number' ? value : otherwise;
const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

/** Initial values: those suggested by the file, or entered in an earlier attempt. */
export function startingValues(hints: Record<string, unknown> = {}): ImportValues {
  return {
    sizeConfirmed: '',
    dimensions: isTriple(hints.dimensions) ? hints.dimensions : emptyImport.dimensions,
    dataType: textOr(hints.dataType, emptyImport.dataType),
    byteOrder: textOr(hints.byteOrder, emptyImport.byteOrder),
    headerBytes: numberOr(hints.headerBytes, emptyImport.headerBytes),
    voxelSizeMm: isTriple(hints.voxelSizeMm) ? hints.voxelSizeMm : emptyImport.voxelSizeMm,
    unit: textOr(hints.unit, emptyImport.unit),
    beam: textOr(hints.beam, emptyImport.beam),
    sourceToAxisMm: numberOr(hints.sourceToAxisMm, ''),
    sourceToDetectorMm: numberOr(hints.sourceToDetectorMm, ''),
    pixelSizeMm: numberOr(hints.pixelSizeMm, ''),
    totalAngleDeg: numberOr(hints.totalAngleDeg, ''),
    turntable: textOr(hints.turntable, emptyImport.turntable),
  };
}

/**
 * The fields to ask for, in reading order. A file without dimensions or data type contains raw grey values; it may also
 * have a header, and needs a byte order. For an unusual size the fields that determine it are added.
 */
export function listMissingFields(
  missing: readonly string[],
  suggested: Record<string, unknown> = {},
): ImportField[] {
  const asked = new Set<string>(missing);
  if (asked.has('sizeConfirmed')) {
    for (const field of corrections) if (suggested[field] !== undefined) asked.add(field);
  }
  if (asked.has('dimensions') || asked.has('dataType')) {
    for (const field of ['dimensions', 'dataType', 'byteOrder', 'headerBytes', 'voxelSizeMm'])
      asked.add(field);
  }
  // An angle alone does not define the direction of rotation, and a mirrored volume looks correct.
  if (asked.has('totalAngleDeg')) asked.add('turntable');
  return importFields.filter((field) => asked.has(field));
}

/** The values from which an unusual size may result. */
const corrections: readonly ImportField[] = ['unit', 'voxelSizeMm'];

const isDistance = (field: ImportField) => field === 'sourceToAxisMm' || field === 'sourceToDetectorMm';

/**
 * Hides fields without meaning: the byte order of single bytes, the source distances of a parallel beam, and the
 * correction of a confirmed size.
 */
export const isAsked = (field: ImportField, asked: readonly ImportField[], values: ImportValues): boolean =>
  asked.includes(field) &&
  !(field === 'byteOrder' && bytesOfType[values.dataType] === 1) &&
  !(corrections.includes(field) && asked.includes('sizeConfirmed') && values.sizeConfirmed !== 'no') &&
  !(isDistance(field) && values.beam === 'parallel');

const filled = (triple: Triple): triple is [number, number, number] => triple.every((each) => each !== '');

/** Bytes that a file of raw grey values needs with these values; null while a value is missing. */
export function neededBytes(values: ImportValues): number | null {
  const size = bytesOfType[values.dataType];
  if (!filled(values.dimensions) || size === undefined || values.headerBytes === '') return null;
  return values.dimensions.reduce((product, each) => product * each, size) + values.headerBytes;
}

/**
 * Size against which the description is checked; null if unknown: a compressed file contains more than its own bytes.
 */
export const readableBytes = (fileName: string | null, sizeBytes: number | null): number | null =>
  /\.(gz|zip)$/i.test(fileName ?? '') ? null : sizeBytes;

/** Errors by field that prevent sending the form. `sizeBytes` is the size of the file if known. */
export function importErrors(
  asked: readonly ImportField[],
  values: ImportValues,
  sizeBytes: number | null = null,
): ImportErrors {
  const errors: ImportErrors = {};
  const shown = (field: ImportField) => isAsked(field, asked, values);
  if (shown('sizeConfirmed') && values.sizeConfirmed === '')
    errors.sizeConfirmed = 'Confirm or correct the size';
  if (values.sizeConfirmed === 'no' && !corrections.some(shown))
    errors.sizeConfirmed = 'Export the file again in the right unit';
  if (shown('dimensions') && !values.dimensions.every((each) => Number.isInteger(each) && Number(each) >= 1))
    errors.dimensions = 'Three whole numbers from 1: voxels along x, y and z';
  if (shown('dataType') && bytesOfType[values.dataType] === undefined)
    errors.dataType = 'Choose the type of the grey values';
  if (shown('byteOrder') && values.byteOrder === '') errors.byteOrder = 'Choose the order of the bytes';
  if (shown('headerBytes') && !(Number.isInteger(values.headerBytes) && Number(values.headerBytes) >= 0))
    errors.headerBytes = 'A whole number from 0';
  if (
    shown('voxelSizeMm') &&
    !values.voxelSizeMm.every((each) => each !== '' && Number.isFinite(each) && each > 0)
  )
    errors.voxelSizeMm = 'Three lengths above 0\u2009mm: the voxel size along x, y and z';
  if (shown('unit') && values.unit === '') errors.unit = 'Choose the unit of the coordinates';
  for (const field of geometryNumbers) {
    if (shown(field) && !(values[field] !== '' && Number.isFinite(values[field]) && values[field] > 0))
      errors[field] = `A number above 0\u2009${field === 'totalAngleDeg' ? '°' : 'mm'}`;
  }
  if (
    shown('sourceToDetectorMm') &&
    !errors.sourceToDetectorMm &&
    values.sourceToAxisMm !== '' &&
    values.sourceToDetectorMm !== '' &&
    values.sourceToDetectorMm <= values.sourceToAxisMm
  )
    errors.sourceToDetectorMm = 'The detector must be farther away than the axis of rotation';
  const needed = neededBytes(values);
  if (
    shown('dimensions') &&
    !errors.dimensions &&
    needed !== null &&
    sizeBytes !== null &&
    needed > sizeBytes
  )
    errors.dimensions = `These need ${needed.toLocaleString('en')} bytes, the file has ${sizeBytes.toLocaleString('en')}`;
  return errors;
}

/** The body of a retry, containing only the requested fields. */
export function toRetryInput(asked: readonly ImportField[], values: ImportValues): RetryInput {
  const chosen = importFields.filter((field) => field !== 'sizeConfirmed' && isAsked(field, asked, values));
  return RetryInput.parse({
    ...Object.fromEntries(chosen.map((field) => [field, values[field]])),
    ...(values.sizeConfirmed === 'yes' ? { sizeConfirmed: true } : {}),
  });
}

/** The same values as upload metadata, in which everything is text. */
export const toUploadMetadata = (input: RetryInput): Record<string, string> =>
  Object.fromEntries(
    Object.entries(input).map(([field, value]) => [
      field,
      Array.isArray(value) ? value.join(',') : String(value),
    ]),
  );
