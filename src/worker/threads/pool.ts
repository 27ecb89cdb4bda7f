/** The worker's kernel pool: warm threads, each running one task (or several small ones) at a time. */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ThreadClient } from '#analyses/threads/thread-client.ts';
import { Arena, type KernelPool, type RunOptions } from '#kernels/arena.ts';
import { compileKernels, type WasmMemory, type WasmModule } from '#kernels/simd/webassembly.ts';
import type { OnArena, Task } from '#kernels/task.ts';
import type { TaskCall } from './thread.ts';

const modulePath = fileURLToPath(new URL('../../../dist/kernels/kernels.wasm', import.meta.url));
/** Milliseconds after which a task that still runs after its work was cancelled is ended with its thread. */
const graceMs = 250;
/** A larger arena is released after its work instead of being kept for the next. */
const keptArenaBytes = 256 * 1024 ** 2;

interface Waiting {
  task: Pick<Task<never, unknown>, 'name' | 'module'>;
  inputs: readonly OnArena[];
  signal?: AbortSignal | undefined;
  resolve: (outputs: unknown[]) => void;
  reject: (reason: unknown) => void;
}
interface Thread {
  client: ThreadClient<TaskCall, unknown[]>;
  /** the memory last sent to the thread, and its size then */
  memory: { held: WasmMemory; bytes: number } | undefined;
}

export interface ThreadPoolOptions {
  /** default: the number of processors */
  threads?: number;
  /** compiled kernels, if loaded already */
  module?: WasmModule;
}

/** @throws Error when the kernels have not been built */
export async function loadKernels(): Promise<WasmModule> {
  const bytes = await readFile(modulePath).catch(() => {
    throw new Error(`The compiled kernels are missing at ${modulePath}: run \`npm run build:kernels\`.`);
  });
  return compileKernels(bytes);
}

/** Threads start when first needed; idle ones do not keep the process alive. */
export async function startThreadPool(options: ThreadPoolOptions = {}): Promise<ThreadPool> {
  return new ThreadPool(options.module ?? (await loadKernels()), options.threads ?? availableParallelism());
}

export class ThreadPool implements KernelPool {
  readonly threads: number;
  readonly #module: WasmModule;
  readonly #all = new Set<Thread>();
  readonly #waiting: Waiting[] = [];
  #idleArena: Arena | undefined;
  #wasHandedOver = false;
  #isClosed = false;

  constructor(module: WasmModule, threads: number) {
    this.threads = Math.max(1, threads);
    this.#module = module;
  }

  /** Has all threads start before they are needed. */
  start(): void {
    while (this.#all.size < this.threads) this.#start();
  }

  async run<Input extends OnArena, Output>(
    task: Task<Input, Output>,
    input: NoInfer<Input>,
    options: RunOptions = {},
  ): Promise<Output> {
    const [output] = await this.runEach(task, [input], options);
    return output as Output;
  }

  runEach<Input extends OnArena, Output>(
    task: Task<Input, Output>,
    inputs: readonly NoInfer<Input>[],
    { signal }: RunOptions = {},
  ): Promise<Output[]> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Error('the kernel pool is closed');
      this.#waiting.push({ task, inputs, signal, resolve: resolve as Waiting['resolve'], reject });
      this.#dispatch();
    });
  }

  async withArena<Result>(work: (arena: Arena) => Promise<Result>): Promise<Result> {
    // The previous owner has usually stored its result by now.
    if (this.#wasHandedOver) collectGarbage();
    this.#wasHandedOver = false;
    let arena: Arena | undefined = this.#idleArena ?? new Arena(this);
    arena.pool = this;
    this.#idleArena = undefined;
    try {
      return await work(arena);
    } finally {
      arena.release();
      this.#wasHandedOver ||= arena.isHandedOver;
      const isKept = arena.size <= keptArenaBytes && !arena.isHandedOver;
      if (isKept && !this.#idleArena) this.#idleArena = arena;
      else {
        arena = undefined;
        await this.#renewThreads();
        // To the garbage collector an arena is a few bytes, so it does not know how much memory is attached.
        collectGarbage();
      }
    }
  }

  /** Ends the threads; unfinished tasks are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const reason = new Error('the kernel pool is closed');
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
    await Promise.all([...this.#all].map(({ client }) => client.end()));
  }

  #start(): void {
    const script = new URL('./thread.ts', import.meta.url);
    const client = new ThreadClient<TaskCall, unknown[]>(script, {
      workerData: { module: this.#module },
      name: 'kernels',
    });
    const thread: Thread = { client, memory: undefined };
    this.#all.add(thread);
    void client.ended.then(() => {
      this.#all.delete(thread);
      if (!this.#isClosed) this.#dispatch();
    });
  }

  /**
   * Tasks are usually short and run to their end when their work is cancelled. A longer one is ended with its thread,
   * so that cancelling takes effect within a second; its memory is then free.
   */
  #dispatch(): void {
    const idle = [...this.#all].filter(({ client }) => client.isIdle).length;
    const missing = Math.min(this.threads - this.#all.size, this.#waiting.length - idle);
    for (let i = 0; i < missing; i++) this.#start();
    for (const thread of this.#all) {
      if (!thread.client.isIdle) continue;
      let task = this.#waiting.shift();
      while (task?.signal?.aborted) {
        task.reject(task.signal.reason);
        task = this.#waiting.shift();
      }
      if (!task) return;
      const { signal, resolve, reject } = task;
      const call = thread.client.call(makeCall(thread, task), { signal, graceMs });
      void call.then(resolve, reject).then(() => this.#dispatch());
    }
  }

  /** A thread keeps its last arena alive until its garbage collector runs; a new thread does not. */
  async #renewThreads(): Promise<void> {
    await Promise.all([...this.#all].map(({ client }) => client.retire()));
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The task, with its memory only if the thread does not have it yet. */
function makeCall(thread: Thread, task: Waiting): TaskCall {
  const { name, module } = task.task;
  const inputs = task.inputs.map(({ memory, ...input }) => input);
  const memory = task.inputs[0]?.memory;
  if (!memory) return { name, module, inputs };
  const bytes = memory.buffer.byteLength;
  if (thread.memory?.held === memory && thread.memory.bytes === bytes) return { name, module, inputs };
  thread.memory = { held: memory, bytes };
  return { name, module, inputs, memory };
}
