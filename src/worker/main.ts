/** The worker process: takes work until it is told to stop or its parent is gone. */
import { readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import pino from 'pino';
import { readConfig } from '#storage/config.ts';
import { startWorker } from './worker.ts';

const config = readConfig();
const log = pino({ level: config.logLevel, base: { process: 'worker' } });
if (config.databaseUrl === undefined) {
  log.fatal('the worker needs DATABASE_URL; npm start sets it to the built-in PostgreSQL');
  process.exit(1);
}
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** niceness that leaves a third of the service's share when both need a whole processor */
const BEHIND_THE_SERVICE = 5;
const LOWEST = constants.priority.PRIORITY_LOW;

/** main.ts kills this process after 6 s; work still running then is recovered by its missing heartbeats. */
const PATIENCE_MS = 5000;

/** Lowers the priority, so that page requests come first when processors are scarce. */
function giveWay(): void {
  try {
    setPriority(Math.min(LOWEST, getPriority() + BEHIND_THE_SERVICE));
  } catch (err) {
    log.warn({ err }, 'the worker runs at the priority of the service');
  }
}
giveWay();

let ending = false;
const started = startWorker({ config, databaseUrl: config.databaseUrl, log, version });

async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  setTimeout(() => process.exit(0), PATIENCE_MS).unref();
  await (await started).stop();
  process.exit(0);
}
process.on('SIGTERM', () => void end());
process.on('SIGINT', () => void end());
process.once('disconnect', () => void end());

started.then(
  () => process.send?.({ type: 'working' }),
  (err: unknown) => {
    log.fatal({ err }, 'the worker can not start');
    process.exit(1);
  },
);
