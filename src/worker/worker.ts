/** Assembles the worker: database, blobs, threads, and the runners for each kind of work. */
import type { Logger } from 'pino';
import type { KernelPool } from '#kernels/arena.ts';
import type { Config } from '#storage/config.ts';
import { openBlobStore } from '#storage/data-folder.ts';
import { connect } from '#storage/db/connection.ts';
import type { WorkerContext } from './context.ts';
import { startDemo } from './demo/make-demo.ts';
import { startMaintenance } from './maintenance/run-maintenance.ts';
import { startThreadPool } from './threads/pool.ts';
import { carryOut } from './work/carry-out.ts';
import type { findLimits } from './work/limits.ts';
import { type CarryOut, WorkLoop } from './work/work-loop.ts';
import { WorkProcesses } from './work/work-process.ts';
import { workRunners } from './work-runners.ts';

export interface WorkerOptions {
  config: Config;
  databaseUrl: string;
  log: Logger;
  version: string;
  /** for tests: the caller's own threads, which it closes itself; all work then runs in this process */
  pool?: KernelPool;
  /** for tests: other limits, or another script for work processes */
  limits?: typeof findLimits;
  script?: URL;
}

export interface RunningWorker {
  readonly context: WorkerContext;
  /** Aborts running work so that it returns to the queue, and closes everything. */
  stop(): Promise<void>;
}

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { config, databaseUrl, log, version, limits } = options;
  const onError = (err: Error) => log.warn({ err }, 'database connection lost');
  const connection = connect(databaseUrl, { max: 10, applicationName: 'scanwright worker', onError });
  const store = await openBlobStore(config);
  const ownPool = options.pool ? undefined : await startThreadPool({ threads: Math.max(1, config.workers) });
  const pool = options.pool ?? (ownPool as KernelPool);
  const context: WorkerContext = { config, connection, db: connection.db, store, pool, log, version };
  const script = options.script ?? new URL('./carry-out-work.ts', import.meta.url);
  const processes = options.pool ? undefined : new WorkProcesses({ script, config, databaseUrl, version });
  const carryOutWork: CarryOut = (task, ofTask, signal, report) =>
    task.place === 'turn' || !processes
      ? carryOut(context, workRunners, task, signal, report)
      : processes.carryOut(task, ofTask, signal, report);
  const loop = new WorkLoop(context, { carryOut: carryOutWork, ...(limits ? { limits } : {}) });
  await loop.start();
  const maintenance = startMaintenance(context);
  const demo = config.demo ? startDemo(context) : undefined;
  log.info({ threads: context.pool.threads }, 'the worker takes work');
  return {
    context,
    async stop() {
      await Promise.all([demo?.stop(), maintenance.stop(), loop.stop()]);
      await processes?.close();
      await ownPool?.close();
      await store.close();
      await connection.close();
    },
  };
}
