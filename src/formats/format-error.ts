export type FormatErrorCode = 'INPUT_INCOMPLETE' | 'MALFORMED' | 'UNSUPPORTED';

/** What a caller can supply when a file does not say it; the names are those of the upload form. */
export type MissingField =
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
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
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

export function incomplete(
  message: string,
  missing: MissingField[],
  suggested?: Record<string, unknown>,
): FormatError {
  return new FormatError('INPUT_INCOMPLETE', message, { missing, suggested });
}
