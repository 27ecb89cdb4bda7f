const INTERVAL_MS = 250;

/** Writes into the row how far it is; false when this attempt no longer owns the row. */
export type WriteProgress = (progress: number, stage: string | null) => Promise<boolean>;

/** The reason of the signal when another worker has taken the work over, or it is gone with its project. */
export class WorkLost extends Error {
  override name = 'WorkLost';
}

/**
 * What runs beside a piece of work: writes its progress at most four times a second and watches the
 * memory of the process.
 */
export class WorkRun {
  /** aborted with the reason of the job's signal, or with WorkLost */
  readonly signal: AbortSignal;
  readonly #write: WriteProgress;
  readonly #lost = new AbortController();
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #progress = 0;
  #stage: string | null = null;
  #written = '';
  #peakMemoryBytes = process.memoryUsage.rss();
  #beat: Promise<void> | undefined;

  /** @param signal of the job: cancelled, lost, or the worker ends */
  constructor(signal: AbortSignal, write: WriteProgress) {
    this.#write = write;
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
      const isOurs = await this.#write(this.#progress, this.#stage);
      this.#written = state;
      if (!isOurs) {
        this.#lost.abort(new WorkLost('another worker has taken it over, or the project is gone'));
      }
    } catch {
      // A database that is away for a moment is asked again at the next beat; progress is no reason to fail.
    }
  }
}
