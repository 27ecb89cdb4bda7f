/** One piece of work for each of many items, a few at a time, with an outcome for each. */
import { ServiceError } from '../../api/errors.ts';

export interface Outcome<Item, Result> {
  item: Item;
  status: 'done' | 'failed' | 'stopped';
  result?: Result;
  error?: unknown;
}

interface RunOptions {
  /** how many at once */
  limit: number;
  /** what has not begun when it aborts is `stopped` */
  signal: AbortSignal;
  onOutcome: (finished: number, total: number) => void;
  /** waits; given so that tests need no clock */
  wait: (ms: number) => Promise<void>;
}

const patience = 5;

/** Does it again as often as the service asks to wait. */
async function withPatience<Result>(
  work: () => Promise<Result>,
  { wait, signal }: RunOptions,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isThrottled = error instanceof ServiceError && error.code === 'RATE_LIMITED';
      if (!isThrottled || tries >= patience || signal.aborted) throw error;
      await wait((error.retryAfterSeconds ?? 1) * 1000);
    }
  }
}

/** Outcomes in the order of the items. Never rejects: what failed is an outcome. */
export async function runOnEach<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  options: RunOptions,
): Promise<Outcome<Item, Result>[]> {
  const outcomes: Outcome<Item, Result>[] = items.map((item) => ({ item, status: 'stopped' }));
  let next = 0;
  let finished = 0;
  const runner = async () => {
    while (next < items.length && !options.signal.aborted) {
      const index = next++;
      const item = items[index];
      try {
        outcomes[index] = { item, status: 'done', result: await withPatience(() => work(item), options) };
      } catch (error) {
        outcomes[index] = { item, status: 'failed', error };
      }
      options.onOutcome(++finished, items.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.limit, items.length) }, runner));
  return outcomes;
}
