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
  return {
    seconds: () => milliseconds / 1000,
    pool: {
      threads: pool.threads,
      withArena: (work) => pool.withArena(work),
      async run(name, input, options) {
        if (!names.includes(name)) return pool.run(name, input, options);
        if (running++ === 0) since = performance.now();
        try {
          return await pool.run(name, input, options);
        } finally {
          if (--running === 0) milliseconds += performance.now() - since;
        }
      },
    },
  };
}
