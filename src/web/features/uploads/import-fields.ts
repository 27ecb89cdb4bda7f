/** Information that a file lacks and the user adds: which fields to ask for, and which values they accept. */
import { RetryInput } from '#contract/shapes/operation.ts';
import { bytesPerVoxel } from '#kernels/grid/volume.ts';

interface Choice {
  kind: 'choice';
  label: string;
  options: Readonly<Record<string, string>>;
  /** chosen at first; without it, the field starts empty */
  initial?: string;
  problem: string;
}
interface NumberField {
  /** a single number, or one along each axis */
  kind: 'number' | 'triple';
  label: string;
  unit: string;
  isWhole?: boolean;
  /** allowed too, and entered at first */
  initial?: 0;
  problem: string;
}

const unitProblem = (unit: string) => `A number above 0\u202f${unit}`;
const distance = (label: string) =>
  ({ kind: 'number', label, unit: 'mm', problem: unitProblem('mm') }) as const;

/** The fields, in reading order; `sizeConfirmed` asks whether an unusual size is right. */
export const importFields = {
  sizeConfirmed: {
    kind: 'choice',
    label: '',
    options: { yes: 'Yes, import it', no: 'No, correct it' },
    problem: 'Confirm or correct the size',
  },
  dimensions: {
    kind: 'triple',
    label: 'Voxels',
    unit: '',
    isWhole: true,
    problem: 'Three whole numbers from 1: voxels along x, y and z',
  },
  dataType: {
    kind: 'choice',
    label: 'Grey values',
    options: {
      uint8: '8 bit unsigned',
      int8: '8 bit signed',
      uint16: '16 bit unsigned',
      int16: '16 bit signed',
      uint32: '32 bit unsigned',
      int32: '32 bit signed',
      float32: '32 bit float',
      float64: '64 bit float',
    },
    problem: 'Choose the type of the grey values',
  },
  byteOrder: {
    kind: 'choice',
    label: 'Byte order',
    options: { little: 'Little endian (usual)', big: 'Big endian' },
    initial: 'little',
    problem: 'Choose the order of the bytes',
  },
  headerBytes: {
    kind: 'number',
    label: 'Header',
    unit: 'bytes',
    isWhole: true,
    initial: 0,
    problem: 'A whole number from 0',
  },
  voxelSizeMm: {
    kind: 'triple',
    label: 'Voxel size',
    unit: 'mm',
    problem: 'Three lengths above 0\u202fmm: the voxel size along x, y and z',
  },
  unit: {
    kind: 'choice',
    label: 'Unit of the coordinates',
    options: {
      mm: 'Millimetre (mm)',
      um: 'Micrometre (µm)',
      cm: 'Centimetre (cm)',
      m: 'Metre (m)',
      inch: 'Inch',
    },
    problem: 'Choose the unit of the coordinates',
  },
  beam: {
    kind: 'choice',
    label: 'Beam',
    options: { cone: 'Cone beam', fan: 'Fan beam', parallel: 'Parallel beam' },
    initial: 'cone',
    problem: 'Choose the beam',
  },
  sourceToAxisMm: distance('Source to axis of rotation'),
  sourceToDetectorMm: distance('Source to detector'),
  pixelSizeMm: distance('Pixel size of the detector'),
  totalAngleDeg: { kind: 'number', label: 'Scan angle', unit: '°', problem: unitProblem('°') },
  turntable: {
    kind: 'choice',
    label: 'The part turns, seen from above',
    options: { counterclockwise: 'Counterclockwise', clockwise: 'Clockwise' },
    initial: 'counterclockwise',
    problem: 'Choose the direction of rotation',
  },
} as const satisfies Record<string, Choice | NumberField>;
export type ImportField = keyof typeof importFields;
export const importFieldNames = Object.keys(importFields) as ImportField[];
export const describeField = (field: ImportField): Choice | NumberField => importFields[field];

export type Triple = [number | '', number | '', number | ''];

/** Values of the form; '' = not entered yet. */
export type ImportValues = {
  [Name in ImportField]: {
    choice: string;
    number: number | '';
    triple: Triple;
  }[(typeof importFields)[Name]['kind']];
};
export type ImportErrors = Partial<Record<ImportField, string>>;

const bytesOfType: Record<string, number> = bytesPerVoxel;

const isTriple = (value: unknown): value is [number, number, number] =>
  Array.isArray(value) && value.length === 3 && value.every((each) => typeof each === 'number');

/** Initial values: those suggested by the file, or entered in an earlier attempt. */
export function startingValues(hints: Record<string, unknown> = {}): ImportValues {
  const start = (field: ImportField) => {
    const { kind, initial = '' } = describeField(field);
    const hint = hints[field];
    if (kind === 'triple') return isTriple(hint) ? hint : ['', '', ''];
    return typeof hint === (kind === 'choice' ? 'string' : 'number') ? hint : initial;
  };
  return Object.fromEntries(importFieldNames.map((field) => [field, start(field)])) as ImportValues;
}
export const emptyImport = startingValues();

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
  return importFieldNames.filter((field) => asked.has(field));
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

/** Whether the user has entered the whole value. */
export const isFilled = (value: string | number | Triple): boolean => ![value].flat().includes('');

/** Bytes that a file of raw grey values needs with these values; null while a value is missing. */
export function neededBytes(values: ImportValues): number | null {
  const size = bytesOfType[values.dataType];
  if (!isTriple(values.dimensions) || size === undefined || values.headerBytes === '') return null;
  return values.dimensions.reduce((product, each) => product * each, size) + values.headerBytes;
}

/**
 * Size against which the description is checked; null if unknown: a compressed file contains more than its own bytes.
 */
export const readableBytes = (fileName: string | null, sizeBytes: number | null): number | null =>
  /\.(gz|zip)$/i.test(fileName ?? '') ? null : sizeBytes;

function isValid(field: Choice | NumberField, value: string | number | Triple): boolean {
  if (field.kind === 'choice') return String(value) in field.options;
  return [value].flat().every((each) => {
    const isNumber =
      typeof each === 'number' && (field.isWhole ? Number.isInteger(each) : Number.isFinite(each));
    return isNumber && (each > 0 || each === field.initial);
  });
}

/** Errors by field that prevent sending the form. `sizeBytes` is the size of the file if known. */
export function importErrors(
  asked: readonly ImportField[],
  values: ImportValues,
  sizeBytes: number | null = null,
): ImportErrors {
  const errors: ImportErrors = {};
  const shown = (field: ImportField) => isAsked(field, asked, values);
  for (const field of importFieldNames)
    if (shown(field) && !isValid(describeField(field), values[field]))
      errors[field] = describeField(field).problem;
  if (values.sizeConfirmed === 'no' && !corrections.some(shown))
    errors.sizeConfirmed = 'Export the file again in the right unit';
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
  const chosen = importFieldNames.filter(
    (field) => field !== 'sizeConfirmed' && isAsked(field, asked, values),
  );
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
