import { expect, test } from 'vitest';
import { Turnstile } from './turnstile.ts';

const never = new AbortController().signal;

test('one is let through at a time, in order, also after one that failed', async () => {
  const turnstile = new Turnstile();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = turnstile.pass(never, async () => {
    seen.push('first in');
    await gate.promise;
    seen.push('first out');
    throw new Error('broken');
  });
  const second = turnstile.pass(never, async () => seen.push('second in'));
  const failed = expect(first).rejects.toThrow('broken');
  gate.resolve();
  await failed;
  await second;
  expect(seen).toEqual(['first in', 'first out', 'second in']);
});

test('who gives up waiting does not block those behind', async () => {
  const turnstile = new Turnstile();
  const gate = Promise.withResolvers<void>();
  const first = turnstile.pass(never, () => gate.promise);
  const impatient = new AbortController();
  const second = turnstile.pass(impatient.signal, async () => 'never');
  const third = turnstile.pass(never, async () => 'third');
  impatient.abort(new Error('too long'));
  await expect(second).rejects.toThrow('too long');
  gate.resolve();
  await first;
  expect(await third).toBe('third');
});
