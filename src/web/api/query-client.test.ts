import { describe, expect, test } from 'vitest';
import { ServiceError } from './errors.ts';
import { shouldRetry } from './query-client.ts';

const failure = (status: number) =>
  new ServiceError({ code: 'INTERNAL', detail: '', status, retryAfterSeconds: null, fieldErrors: [] });

describe('A failed query', () => {
  test('is not retried on 4xx, nor on 500', () => {
    for (const status of [400, 401, 403, 404, 409, 429, 500])
      expect(shouldRetry(0, failure(status))).toBe(false);
  });

  test('is retried three times without a response or when a gateway fails', () => {
    for (const status of [0, 502, 503, 504]) {
      expect(shouldRetry(0, failure(status))).toBe(true);
      expect(shouldRetry(2, failure(status))).toBe(true);
      expect(shouldRetry(3, failure(status))).toBe(false);
    }
  });
});
