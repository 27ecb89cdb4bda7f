import { expect, test } from 'vitest';
import { Turnstile } from './turnstile.ts';

const never = new AbortController().signal;

test('one is let through at a time, in order, also after one that failed', async () => {
  const turnstile = new Turnstile();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = turnstile.pass(never, 0, async () => {
    seen.push('first in');
    await gate.promise;
    seen.push('first out');
    throw new Error('broken');
  });
  const second = turnstile.pass(never, 0, async () => seen.push('second in'));
  const failed = expect(first).rejects.toThrow('broken');
  gate.resolve();
  await failed;
  await second;
  expect(seen).toEqual(['first in', 'first out', 'second in']);
});

test('who gives up waiting does not block those behind', async () => {
  const turnstile = new Turnstile();
  const gate = Promise.withResolvers<void>();
  const first = turnstile.pass(never, 0, () => gate.promise);
  const impatient = new AbortController();
  const second = turnstile.pass(impatient.signal, 0, async () => 'never');
  const third = turnstile.pass(never, 0, async () => 'third');
  impatient.abort(new Error('too long'));
  await expect(second).rejects.toThrow('too long');
  gate.resolve();
  await first;
  expect(await third).toBe('third');
});

test('what somebody waits for goes before what was asked for a thousand times, whoever came first', async () => {
  const turnstile = new Turnstile();
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  const first = turnstile.pass(never, 0, () => gate.promise);
  const others = [
    turnstile.pass(never, 0, async () => seen.push('bulk 1')),
    turnstile.pass(never, 50, async () => seen.push('recipe')),
    turnstile.pass(never, 0, async () => seen.push('bulk 2')),
    turnstile.pass(never, 100, async () => seen.push('single')),
  ];
  gate.resolve();
  await Promise.all([first, ...others]);
  expect(seen).toEqual(['single', 'recipe', 'bulk 1', 'bulk 2']);
});
