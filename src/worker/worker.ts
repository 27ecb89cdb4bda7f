/** Puts the worker together: database, blobs, threads, and a handler for each queue. */
import type { Logger } from 'pino';
import type { KernelPool } from '#kernels/pool.ts';
import type { Config } from '#storage/config.ts';
import { openBlobStore } from '#storage/data-folder.ts';
import { connect } from '#storage/db/connection.ts';
import { openQueue } from '#storage/queue/queue.ts';
import { type Abandoned, priorities } from '#storage/queue/queues.ts';
import { openWorker } from '#storage/queue/worker.ts';
import { giveUpBulk, runBulk } from './bulk/run-bulk.ts';
import type { WorkerContext } from './context.ts';
import { startDemo } from './demo/make-demo.ts';
import { giveUpExport, runExport } from './exports/run-export.ts';
import { requeueOrphans } from './maintenance/requeue-orphans.ts';
import { runMaintenance } from './maintenance/run-maintenance.ts';
import { giveUpOperation, runOperation } from './operations/run-operation.ts';
import { giveUpInvocation, runInvocation } from './recipes/run-invocation.ts';
import { giveUpRender, runRender } from './renders/run-render.ts';
import { startThreadPool } from './threads/pool.ts';
import { Turnstile } from './turnstile.ts';
import { giveUpView, makeView } from './views/make-view.ts';

export interface WorkerOptions {
  config: Config;
  databaseUrl: string;
  log: Logger;
  version: string;
  /** threads of the caller's own, which it closes itself */
  pool?: KernelPool;
}

export interface RunningWorker {
  readonly context: WorkerContext;
  /** Aborts what runs so that it goes back to the queue, and closes everything. */
  stop(): Promise<void>;
}

/**
 * Small ones run beside a heavy one, which `heavyWork` lets through alone. Some places are kept free of a bulk run's
 * steps, so that a single analysis is taken at once and is next for the processor.
 */
const operationPlaces = [
  { places: 2, minPriority: priorities.bulk },
  { places: 1, minPriority: priorities.recipe },
  { places: 1, minPriority: priorities.interactive },
];
const invocationPlaces = [
  { places: 1, minPriority: priorities.bulk },
  { places: 1, minPriority: priorities.recipe },
];
/** one for all bulk requests, and one that is kept free of packing, which takes long */
const bulkPlaces = [undefined, priorities.interactive];
const EXPORTS_AT_A_TIME = 2;
const VIEWS_AT_A_TIME = 2;
/** every night; a run that was missed is made up for by the next */
const MAINTENANCE_TIMES = '17 2 * * *';

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { config, databaseUrl, log, version } = options;
  const onError = (err: Error) => log.warn({ err }, 'database connection lost');
  const connection = connect(databaseUrl, { max: 10, applicationName: 'scanwright worker', onError });
  const queue = await openQueue(databaseUrl, { onError });
  const store = await openBlobStore(config);
  const ownPool = options.pool ? undefined : await startThreadPool({ threads: Math.max(1, config.workers) });
  const context: WorkerContext = {
    config,
    db: connection.db,
    store,
    queue,
    pool: options.pool ?? (ownPool as KernelPool),
    heavyWork: new Turnstile(),
    log,
    version,
  };
  const jobs = await openWorker(databaseUrl, { onError });
  const requeued = await requeueOrphans(context);
  if (requeued > 0) log.info({ requeued }, 'work without a job is queued again');
  for (const { places, minPriority } of operationPlaces) {
    await jobs.work('operation', { concurrency: places, minPriority }, (payload, job) =>
      runOperation(context, payload, job),
    );
  }
  for (const { places, minPriority } of invocationPlaces) {
    await jobs.work('invocation', { concurrency: places, minPriority }, (payload, job) =>
      runInvocation(context, payload, job),
    );
  }
  await jobs.work('export', { concurrency: EXPORTS_AT_A_TIME }, (payload, job) =>
    runExport(context, payload, job),
  );
  await jobs.work('view', { concurrency: VIEWS_AT_A_TIME }, (payload, job) =>
    makeView(context, payload, job),
  );
  await jobs.work('render', {}, (payload, job) => runRender(context, payload, job));
  for (const minPriority of bulkPlaces) {
    await jobs.work('bulk', minPriority === undefined ? {} : { minPriority }, (payload, job) =>
      runBulk(context, payload, job),
    );
  }
  await jobs.work('maintenance', {}, (_payload, job) => runMaintenance(context, job.signal));
  await jobs.onAbandoned((job) => giveUp(context, job));
  await jobs.scheduleMaintenance(MAINTENANCE_TIMES);
  const demo = config.demo ? startDemo(context) : undefined;
  log.info({ threads: context.pool.threads }, 'the worker takes jobs');
  return {
    context,
    async stop() {
      await demo?.stop();
      await jobs.stop();
      await ownPool?.close();
      await queue.close();
      await store.close();
      await connection.close();
    },
  };
}

/** A job whose worker died at every attempt: its row must not stay unfinished for ever. */
async function giveUp(context: WorkerContext, { queue, payload, reason }: Abandoned): Promise<void> {
  if (queue === 'operation' && 'operationId' in payload) {
    await giveUpOperation(context, payload.operationId, reason);
  } else if (queue === 'export' && 'exportId' in payload) {
    await giveUpExport(context, payload.exportId, reason);
  } else if (queue === 'invocation' && 'invocationId' in payload) {
    await giveUpInvocation(context, payload.invocationId, reason);
  } else if (queue === 'bulk' && 'bulkRequestId' in payload) {
    await giveUpBulk(context, payload.bulkRequestId, reason);
  } else if (queue === 'view' && 'viewId' in payload) {
    await giveUpView(context, payload.viewId, reason);
  } else if (queue === 'render' && 'renderId' in payload) {
    await giveUpRender(context, payload.renderId, reason);
  } else {
    context.log.error({ queue, payload, reason }, 'a job was given up that this worker does not know');
  }
}
