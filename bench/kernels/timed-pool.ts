import type { KernelPool } from '#kernels/arena.ts';
import type { Task } from '#kernels/task.ts';

/**
 * A pool that measures the time during which any of these tasks runs: an operation without reading its input, which the
 * peers do separately.
 */
export function timed(
  pool: KernelPool,
  tasks: readonly Pick<Task<never, unknown>, 'name'>[],
): { pool: KernelPool; seconds(): number } {
  let running = 0;
  let since = 0;
  let milliseconds = 0;
  const watched = async <Output>(
    { name }: { name: string },
    work: () => Promise<Output>,
  ): Promise<Output> => {
    if (!tasks.some((task) => task.name === name)) return work();
    if (running++ === 0) since = performance.now();
    try {
      return await work();
    } finally {
      if (--running === 0) milliseconds += performance.now() - since;
    }
  };
  const timing: KernelPool = {
    threads: pool.threads,
    withArena: (work) =>
      pool.withArena((arena) => {
        arena.pool = timing;
        return work(arena);
      }),
    run: (task, input, options) => watched(task, () => pool.run(task, input, options)),
    runEach: (task, inputs, options) => watched(task, () => pool.runEach(task, inputs, options)),
  };
  return { seconds: () => milliseconds / 1000, pool: timing };
}
