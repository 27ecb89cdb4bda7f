import { Worker, type WorkerOptions } from 'node:worker_threads';
import { buffersIn, type FromCaller, type FromThread, packFailure, unpackFailure } from './messages.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /**
   * For calls on shared memory: an aborted call may continue for this long before its thread is ended, and rejects only
   * when nothing is written any more. Without it an aborted call rejects at once.
   */
  graceMs?: number | undefined;
  /** buffers to transfer instead of copying */
  buffers?: Iterable<ArrayBuffer>;
  onReport?: (report: never) => void;
  /** answers questions of the thread; buffers in the answer are transferred */
  onQuestion?: (query: never) => Promise<unknown>;
}

/** Client of a thread that runs `serveCalls`, one call at a time. An idle thread does not keep the process alive. */
export class ThreadClient<Input, Output> {
  /** resolves when the thread has ended, for whatever reason */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  /** receives the messages of the current call */
  #onMessage: ((message: FromThread) => void) | undefined;
  #isRetired = false;

  constructor(script: URL, options: WorkerOptions & { name: string }) {
    this.#worker = new Worker(script, options);
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => this.#onMessage?.(message));
    let failure: unknown;
    this.#worker.on('error', (error) => {
      failure = error;
    });
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#isRetired = true;
        failure ??= new Error(`the thread “${options.name}” ended with code ${code}`);
        this.#onMessage?.(packFailure(failure));
        resolve();
      });
    });
  }

  /** whether it can be called now */
  get isIdle(): boolean {
    return !this.#onMessage && !this.#isRetired;
  }

  /** Rejects with the signal's reason, the thread's error, or the reason for its end. */
  async call(input: Input, options: CallOptions = {}): Promise<Output> {
    const { signal, graceMs, buffers, onReport, onQuestion } = options;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const send = (message: FromCaller, handedOver: Iterable<ArrayBuffer> = []) =>
      this.#worker.postMessage(message, [...handedOver]);
    this.#onMessage = (message) => {
      if ('output' in message) resolve(message.output);
      else if ('failure' in message) reject(signal?.aborted ? signal.reason : unpackFailure(message.failure));
      else if ('report' in message) onReport?.(message.report as never);
      else
        Promise.resolve(onQuestion?.(message.query as never)).then(
          (output) => send({ question: message.question, answer: { output } }, buffersIn(output)),
          (error: unknown) => send({ question: message.question, answer: packFailure(error) }),
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
      send({ input }, buffers);
      return (await promise) as Output;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      this.#onMessage = undefined;
      this.#worker.unref();
      if (this.#isRetired) void this.end();
    }
  }

  /** Ends the thread after its current call. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (!this.#onMessage) await this.end();
  }

  /** Ends the thread at once, with its call. */
  async end(): Promise<void> {
    this.#isRetired = true;
    await this.#worker.terminate();
  }
}
