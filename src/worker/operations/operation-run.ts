import type { Database } from '#storage/db/connection.ts';
import { type ClaimedOperation, writeProgress } from './operation-store.ts';

const INTERVAL_MS = 250;

/** The reason of the signal when another worker has taken the operation over, or it is gone with its project. */
export class OperationLost extends Error {
  override name = 'OperationLost';
}

/**
 * What runs beside the work of one operation: writes its progress at most four times a second and watches the
 * memory of the process.
 */
export class OperationRun {
  /** aborted with the reason of the job's signal, or with OperationLost */
  readonly signal: AbortSignal;
  readonly #db: Database;
  readonly #operation: ClaimedOperation;
  readonly #lost = new AbortController();
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #progress = 0;
  #stage: string | null = null;
  #written = '';
  #peakMemoryBytes = process.memoryUsage.rss();
  #beat: Promise<void> | undefined;

  /** @param signal of the job: cancelled, lost, or the worker ends */
  constructor(db: Database, operation: ClaimedOperation, signal: AbortSignal) {
    this.#db = db;
    this.#operation = operation;
    this.signal = AbortSignal.any([signal, this.#lost.signal]);
    this.#written = this.#state();
    this.#timer = setInterval(() => {
      this.#beat ??= this.#look().finally(() => {
        this.#beat = undefined;
      });
    }, INTERVAL_MS);
  }

  /** @param fraction 0 to 1; it never goes back */
  report(fraction: number, stage?: string): void {
    if (fraction > this.#progress) this.#progress = Math.min(1, fraction);
    if (stage !== undefined) this.#stage = stage;
  }

  get seconds(): number {
    return Math.round(performance.now() - this.#startedAt) / 1000;
  }

  get peakMemoryBytes(): number {
    this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, process.memoryUsage.rss());
    return this.#peakMemoryBytes;
  }

  /** No more writes after this; call it before the row is ended. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beat;
  }

  #state(): string {
    return `${this.#progress.toFixed(3)} ${this.#stage}`;
  }

  async #look(): Promise<void> {
    this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, process.memoryUsage.rss());
    const state = this.#state();
    if (state === this.#written) return;
    try {
      const status = await writeProgress(this.#db, this.#operation, this.#progress, this.#stage);
      this.#written = state;
      if (status === undefined) {
        this.#lost.abort(new OperationLost('another worker has taken it over, or the project is gone'));
      }
    } catch {
      // A database that is away for a moment is asked again at the next beat; progress is no reason to fail.
    }
  }
}
