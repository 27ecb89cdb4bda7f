/** Problems: the error responses of the service, each with a code. */
import type { FieldProblem, Problem as ProblemBody } from '#contract/shapes/problem.ts';
import { type ProblemCode, problemCodes } from '#contract/shapes/problem-codes.ts';
import { InvalidCursor } from '#storage/db/page.ts';

interface Extras {
  field?: string;
  errors?: FieldProblem[];
  headers?: Record<string, string>;
}

/** May be thrown anywhere below a route; the error handler sends it. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  readonly extras: Extras;

  constructor(code: ProblemCode, detail: string, extras: Extras = {}) {
    super(detail);
    this.code = code;
    this.extras = extras;
  }

  get status(): number {
    return problemCodes[this.code].status;
  }

  body(): ProblemBody {
    const { field, errors } = this.extras;
    return {
      detail: this.message,
      code: this.code,
      ...(field === undefined ? {} : { field }),
      ...(errors === undefined ? {} : { errors }),
    };
  }
}

/** The same message for missing resources and for those the caller may not see. */
export const notFound = (what: string, field?: string): Problem =>
  new Problem('NOT_FOUND', `${what} not found, or you have no access to it`, field ? { field } : {});

/** Matches a detail that continues a sentence starting with the field's name. */
const predicate = /^(and|does|has|holds|is|lies|must|names)\b/;

export const invalidField = (field: string, detail: string): Problem =>
  new Problem('VALIDATION_FAILED', `${field}${predicate.test(detail) ? '' : ':'} ${detail}`, {
    field,
    errors: [{ field, detail, code: 'VALIDATION_FAILED' }],
  });

const frameworkCodes: Record<string, [ProblemCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['PAYLOAD_TOO_LARGE', 'the body is larger than this operation allows'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'send the body as application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'MALFORMED_BODY',
    'the body does not have the length that its header says',
  ],
  FST_ERR_BAD_URL: ['NOT_FOUND', 'the address is not well-formed'],
  FST_ERR_MAX_PARAM_LENGTH: ['NOT_FOUND', 'a part of the address is too long'],
  FST_UNDER_PRESSURE: ['UNAVAILABLE', 'the service is busy; try again in a few seconds'],
};

/** Error codes of a full disk, of the database or of the uploads. */
const full = /^(53100|ENOSPC|EDQUOT)$/;

/** SQLSTATEs and error codes of a server that is unreachable, starting, or out of connections. */
const unavailable = /^(08|53|57P0[123])|^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE)$/;

/** Messages of the PostgreSQL client about a broken connection, during a query and after it. */
const lostConnection = /Connection terminated|is not queryable/;

/** The problem to report for an error; undefined for an internal error. */
export function toProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof InvalidCursor) return invalidField('cursor', error.message);
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = String((at as { code?: unknown }).code ?? '');
    const known = Object.hasOwn(frameworkCodes, code) ? frameworkCodes[code] : undefined;
    if (known) {
      const [problem, detail] = known;
      return new Problem(
        problem,
        detail,
        problem === 'UNAVAILABLE' ? { headers: { 'retry-after': '5' } } : {},
      );
    }
    // The database is available, but no connection was free for 15 s.
    if (at.message === 'timeout exceeded when trying to connect') {
      return new Problem('UNAVAILABLE', 'the service is busy; try again in a few seconds', {
        headers: { 'retry-after': '5' },
      });
    }
    if (full.test(code)) {
      return new Problem(
        'UNAVAILABLE',
        'the storage of this installation is full; make room, then try again',
        {
          headers: { 'retry-after': '60' },
        },
      );
    }
    if (unavailable.test(code) || lostConnection.test(at.message)) {
      return new Problem('UNAVAILABLE', 'the database can’t be reached just now; try again', {
        headers: { 'retry-after': '2' },
      });
    }
    const status = (at as { statusCode?: unknown }).statusCode;
    if (status === 400) return new Problem('MALFORMED_BODY', at.message);
    if (status === 413) return new Problem('PAYLOAD_TOO_LARGE', at.message);
    if (status === 415) return new Problem('UNSUPPORTED_MEDIA_TYPE', at.message);
  }
  return undefined;
}
