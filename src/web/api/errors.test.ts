import { describe, expect, test } from 'vitest';
import { explain, hasCode, readRetryAfter, ServiceError, toServiceError } from './errors.ts';

const answer = (status: number, headers: Record<string, string> = {}) =>
  new Response(null, { status, headers });

describe('A failed call', () => {
  test('carries the code, the detail and the field errors of the problem', () => {
    const error = toServiceError(
      {
        code: 'VALIDATION_FAILED',
        detail: 'name: at most 200 characters',
        errors: [{ field: 'name', detail: 'at most 200 characters', code: 'too_big' }],
      },
      answer(400),
    );
    expect(error).toBeInstanceOf(ServiceError);
    expect(explain(error)).toMatchObject({
      code: 'VALIDATION_FAILED',
      title: 'Some fields are not valid',
      fields: { name: 'at most 200 characters' },
      canRetry: false,
    });
  });

  test('names the field of a problem that has only one', () => {
    const error = toServiceError(
      { code: 'VALIDATION_FAILED', detail: 'is wrong', field: 'oldPassword' },
      answer(400),
    );
    expect(explain(error).fields).toEqual({ oldPassword: 'is wrong' });
  });

  test('says how long to wait after too many attempts', () => {
    const error = toServiceError(
      { code: 'RATE_LIMITED', detail: 'Too many tries.' },
      answer(429, { 'Retry-After': '42' }),
    );
    expect(explain(error).detail).toBe('Too many tries. Try again in 42 s.');
    expect(hasCode(error, 'RATE_LIMITED')).toBe(true);
  });

  test('reports a connection problem when no response arrived', () => {
    expect(explain(toServiceError(new TypeError('Failed to fetch'), undefined))).toMatchObject({
      code: 'NETWORK',
      canRetry: true,
    });
  });

  test('reports the service as down when a gateway responds in its place', () => {
    expect(explain(toServiceError('<html>Bad gateway</html>', answer(502)))).toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  test('reports an unreadable response when the body is not a problem document, whatever its text says', () => {
    const error = toServiceError({ detail: 'NOT_FOUND', code: 'SOMETHING_ELSE' }, answer(404));
    expect(hasCode(error, 'NOT_FOUND')).toBe(false);
    expect(explain(error).code).toBe('UNREADABLE_ANSWER');
  });

  test('leaves the error of an aborted call unchanged', () => {
    const aborted = new DOMException('aborted', 'AbortError');
    expect(toServiceError(aborted, undefined)).toBe(aborted);
  });
});

describe('Retry-After', () => {
  test('is parsed as seconds or as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(readRetryAfter('30', now)).toBe(30);
    expect(readRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', now)).toBe(60);
    expect(readRetryAfter('soon', now)).toBeNull();
    expect(readRetryAfter(null, now)).toBeNull();
  });
});
