/**
 * Taking jobs. A job is held by heartbeats: when its worker is killed another one takes it within about 20
 * seconds, or at once when that other one starts and no worker lives. Handlers must therefore be able to
 * begin again: they find the row as the last attempt left it, and write their result in one transaction.
 */
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import pg from 'pg';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { type Connection, connect } from '../db/connection.ts';
import { type CancellableQueue, CancelWatcher, WorkerStopping } from './cancel.ts';
import { type QueueOptions, startBoss } from './queue.ts';
import { ABANDONED_QUEUE, type Abandoned, type Payloads, type QueueName, queues } from './queues.ts';

/** Shared by all living workers: who gets it alone knows that there is no other. */
const WORKERS_LOCK = 7_218_450_115;
const STOP_TIMEOUT_MS = 15_000;
const RECONNECT_DELAY_MS = 1_000;
const RELEASE_ATTEMPTS = 5;

export interface JobContext {
  /** aborted with CancelRequested, with WorkerStopping, or when the job was lost to another worker */
  signal: AbortSignal;
  jobId: string;
  /** 1 for the first attempt */
  attempt: number;
}

export interface WorkOptions {
  /** jobs of this queue at a time in this process; 1 by default */
  concurrency?: number;
  /** only jobs of at least this priority: keeps a place free for what somebody waits for */
  minPriority?: number;
}

export interface JobWorker {
  /**
   * Runs the handler for each job. A handler that returns has done the job; one that throws gets it again
   * later, up to the queue's limit. Work that failed for good is no throw: the handler writes it into the row.
   */
  work<Name extends QueueName>(
    queue: Name,
    options: WorkOptions,
    handler: (payload: Payloads[Name], context: JobContext) => Promise<void>,
  ): Promise<void>;
  /** Runs for each job that was given up, so that its row doesn't stay `processing` for ever. */
  onAbandoned(handler: (job: Abandoned) => Promise<void>): Promise<void>;
  /** Sends a maintenance job at each time of the cron expression (UTC); one worker of all does it. */
  scheduleMaintenance(cron: string): Promise<void>;
  /** Aborts what runs, waits until it has stopped, and leaves its jobs to be taken again. */
  stop(): Promise<void>;
}

const cancellable: Partial<Record<QueueName, (payload: object) => string>> = {
  operation: (payload) => (payload as Payloads['operation']).operationId,
  export: (payload) => (payload as Payloads['export']).exportId,
  bulk: (payload) => (payload as Payloads['bulk']).bulkRequestId,
  invocation: (payload) => (payload as Payloads['invocation']).invocationId,
};

export async function openWorker(url: string, options: QueueOptions = {}): Promise<JobWorker> {
  const onError = options.onError ?? (() => undefined);
  const boss = await startBoss(url, 'worker', { ...options, onError });
  const presence = await announce(url, boss, onError);
  const connection: Connection = connect(url, { max: 2, applicationName: 'scanwright cancel', onError });
  const watcher = new CancelWatcher(connection, onError);
  await watcher.start();
  const stopping = new AbortController();

  return {
    async work(queue, { concurrency = 1, minPriority }, handler) {
      const settings = {
        batchSize: 1,
        includeMetadata: true,
        pollingIntervalSeconds: 1,
        notifyPollingIntervalSeconds: 1,
        ...(minPriority === undefined ? {} : { minPriority }),
      } as const;
      const take = async (job: JobWithMetadata<Payloads[typeof queue]>) => {
        const idOf = cancellable[queue];
        const watched = idOf && (await watcher.watch(queue as CancellableQueue, idOf(job.data)));
        const signals = [job.signal, stopping.signal, ...(watched ? [watched.signal] : [])];
        try {
          const signal = AbortSignal.any(signals);
          await handler(job.data, {
            signal,
            jobId: job.id,
            attempt: (job as { retryCount: number }).retryCount + 1,
          });
        } finally {
          watched?.done();
        }
      };
      for (let place = 0; place < concurrency; place++) {
        const id: string = await boss.work(queue, settings, async ([job]) => {
          // Of several that wait only the first was announced while this place was free: without a word it would
          // sit out the rest of its second before it looks for the next.
          await take(job as JobWithMetadata<Payloads[typeof queue]>).finally(() => boss.notifyWorker(id));
        });
      }
    },
    async onAbandoned(handler) {
      const settings = {
        includeMetadata: true,
        pollingIntervalSeconds: 1,
        notifyPollingIntervalSeconds: 1,
      } as const;
      await boss.work(ABANDONED_QUEUE, settings, async ([job]: JobWithMetadata<object>[]) => {
        await handler({
          queue: job.sourceName as QueueName,
          payload: job.data as Payloads[QueueName],
          reason: reasonOf(job.sourceOutput),
        });
      });
    },
    scheduleMaintenance: (cron) => boss.schedule('maintenance', cron, {}, { singletonKey: 'scheduled' }),
    async stop() {
      if (stopping.signal.aborted) return;
      stopping.abort(new WorkerStopping('the worker is shutting down'));
      await boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS });
      await watcher.stop();
      await connection.close();
      await presence.close();
    },
  };
}

function reasonOf(output: object | null): string {
  const { message, value } = (output ?? {}) as { message?: string; value?: { message?: string } };
  return message ?? value?.message ?? 'unknown';
}

/**
 * Shows the other workers that this one lives. The first one to come when none lives hands all jobs that
 * are marked as running back to the queue, without waiting for their heartbeats to time out.
 */
async function announce(
  url: string,
  boss: PgBoss,
  onError: (error: Error) => void,
): Promise<{ close(): Promise<void> }> {
  let closed = false;
  let client: pg.Client | undefined;
  const open = async (isFirst: boolean): Promise<void> => {
    const current = new pg.Client({
      connectionString: url,
      application_name: 'scanwright worker',
      keepAlive: true,
    });
    current.on('error', (error) => {
      if (closed || client !== current) return;
      onError(error);
      // The lock went with the connection; without it a new worker could take this one for dead.
      client = undefined;
      again();
    });
    await current.connect();
    const { rows } = await current.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    const alone = await takeBack(current, isFirst ? rows[0].now : undefined);
    await current.query('SELECT pg_advisory_lock_shared($1)', [WORKERS_LOCK]);
    if (alone) await current.query('SELECT pg_advisory_unlock($1)', [WORKERS_LOCK]);
    else if (isFirst) void tryAgain(current, rows[0].now).catch(onError);
    client = current;
  };
  /** Whether no other worker lives; then, what was running `before` this one came is handed back. */
  const takeBack = async (current: pg.Client, before: Date | undefined): Promise<boolean> => {
    const { rows } = await current.query<{ alone: boolean }>('SELECT pg_try_advisory_lock($1) AS alone', [
      WORKERS_LOCK,
    ]);
    if (rows[0].alone && before) await handBack(boss, before);
    return rows[0].alone;
  };
  /** The server may need a moment to notice that a killed worker's connection is gone. */
  const tryAgain = async (current: pg.Client, before: Date): Promise<void> => {
    for (let attempt = 0; attempt < RELEASE_ATTEMPTS; attempt++) {
      await setTimeoutAsync(RECONNECT_DELAY_MS, undefined, { ref: false });
      if (closed || client !== current) return;
      if (!(await takeBack(current, before))) continue;
      await current.query('SELECT pg_advisory_unlock($1)', [WORKERS_LOCK]);
      return;
    }
  };
  const again = (): void => {
    setTimeout(() => {
      if (closed) return;
      open(false).catch((error: Error) => {
        onError(error);
        again();
      });
    }, RECONNECT_DELAY_MS).unref();
  };
  await open(true);
  return {
    async close() {
      closed = true;
      await client?.end().catch(() => undefined);
    },
  };
}

async function handBack(boss: PgBoss, before: Date): Promise<void> {
  for (const queue of Object.keys(queues)) {
    const { rows } = await boss
      .getDb()
      .executeSql("SELECT id FROM pgboss.job WHERE name = $1 AND state = 'active' AND started_on < $2", [
        queue,
        before.toISOString(),
      ]);
    const ids = rows.map((row: { id: string }) => row.id);
    if (ids.length > 0) await boss.fail(queue, ids, { message: 'the worker ended while it ran' });
  }
}
