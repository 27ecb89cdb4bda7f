import { expect } from 'vitest';
import { contention } from '#worker/testing/contention.ts';
import { FormatError } from '../format-error.ts';

/** Expects a refusal within a time in which nothing large can be read or allocated. */
export async function expectRefused(open: () => Promise<unknown>, message: RegExp): Promise<void> {
  const started = performance.now();
  const error = await open().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FormatError);
  expect((error as FormatError).message).toMatch(message);
  const tookMs = performance.now() - started;
  // Measuring the load takes a moment, too.
  if (tookMs > 5000) expect(tookMs).toBeLessThan(5000 * contention());
}
