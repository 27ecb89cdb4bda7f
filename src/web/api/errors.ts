/** Translates every failed call into title, detail and field errors: by problem code, never by message text. */
import { type ProblemCode, problemCodes } from '#contract/shapes/problem-codes.ts';

/** Problem codes of the contract, and two that only the browser can detect. */
export type ErrorCode = ProblemCode | 'NETWORK' | 'UNREADABLE_ANSWER';

export interface FieldError {
  field: string;
  detail: string;
  code: string;
}

interface ErrorFacts {
  code: ErrorCode;
  detail: string;
  /** HTTP status; 0 when there was no response */
  status: number;
  /** seconds to wait according to the Retry-After header; null without one */
  retryAfterSeconds: number | null;
  fieldErrors: FieldError[];
}

/** Thrown by every failed call of the generated client. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  readonly fieldErrors: FieldError[];

  constructor(facts: ErrorFacts) {
    super(facts.detail);
    this.name = 'ServiceError';
    this.code = facts.code;
    this.detail = facts.detail;
    this.status = facts.status;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.fieldErrors = facts.fieldErrors;
  }
}

export interface Explanation {
  code: ErrorCode | null;
  /** what failed, in a few words */
  title: string;
  /** the cause, and what to do about it */
  detail: string;
  /** first detail by field name */
  fields: Record<string, string>;
  /** whether the same call may succeed a moment later */
  canRetry: boolean;
}

const titles: Record<ErrorCode, string> = {
  INVALID_UUID: 'This identifier is not valid',
  VALIDATION_FAILED: 'Some fields are not valid',
  MALFORMED_BODY: 'The service could not read the request',
  MALFORMED_REQUEST: 'The service could not read the request',
  NOT_AUTHENTICATED: 'You are signed out',
  INVALID_CREDENTIALS: 'Email and password do not match',
  PERMISSION_DENIED: 'Your role does not allow this',
  MODULE_NOT_ENABLED: 'This analysis module is off',
  NOT_FOUND: 'Not found',
  METHOD_NOT_ALLOWED: 'The service does not offer this',
  REQUEST_TIMEOUT: 'The request took too long to arrive',
  CONFLICT: 'Not possible in the current state',
  PROJECT_ARCHIVED: 'The project is archived',
  MISSING_INPUT: 'The project lacks the data for this',
  ALREADY_FINISHED: 'Already finished',
  IDEMPOTENCY_MISMATCH: 'Already sent with different content',
  PRECONDITION_FAILED: 'Changed by someone else meanwhile',
  PAYLOAD_TOO_LARGE: 'Too large for this service',
  UNSUPPORTED_MEDIA_TYPE: 'Format not supported',
  RATE_LIMITED: 'Too many attempts',
  HEADERS_TOO_LARGE: 'The request is too large',
  INTERNAL: 'The service failed',
  UNAVAILABLE: 'The service is not available',
  NETWORK: 'The service cannot be reached',
  UNREADABLE_ANSWER: 'The answer could not be read',
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isProblemCode = (code: unknown): code is ProblemCode =>
  typeof code === 'string' && Object.hasOwn(problemCodes, code);

function readFieldErrors(body: Record<string, unknown>): FieldError[] {
  const listed = Array.isArray(body.errors) ? body.errors.filter(isRecord) : [];
  const errors = listed.map(({ field, detail, code }) => ({
    field: String(field ?? ''),
    detail: String(detail ?? ''),
    code: String(code ?? ''),
  }));
  if (errors.length === 0 && typeof body.field === 'string')
    errors.push({ field: body.field, detail: String(body.detail ?? ''), code: String(body.code ?? '') });
  return errors;
}

/** Seconds of a Retry-After header: a number, or a date relative to `now` (ms since 1970). */
export function readRetryAfter(header: string | null | undefined, now: number): number | null {
  if (!header) return null;
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

/**
 * Converts what the generated client throws (the parsed body, its text, or the browser's own error) to a ServiceError.
 * The error of an aborted call is returned unchanged, so that nobody reports it.
 */
export function toServiceError(thrown: unknown, response: Response | undefined): unknown {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof DOMException && thrown.name === 'AbortError') return thrown;
  if (response === undefined)
    return new ServiceError({
      code: 'NETWORK',
      detail:
        'The service did not answer. Check the connection and whether the service runs, then try again.',
      status: 0,
      retryAfterSeconds: null,
      fieldErrors: [],
    });
  const retryAfterSeconds = readRetryAfter(response.headers.get('Retry-After'), Date.now());
  if (isRecord(thrown) && isProblemCode(thrown.code))
    return new ServiceError({
      code: thrown.code,
      detail: typeof thrown.detail === 'string' ? thrown.detail : problemCodes[thrown.code].meaning,
      status: response.status,
      retryAfterSeconds,
      fieldErrors: readFieldErrors(thrown),
    });
  const gatewayDown = [502, 503, 504].includes(response.status);
  return new ServiceError({
    code: gatewayDown ? 'UNAVAILABLE' : 'UNREADABLE_ANSWER',
    detail: gatewayDown
      ? `A proxy in front of the service answered ${response.status}: the service is down or starting. Try again in a moment.`
      : `The service answered ${response.status} in an unexpected form. Check the address of the service.`,
    status: response.status,
    retryAfterSeconds,
    fieldErrors: [],
  });
}

/** Formats seconds as `45 s` or `3 min`. */
const formatSeconds = (seconds: number): string =>
  seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;

/** Title, detail and field errors of any error thrown by a call or by the page itself. */
export function explain(error: unknown): Explanation {
  if (error instanceof ServiceError) {
    const wait =
      error.code === 'RATE_LIMITED' && error.retryAfterSeconds !== null
        ? ` Try again in ${formatSeconds(error.retryAfterSeconds)}.`
        : '';
    return {
      code: error.code,
      title: titles[error.code],
      detail: `${error.detail}${wait}`,
      fields: Object.fromEntries(error.fieldErrors.toReversed().map(({ field, detail }) => [field, detail])),
      canRetry: error.status === 0 || error.status >= 500 || error.status === 429,
    };
  }
  return {
    code: null,
    title: 'This page failed',
    detail: error instanceof Error ? error.message : String(error),
    fields: {},
    canRetry: true,
  };
}

export const hasCode = (error: unknown, code: ErrorCode): boolean =>
  error instanceof ServiceError && error.code === code;
