import { expect, it, vi } from 'vitest';
import { Repeater } from './repeater.ts';

/** Counts its calls; each lasts until it is released. */
function openRepeater() {
  const ends: PromiseWithResolvers<void>[] = [];
  const onError = vi.fn();
  const repeater = new Repeater(() => {
    const end = Promise.withResolvers<void>();
    ends.push(end);
    return end.promise;
  }, onError);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { repeater, ends, onError, turn };
}

it('requested any number of times while running, it runs exactly once more', async () => {
  const { repeater, ends, turn } = openRepeater();
  repeater.request();
  repeater.request();
  repeater.request();
  await turn();
  expect(ends).toHaveLength(1);
  ends[0].resolve();
  await turn();
  expect(ends).toHaveLength(2);
  let isSettled = false;
  const settled = repeater.settle().then(() => {
    isSettled = true;
  });
  await turn();
  expect(isSettled).toBe(false);
  ends[1].resolve();
  await settled;
  expect(ends).toHaveLength(2);
});

it('reports the error, and runs again on the next request', async () => {
  const { repeater, ends, onError, turn } = openRepeater();
  const error = new Error('the database is away');
  repeater.request();
  ends[0].reject(error);
  await repeater.settle();
  expect(onError.mock.calls).toEqual([[error]]);
  repeater.request();
  await turn();
  expect(ends).toHaveLength(2);
  ends[1].resolve();
  await repeater.settle();
});
