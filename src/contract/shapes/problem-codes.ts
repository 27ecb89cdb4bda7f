/** Problem codes. Not a schema, so that the sign-in page need not load Zod. */

/** Every code with its HTTP status and meaning. */
export const problemCodes = {
  INVALID_UUID: { status: 400, meaning: 'an identifier is not a UUID' },
  VALIDATION_FAILED: {
    status: 400,
    meaning: 'a field of the request is missing, unknown or out of range',
  },
  MALFORMED_BODY: { status: 400, meaning: 'the body is not valid JSON' },
  MALFORMED_REQUEST: { status: 400, meaning: 'the data sent is not an HTTP request' },
  NOT_AUTHENTICATED: { status: 401, meaning: 'no token, or an expired one' },
  INVALID_CREDENTIALS: { status: 401, meaning: 'the email address or the password is wrong' },
  PERMISSION_DENIED: { status: 403, meaning: 'the caller may see the resource but not do this with it' },
  MODULE_NOT_ENABLED: { status: 403, meaning: 'the analysis module is disabled for this organization' },
  NOT_FOUND: { status: 404, meaning: 'the resource does not exist, or the caller has no access to it' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'the path does not support this method' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'the request did not arrive in time' },
  CONFLICT: { status: 409, meaning: 'the request conflicts with the current state' },
  PROJECT_ARCHIVED: { status: 409, meaning: 'archived projects are read-only; restore the project first' },
  MISSING_INPUT: { status: 409, meaning: 'the project lacks the kind of data that this needs' },
  ALREADY_FINISHED: { status: 409, meaning: 'the work to cancel has already finished' },
  IDEMPOTENCY_MISMATCH: {
    status: 409,
    meaning: 'the idempotency key was already used with a different request',
  },
  PRECONDITION_FAILED: { status: 412, meaning: 'the resource has changed since; If-Match does not match' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'the body is larger than allowed' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'the body must be application/json' },
  RATE_LIMITED: { status: 429, meaning: 'too many requests; retry after the time in Retry-After' },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'the request headers are larger than allowed' },
  INTERNAL: { status: 500, meaning: 'internal error; find the request id in the log' },
  UNAVAILABLE: { status: 503, meaning: 'temporarily unavailable; retry' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ProblemCode = keyof typeof problemCodes;
