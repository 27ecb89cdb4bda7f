/** The worker process: takes jobs until it is told to end, or until its parent is gone. */
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

/** a third of the service's share when both want all of a processor */
const BEHIND_THE_SERVICE = 5;
const LOWEST = constants.priority.PRIORITY_LOW;

/** main.ts insists after 6 s; jobs that have not stopped by then are taken up by their heartbeats. */
const PATIENCE_MS = 5000;

/** Whoever waits for a page goes first where there are too few processors for both. */
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
