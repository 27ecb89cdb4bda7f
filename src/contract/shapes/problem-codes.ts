/** What can be wrong with a request; without a schema, so that the sign-in page needs no library to know it. */

/** Every code, the HTTP status that it travels with, and what it means. */
export const problemCodes = {
  INVALID_UUID: { status: 400, meaning: 'an identifier is not a UUID' },
  VALIDATION_FAILED: {
    status: 400,
    meaning: 'a field of the request is missing, unknown or out of its limits',
  },
  MALFORMED_BODY: { status: 400, meaning: 'the body is not the JSON that it says it is' },
  MALFORMED_REQUEST: { status: 400, meaning: 'what was sent is no HTTP request' },
  NOT_AUTHENTICATED: { status: 401, meaning: 'no token, or one that has ended' },
  INVALID_CREDENTIALS: { status: 401, meaning: 'e-mail and password do not belong together' },
  PERMISSION_DENIED: { status: 403, meaning: 'the caller sees the thing but may not do this with it' },
  MODULE_NOT_ENABLED: { status: 403, meaning: 'the analysis module is off for this organization' },
  NOT_FOUND: { status: 404, meaning: 'no such thing, or none that the caller may see' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'the path exists, the method does not' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'the request did not arrive in time' },
  CONFLICT: { status: 409, meaning: 'the request does not fit the present state' },
  PROJECT_ARCHIVED: { status: 409, meaning: 'an archived project cannot be written to; restore it first' },
  MISSING_INPUT: { status: 409, meaning: 'the project has no data of the kind that this needs' },
  ALREADY_FINISHED: { status: 409, meaning: 'what should be stopped has ended already' },
  IDEMPOTENCY_MISMATCH: { status: 409, meaning: 'the idempotency key was used with another request' },
  PRECONDITION_FAILED: { status: 412, meaning: 'somebody changed it since; If-Match does not match' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'the body is larger than allowed' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'bodies are application/json' },
  RATE_LIMITED: { status: 429, meaning: 'too many tries; Retry-After says when to come back' },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'the headers of the request are larger than allowed' },
  INTERNAL: { status: 500, meaning: 'the service failed; the log holds the request id' },
  UNAVAILABLE: { status: 503, meaning: 'not now; try again' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ProblemCode = keyof typeof problemCodes;
