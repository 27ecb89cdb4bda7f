/** Sending jobs, in the transaction of the change that asks for them. */
import { sql } from 'drizzle-orm';
import { fromDrizzle, PgBoss } from 'pg-boss';
import type { Executor } from '../db/connection.ts';
import {
  ABANDONED_QUEUE,
  type Payloads,
  priorities,
  type QueueName,
  queues,
  SUPERVISE_SECONDS,
} from './queues.ts';

export interface SendOptions {
  /** one of `priorities`; interactive by default */
  priority?: number;
  /** in the queues `view` and `maintenance`: of jobs with the same key only one waits */
  singletonKey?: string;
  startAfterSeconds?: number;
}

export interface JobQueue {
  /**
   * Puts a job into the queue when `tx` commits.
   *
   * @returns the job's id, or null when one with the same singletonKey waits already
   */
  send<Name extends QueueName>(
    tx: Executor,
    queue: Name,
    payload: Payloads[Name],
    options?: SendOptions,
  ): Promise<string | null>;
  /** jobs that wait, and that run, by queue; for metrics */
  depth(): Promise<Record<string, { waiting: number; active: number }>>;
  close(): Promise<void>;
}

export interface QueueOptions {
  /** connections at most; sending uses the caller's, so few are needed */
  max?: number;
  onError?: (error: Error) => void;
}

/** PgBoss with its tables and our queues in place. */
export async function startBoss(
  url: string,
  role: 'sender' | 'worker',
  options: QueueOptions,
): Promise<PgBoss> {
  const isWorker = role === 'worker';
  const boss = new PgBoss({
    connectionString: url,
    application_name: `scanwright queue ${role}`,
    max: options.max ?? (isWorker ? 6 : 2),
    supervise: isWorker,
    schedule: isWorker,
    useListenNotify: isWorker,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
  });
  boss.on('error', (error) => options.onError?.(error));
  await boss.start();
  await boss.createQueue(ABANDONED_QUEUE, {
    retryLimit: 10,
    retryDelay: 5,
    notify: true,
    deleteAfterSeconds: 7 * 24 * 3600,
  });
  for (const [name, settings] of Object.entries(queues)) {
    await boss.createQueue(name, settings);
    const { policy: _fixedAtCreation, ...changeable } = settings;
    await boss.updateQueue(name, changeable);
  }
  return boss;
}

/** The sending side, for the service and for work that asks for more work. */
export async function openQueue(url: string, options: QueueOptions = {}): Promise<JobQueue> {
  const boss = await startBoss(url, 'sender', options);
  return {
    send: (tx, queue, payload, sending) => sendWith(boss, tx, queue, payload, sending),
    async depth() {
      const found = await boss.getQueues(Object.keys(queues));
      const depths: Record<string, { waiting: number; active: number }> = {};
      for (const { name } of found) {
        const stats = await boss.getDb().executeSql(
          `select count(*) filter (where state in ('created', 'retry'))::int as waiting,
                  count(*) filter (where state = 'active')::int as active
             from pgboss.job where name = $1`,
          [name],
        );
        depths[name] = stats.rows[0] as { waiting: number; active: number };
      }
      return depths;
    },
    close: () => boss.stop({ graceful: false }),
  };
}

export function sendWith<Name extends QueueName>(
  boss: PgBoss,
  tx: Executor,
  queue: Name,
  payload: Payloads[Name],
  options: SendOptions = {},
): Promise<string | null> {
  return boss.send(queue, payload, {
    db: fromDrizzle(tx, sql),
    priority: options.priority ?? priorities.interactive,
    ...(options.singletonKey === undefined ? {} : { singletonKey: options.singletonKey }),
    ...(options.startAfterSeconds === undefined ? {} : { startAfter: options.startAfterSeconds }),
  });
}
