import type { KernelPool } from '#kernels/pool.ts';
import type { TaskName } from '#kernels/tasks.ts';

/**
 * A pool that measures how long any task of these names was running: an operation without the reading of its input, which
 * others do on their own.
 */
export function timed(pool: KernelPool, names: readonly TaskName[]): { pool: KernelPool; seconds(): number } {
  let running = 0;
  let since = 0;
  let milliseconds = 0;
  const watched = async <Output>(name: TaskName, work: () => Promise<Output>): Promise<Output> => {
    if (!names.includes(name)) return work();
    if (running++ === 0) since = performance.now();
    try {
      return await work();
    } finally {
      if (--running === 0) milliseconds += performance.now() - since;
    }
  };
  return {
    seconds: () => milliseconds / 1000,
    pool: {
      threads: pool.threads,
      withArena: (work) => pool.withArena(work),
      run: (name, input, options) => watched(name, () => pool.run(name, input, options)),
      runEach: (name, inputs, options) => watched(name, () => pool.runEach(name, inputs, options)),
    },
  };
}
