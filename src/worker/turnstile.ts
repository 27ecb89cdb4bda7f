/** Lets one through at a time, in the order in which they came. */
export class Turnstile {
  #last: Promise<void> = Promise.resolve();

  /** Runs `work` when everybody before has finished; rejects with the signal's reason when it is aborted while waiting. */
  async pass<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const { promise: mine, resolve: leave } = Promise.withResolvers<void>();
    this.#last = before.then(() => mine);
    try {
      await abortable(before, signal);
      signal.throwIfAborted();
      return await work();
    } finally {
      leave();
    }
  }
}

/** The promise, or a rejection with the signal's reason as soon as it is aborted. */
async function abortable(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
