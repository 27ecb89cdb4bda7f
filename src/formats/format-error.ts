export type FormatErrorCode = 'INPUT_INCOMPLETE' | 'MALFORMED' | 'UNSUPPORTED';

/** What a caller can supply when a file does not say it; the names are those of the upload form. */
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
  /** values that the file hints at but does not state, for a form to offer */
  suggested?: Record<string, unknown>;
  cause?: unknown;
}

/** What a file holds where a sentence quotes it may be bytes that a page shows as nothing, or that turn the rest around. */
const replaceUnseen = (text: string): string => text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}');

/**
 * The only error that reading a file may end in.
 *
 * - `MALFORMED`: the bytes contradict themselves or the format.
 * - `UNSUPPORTED`: well-formed, but of a kind that is not read; the message names the kind.
 * - `INPUT_INCOMPLETE`: readable once the fields in `missing` are supplied.
 *
 * `message` is a sentence for an engineer: what is wrong, where, and what would be right.
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

/** INPUT_INCOMPLETE for fields that a file does not state. */
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
