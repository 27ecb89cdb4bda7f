const MEASURE_MS = 250;

export type Report = (progress: number, stage: string | null) => void;

/** Context of running work: signal, progress, duration, and memory of its process. */
export class WorkRun {
  /** aborted with CancelRequested, WorkerStopping or WorkLost */
  readonly signal: AbortSignal;
  readonly #report: Report;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #progress = 0;
  #stage: string | null = null;
  #peakMemoryBytes = process.memoryUsage.rss();

  constructor(signal: AbortSignal, report: Report) {
    this.signal = signal;
    this.#report = report;
    this.#timer = setInterval(() => this.#measure(), MEASURE_MS);
  }

  /** @param fraction 0 to 1; never decreases */
  report(fraction: number, stage?: string): void {
    if (fraction > this.#progress) this.#progress = Math.min(1, fraction);
    if (stage !== undefined) this.#stage = stage;
    this.#report(this.#progress, this.#stage);
  }

  get seconds(): number {
    return Math.round(performance.now() - this.#startedAt) / 1000;
  }

  get peakMemoryBytes(): number {
    this.#measure();
    return this.#peakMemoryBytes;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #measure(): void {
    this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, process.memoryUsage.rss());
  }
}
