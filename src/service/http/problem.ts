/** Everything that is not a success leaves the service as a problem with a code. */
import type { FieldProblem, Problem as ProblemBody } from '#contract/shapes/problem.ts';
import { type ProblemCode, problemCodes } from '#contract/shapes/problem-codes.ts';
import { InvalidCursor } from '#storage/db/page.ts';

interface Extras {
  field?: string;
  errors?: FieldProblem[];
  headers?: Record<string, string>;
}

/** Thrown anywhere below a route; the error handler writes it. */
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

/** The same words for what is not there and for what the caller may not see. */
export const notFound = (what = 'thing', field?: string): Problem =>
  new Problem('NOT_FOUND', `there is no such ${what}, or none that you may see`, field ? { field } : {});

/** How a detail begins whose subject is the field. */
const predicate = /^(and|does|has|holds|is|lies|must|names)\b/;

/** One field of the request is not as it has to be. */
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

/** The database's disk, or that of the uploads, has no room left. */
const full = /^(53100|ENOSPC|EDQUOT)$/;

/** SQLSTATEs of a server that is not there, is starting or has all its connections taken. */
const unavailable = /^(08|53|57P0[123])|^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE)$/;

/** What the client says of a connection that broke, while a query waits for its answer and after it. */
const lostConnection = /Connection terminated|is not queryable/;

/** What an error is to the caller; undefined when it is the service's own fault. */
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
    // The database is there, but for a quarter of a minute no connection to it was free.
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
