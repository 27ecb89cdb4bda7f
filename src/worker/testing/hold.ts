/** Keeps work from ending, so that it is still running when a test cancels it or kills its worker. */
import { defineTask, type Task } from '#kernels/task.ts';
import type { WorkerHarness } from './worker-harness.ts';

/** Blocks its thread, which hears no message, without taking the processor from other tests. */
const block = defineTask(import.meta.url, 'block', () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});

/**
 * Makes cancellable tasks never end: their threads block. Only for the worker in this process.
 *
 * @param taskName only tasks with this name
 * @returns `reached` resolves when the first one blocks; after `release` later tasks run normally
 */
export function holdThreads(
  { worker }: WorkerHarness,
  taskName?: string,
): { reached: Promise<void>; release(): void } {
  if (!worker) throw new Error('the worker was not started');
  const { pool } = worker.context;
  const { runEach } = pool;
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  pool.runEach = (task, inputs, options) => {
    const isHeld = options?.signal && (taskName === undefined || task.name === taskName);
    if (!isHeld) return runEach.call(pool, task, inputs as never, options) as never;
    const answer = runEach.call(pool, block as Task<never, unknown>, inputs as never, options);
    resolve();
    return answer as never;
  };
  return {
    reached,
    release() {
      pool.runEach = runEach;
    },
  };
}

/** Prevents all workers from storing results of this kind until the returned function is called. */
export async function holdResult({ database }: WorkerHarness, kind: string): Promise<() => Promise<void>> {
  const { pool } = database.connection;
  await pool.query(`
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$;
    CREATE TRIGGER hold BEFORE INSERT ON data_objects
      FOR EACH ROW WHEN (NEW.kind = '${kind}') EXECUTE FUNCTION hold()`);
  const holder = await pool.connect();
  await holder.query('SELECT pg_advisory_lock(1)');
  return async () => {
    await holder.query('SELECT pg_advisory_unlock(1)');
    holder.release();
    await pool.query('DROP FUNCTION hold CASCADE');
  };
}
