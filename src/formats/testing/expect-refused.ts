import { expect } from 'vitest';
import { contention } from '#worker/testing/contention.ts';
import { FormatError } from '../format-error.ts';

/** Refused as such, within a time in which nothing large can be read or made. */
export async function expectRefused(open: () => Promise<unknown>, message: RegExp): Promise<void> {
  const started = performance.now();
  const error = await open().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FormatError);
  expect((error as FormatError).message).toMatch(message);
  const tookMs = performance.now() - started;
  // Looking at the load takes a moment, too.
  if (tookMs > 5000) expect(tookMs).toBeLessThan(5000 * contention());
}
