import { expect } from 'vitest';

/**
 * Iterations used to measure the load, and their duration on an idle machine of the kind on which the limits were set.
 */
const rounds = 2_000_000;
const roundsMs = 60;

/**
 * How many times slower a thread runs now than on that idle machine; at least 1. Scaling time limits by this makes
 * tests independent of the machine's speed and load.
 */
export function contention(): number {
  const started = performance.now();
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum += Math.hypot(sum % 7, i);
  // The sum is used, so that it is not optimized away.
  return Math.max(1, (performance.now() - started) / (sum > 0 ? roundsMs : 0));
}

/**
 * Starts a stopwatch; it returns the milliseconds since then, converted to the idle machine. As load varies, the higher
 * load of start and end counts.
 */
export function startStopwatch(): () => number {
  const atFirst = contention();
  const startedAt = performance.now();
  return () => {
    const tookMs = performance.now() - startedAt;
    return tookMs / Math.max(atFirst, contention());
  };
}

/** A program that is too slow is too slow each time. */
const tries = 4;

/**
 * Expects something to take less than this many milliseconds of the idle machine, in one of several attempts: a
 * flushing disk, a vacuuming database or a stalling machine affects only single attempts.
 *
 * @param attempt runs it from the beginning and returns its stopwatch's reading
 */
export async function expectWithin(limitMs: number, attempt: () => Promise<number>): Promise<void> {
  const tookMs: number[] = [];
  do tookMs.push(await attempt());
  while (Math.min(...tookMs) >= limitMs && tookMs.length < tries);
  expect(Math.min(...tookMs), `each of ${tookMs.length} tries`).toBeLessThan(limitMs);
}
