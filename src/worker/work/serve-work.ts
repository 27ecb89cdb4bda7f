/** Main loop of a work process: opens shared resources, then runs one piece of work after another. */
import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import pino from 'pino';
import type { Config } from '#storage/config.ts';
import { openBlobStore } from '#storage/data-folder.ts';
import { connect } from '#storage/db/connection.ts';
import { WorkLost } from '#storage/work/life.ts';
import type { WorkerContext } from '../context.ts';
import { startThreadPool, type ThreadPool } from '../threads/pool.ts';
import { carryOut, type Settlement, type Task } from './carry-out.ts';
import { CancelRequested, WorkerStopping, type WorkRunners } from './work.ts';
import type { Report } from './work-run.ts';

export type ToProcess =
  | { open: { config: Config; databaseUrl: string; version: string } }
  | { task: Task }
  | { stop: 'cancel' | 'end' | 'lost' };
export type FromProcess =
  | { begins: true }
  | { progress: number; stage: string | null }
  | { ends: true }
  | { settlement: Settlement };

const PROGRESS_MS = 100;
const CONNECTIONS = 4;

const reasons = {
  cancel: () => new CancelRequested('it was cancelled'),
  end: () => new WorkerStopping('the worker is shutting down'),
  lost: () => new WorkLost('it is held by another worker'),
};

async function openContext(
  open: Extract<ToProcess, { open: object }>['open'],
): Promise<WorkerContext & { pool: ThreadPool }> {
  const { config, databaseUrl, version } = open;
  const log = pino({ level: config.logLevel, base: { process: 'work' } });
  const onError = (err: Error) => log.warn({ err }, 'database connection lost');
  const applicationName = 'scanwright work';
  const connection = connect(databaseUrl, { max: CONNECTIONS, applicationName, onError });
  const store = await openBlobStore(config);
  const pool = await startThreadPool({ threads: Math.max(1, config.workers) });
  return { config, connection, db: connection.db, store, pool, log, version };
}

/** @param loadAhead loads what most work needs (half a second of the processor) while the process waits for work */
export function serveWork(runners: WorkRunners, loadAhead?: () => Promise<unknown>): void {
  // The end of the channel shows that the worker is gone, so failed messages are no error.
  const send = (message: FromProcess) => process.send?.(message, undefined, undefined, () => undefined);
  let context: ReturnType<typeof openContext>;
  let stopping = new AbortController();
  let isWaiting = true;
  const run = async (task: Task): Promise<Settlement> => {
    let latest: FromProcess | undefined;
    let shownStage: string | null = null;
    const reportProgress = () => {
      if (latest) send(latest);
      latest = undefined;
    };
    const timer = setInterval(reportProgress, PROGRESS_MS);
    const report: Report = (progress, stage) => {
      latest = { progress, stage };
      // Reported now, because synchronous work may not let the timer run before it ends.
      if (stage !== shownStage) reportProgress();
      shownStage = stage;
    };
    try {
      await context;
      send({ begins: true });
      const onEnd = () => send({ ends: true });
      return await carryOut(await context, runners, task, stopping.signal, report, onEnd);
    } catch (err) {
      // Its end could not be written; whoever reaches the database next continues it.
      (await context).log.warn({ err }, 'work is left to be taken again');
      return 'released';
    } finally {
      clearInterval(timer);
    }
  };
  process.on('message', (message: ToProcess) => {
    if ('open' in message) {
      context = openContext(message.open);
      context.then(
        async ({ pool }) => {
          // A failure is reported by the work that needs it.
          if (isWaiting) await loadAhead?.().catch(() => undefined);
          if (isWaiting) pool.start();
        },
        (error: unknown) => {
          process.stderr.write(`a process that carries work out can't begin: ${error}\n`);
          process.exit(1);
        },
      );
    } else if ('stop' in message) stopping.abort(reasons[message.stop]());
    else {
      isWaiting = false;
      stopping = new AbortController();
      void run(message.task).then((settlement) => send({ settlement }));
    }
  });
  // The worker decides when this process ends, even if a terminal signals both.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  process.once('disconnect', () => process.exit(0));
  new Worker(new URL('./end-with-worker.ts', import.meta.url), { workerData: process.ppid }).unref();
  try {
    // When the machine runs out of memory, this process is killed before the worker and the database.
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not Linux.
  }
}
