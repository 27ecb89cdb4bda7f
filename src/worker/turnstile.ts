interface Waiting {
  priority: number;
  enter: () => void;
}

/** Lets one through at a time: the highest priority first, and in the order in which they came among equals. */
export class Turnstile {
  #isTaken = false;
  readonly #waiting: Waiting[] = [];

  /**
   * Runs `work` when nobody else is inside and nobody of a higher priority waits; rejects with the signal's reason
   * when it is aborted while waiting.
   */
  async pass<Result>(signal: AbortSignal, priority: number, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    if (this.#isTaken) await this.#wait(signal, priority);
    else this.#isTaken = true;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #wait(signal: AbortSignal, priority: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { priority, enter: resolve };
    const behind = this.#waiting.findIndex((other) => other.priority < priority);
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, waiting);
    const stop = () => {
      const at = this.#waiting.indexOf(waiting);
      // Whoever is let in at this very moment goes in, and out again by its own look at the signal.
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** The next one takes the place over, so that nobody slips in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next.enter();
    else this.#isTaken = false;
  }
}
