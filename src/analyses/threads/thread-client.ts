import { Worker, type WorkerOptions } from 'node:worker_threads';
import { buffersIn, type FromCaller, type FromThread, packFailure, unpackFailure } from './messages.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /**
   * Of a call on shared memory: one that is stopped may go on for so long, then it ends with its thread, and it rejects
   * when nothing is written there any more. Without it a stopped call rejects at once.
   */
  graceMs?: number | undefined;
  /** what is handed over, not copied */
  buffers?: Iterable<ArrayBuffer>;
  onReport?: (report: never) => void;
  /** answers what the thread asks; what the answer holds is handed over */
  onQuestion?: (asked: never) => Promise<unknown>;
}

/** A thread that `serveCalls`, one call at a time. The process may end while it is idle. */
export class ThreadClient<Input, Output> {
  /** resolves when the thread is gone, whoever ended it */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  /** hears what the thread says of its call */
  #hear: ((said: FromThread) => void) | undefined;
  #isRetired = false;

  constructor(script: URL, options: WorkerOptions & { name: string }) {
    this.#worker = new Worker(script, options);
    this.#worker.unref();
    this.#worker.on('message', (said: FromThread) => this.#hear?.(said));
    let failure: unknown;
    this.#worker.on('error', (error) => {
      failure = error;
    });
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#isRetired = true;
        failure ??= new Error(`the thread “${options.name}” ended with code ${code}`);
        this.#hear?.(packFailure(failure));
        resolve();
      });
    });
  }

  /** whether it can be called now */
  get isIdle(): boolean {
    return !this.#hear && !this.#isRetired;
  }

  /** Rejects with the signal's reason, what the thread threw, or why it ended. */
  async call(input: Input, options: CallOptions = {}): Promise<Output> {
    const { signal, graceMs, buffers, onReport, onQuestion } = options;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const say = (said: FromCaller, handedOver: Iterable<ArrayBuffer> = []) =>
      this.#worker.postMessage(said, [...handedOver]);
    this.#hear = (said) => {
      if ('output' in said) resolve(said.output);
      else if ('failure' in said) reject(signal?.aborted ? signal.reason : unpackFailure(said.failure));
      else if ('report' in said) onReport?.(said.report as never);
      else
        Promise.resolve(onQuestion?.(said.asked as never)).then(
          (output) => say({ question: said.question, answer: { output } }, buffersIn(output)),
          (error: unknown) => say({ question: said.question, answer: packFailure(error) }),
        );
    };
    let timer: NodeJS.Timeout | undefined;
    const stop = () => {
      if (graceMs !== undefined) timer = setTimeout(() => this.end(), graceMs);
      else {
        void this.end();
        reject(signal?.reason);
      }
    };
    this.#worker.ref();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      if (signal?.aborted) stop();
      say({ input }, buffers);
      return (await promise) as Output;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      this.#hear = undefined;
      this.#worker.unref();
      if (this.#isRetired) void this.end();
    }
  }

  /** Ends it as soon as it has no call. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (!this.#hear) await this.end();
  }

  /** Ends it with its call. */
  async end(): Promise<void> {
    this.#isRetired = true;
    await this.#worker.terminate();
  }
}
