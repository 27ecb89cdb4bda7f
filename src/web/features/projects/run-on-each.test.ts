import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../api/errors.ts';
import { runOnEach } from './run-on-each.ts';

const throttled = () =>
  new ServiceError({ code: 'RATE_LIMITED', detail: '', status: 429, retryAfterSeconds: 7, fieldErrors: [] });

const options = (over: Partial<Parameters<typeof runOnEach>[2]> = {}) => ({
  limit: 3,
  signal: new AbortController().signal,
  onOutcome: () => {},
  wait: async () => {},
  ...over,
});

describe('Work on each of many items', () => {
  test('gives an outcome for each, in their order, and goes on after a failure', async () => {
    const outcomes = await runOnEach(
      [1, 2, 3, 4],
      async (item) => {
        if (item === 2) throw new Error('no');
        return item * 10;
      },
      options(),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['done', 'failed', 'done', 'done']);
    expect(outcomes.map(({ result }) => result)).toEqual([10, undefined, 30, 40]);
  });

  test('never runs more at once than allowed', async () => {
    let running = 0;
    let most = 0;
    await runOnEach(
      Array.from({ length: 20 }, (_, index) => index),
      async () => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
      },
      options(),
    );
    expect(most).toBe(3);
  });

  test('waits as long as the service asks and tries again', async () => {
    const waits: number[] = [];
    let tries = 0;
    const [outcome] = await runOnEach(
      ['a'],
      async () => {
        if (++tries < 3) throw throttled();
        return 'ok';
      },
      options({
        wait: async (ms) => {
          waits.push(ms);
        },
      }),
    );
    expect(outcome).toMatchObject({ status: 'done', result: 'ok' });
    expect(waits).toEqual([7000, 7000]);
  });

  test('leaves what has not begun when it is stopped', async () => {
    const stop = new AbortController();
    const outcomes = await runOnEach(
      [1, 2, 3, 4, 5],
      async (item) => {
        if (item === 2) stop.abort();
      },
      options({ limit: 1, signal: stop.signal }),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['done', 'done', 'stopped', 'stopped', 'stopped']);
  });
});
