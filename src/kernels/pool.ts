import { Arena, type KernelPool } from './arena.ts';
import { instantiateKernels, type WasmModule } from './simd/webassembly.ts';

/** The same threads, for work that ends when the signal is aborted. */
export function stoppedBy(pool: KernelPool, signal: AbortSignal): KernelPool {
  const stopped: KernelPool = {
    threads: pool.threads,
    signal,
    run: (task, input) => pool.run(task, input, { signal }),
    runEach: (task, inputs) => pool.runEach(task, inputs, { signal }),
    withArena: (work) =>
      pool.withArena((arena) => {
        arena.pool = stopped;
        return work(arena);
      }),
  };
  return stopped;
}

/** Larger memories are released after their work. */
const keptBytes = 16 * 1024 ** 2;

/** A pool that runs every task in place, for tests and small tools. `lanes`: number of pieces the work is split into. */
export function inlinePool(module: WasmModule, lanes = 1): KernelPool {
  // Growing the memory takes longer than many small pieces of work.
  let idle: Arena | undefined;
  const pool: KernelPool = {
    threads: lanes,
    async run(task, input, options) {
      options?.signal?.throwIfAborted();
      return task.run(instantiateKernels(module, input.memory), input);
    },
    async runEach(task, inputs, options) {
      options?.signal?.throwIfAborted();
      return inputs.map((input) => task.run(instantiateKernels(module, input.memory), input));
    },
    async withArena(work) {
      const arena = idle ?? new Arena(pool);
      idle = undefined;
      arena.pool = pool;
      try {
        return await work(arena);
      } finally {
        arena.release();
        if (arena.size <= keptBytes && !arena.isHandedOver) idle = arena;
      }
    },
  };
  return pool;
}

/** The range from … to−1, in pieces of `size`. */
export interface Pieces {
  from: number;
  to: number;
  size: number;
  progress?: ((fraction: number) => void) | undefined;
}

/**
 * Runs `work` over from … to−1 in pieces of `size`, with as many concurrent pieces as the pool has threads. Each lane
 * has a number (0 … threads−1) for scratch memory of its own. Pieces do not depend on the number of lanes.
 */
export async function inPieces(
  { threads, signal }: Pick<KernelPool, 'threads' | 'signal'>,
  range: Pieces,
  work: (from: number, to: number, lane: number) => Promise<void>,
): Promise<void> {
  let next = range.from;
  let done = 0;
  let failed = false;
  const lane = async (number: number) => {
    while (next < range.to && !failed) {
      signal?.throwIfAborted();
      const from = next;
      const to = Math.min(from + range.size, range.to);
      next = to;
      try {
        await work(from, to, number);
      } catch (error) {
        failed = true;
        throw error;
      }
      done += to - from;
      range.progress?.(done / (range.to - range.from));
    }
  };
  const results = await Promise.allSettled(Array.from({ length: threads }, (_, number) => lane(number)));
  // Only after all lanes have finished: the arena must not be reused while a task still writes to it.
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
