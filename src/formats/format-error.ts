export type FormatErrorCode = 'INPUT_INCOMPLETE' | 'MALFORMED' | 'UNSUPPORTED';

/** Fields that a caller can supply when a file lacks them, named as in the upload form. */
export type MissingField =
  | 'sizeConfirmed'
  | 'voxelSizeMm'
  | 'unit'
  | 'dimensions'
  | 'dataType'
  | 'byteOrder'
  | 'beam'
  | 'sourceToAxisMm'
  | 'sourceToDetectorMm'
  | 'pixelSizeMm'
  | 'totalAngleDeg';

export interface FormatErrorDetails {
  /** fields the caller has to supply; only with INPUT_INCOMPLETE */
  missing?: MissingField[];
  /** suggestions from the file for a form, not stated by it */
  suggested?: Record<string, unknown>;
  cause?: unknown;
}

/** Replaces control characters of quoted file contents that pages would not show or that reverse the text direction. */
const replaceUnseen = (text: string): string => text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}');

/**
 * The only kind of error that reading a file may throw.
 *
 * - `MALFORMED`: the data contradicts itself or the format.
 * - `UNSUPPORTED`: well-formed, but of a kind that is not read; the message names the kind.
 * - `INPUT_INCOMPLETE`: readable once the fields in `missing` are supplied.
 *
 * `message` is a sentence for an engineer: what is wrong, where, and what is expected.
 */
export class FormatError extends Error {
  readonly code: FormatErrorCode;
  readonly missing: MissingField[];
  readonly suggested: Record<string, unknown>;

  constructor(code: FormatErrorCode, message: string, details: FormatErrorDetails = {}) {
    super(replaceUnseen(message), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'FormatError';
    this.code = code;
    this.missing = details.missing ?? [];
    this.suggested = details.suggested ?? {};
  }
}

export function malformed(message: string, cause?: unknown): FormatError {
  return new FormatError('MALFORMED', message, { cause });
}

export function unsupported(message: string): FormatError {
  return new FormatError('UNSUPPORTED', message);
}

const missingWords: Record<Exclude<MissingField, 'sizeConfirmed'>, string> = {
  voxelSizeMm: 'how large a voxel is (voxelSizeMm, in mm along x, y, z)',
  unit: 'in which unit its lengths are (unit)',
  dimensions: 'how many voxels there are along x, y, z (dimensions)',
  dataType: 'of which type the grey values are (dataType)',
  byteOrder: 'in which order the bytes of a value stand (byteOrder)',
  beam: 'whether the beam is a cone, a fan or parallel (beam)',
  sourceToAxisMm: 'how far the axis of rotation is from the source (sourceToAxisMm)',
  sourceToDetectorMm: 'how far the detector is from the source (sourceToDetectorMm)',
  pixelSizeMm: 'how large a pixel of the detector is (pixelSizeMm)',
  totalAngleDeg: 'over which angle the part was turned (totalAngleDeg)',
};

/** INPUT_INCOMPLETE for fields that a file lacks. */
export function incomplete(
  name: string,
  missing: MissingField[],
  suggested: Record<string, unknown> = {},
): FormatError {
  const lacking = missing.filter((field) => field !== 'sizeConfirmed');
  const message =
    lacking.length > 0
      ? `${name} does not say ${lacking.map((field) => missingWords[field]).join(', nor ')}; supply ${lacking.join(', ')}.`
      : `${name} would be ${formatSize(suggested['sizeMm'])} in size. Confirm that (sizeConfirmed: true), or correct ${correction(suggested)}.`;
  return new FormatError('INPUT_INCOMPLETE', message, { missing, suggested });
}

const formatSize = (sizeMm: unknown): string =>
  `${(Array.isArray(sizeMm) ? sizeMm : []).map((mm: number) => Number(mm.toPrecision(3))).join(' × ')} mm`;

const correction = (suggested: Record<string, unknown>): string =>
  suggested['voxelSizeMm']
    ? 'its voxel size (voxelSizeMm)'
    : suggested['unit']
      ? 'its unit (unit)'
      : 'the unit in the program that it comes from';
