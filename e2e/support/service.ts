/** Starts the product like `npm start`, on an empty folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

export interface RunningService {
  url: string;
  email: string;
  password: string;
  dataDir: string;
  process: ChildProcess;
  /** everything printed so far */
  output(): string;
  /** sends SIGTERM and waits for the end; removes the folder unless `keepData` */
  stop(options?: { keepData?: boolean }): Promise<void>;
}

export const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

export const administrator = { email: 'admin@example.com', password: 'a long enough password' };

async function healthy(url: string, child: ChildProcess, output: () => string) {
  for (const started = Date.now(); Date.now() - started < 90_000; ) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}:\n${output()}`);
    const ok = await fetch(`${url}/api/health`).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await delay(100);
  }
  throw new Error(`the service did not become healthy:\n${output()}`);
}

/** The command of `npm start`, without npm, which takes a moment itself. */
export const main = ['node', '--import', './src/drizzle-as-commonjs.ts', 'src/main.ts'];

/** Starts the product; without the demo organization unless `env.DEMO` says otherwise. */
export async function startService(
  env: Record<string, string> = {},
  [program, ...words]: string[] = main,
): Promise<RunningService> {
  const dataDir = env.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'scanwright-e2e-')));
  const port = env.PORT ?? String(await freePort());
  const child = spawn(program, words, {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      DEMO: '0',
      ADMIN_EMAIL: administrator.email,
      ADMIN_PASSWORD: administrator.password,
      LOG_LEVEL: 'warn',
      ...env,
      PORT: port,
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  const output = () => text;
  const url = `http://127.0.0.1:${port}`;
  const stop = async ({ keepData = false } = {}) => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
    if (!keepData) await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await healthy(url, child, output);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { url, ...administrator, dataDir, process: child, output, stop };
}

/** Ids of the processes that run one of these scripts for the product on this folder. */
const findProcesses = (dataDir: string, ...scripts: string[]) =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((name) => {
      try {
        const said = readFileSync(`/proc/${name}/cmdline`, 'utf8');
        if (!scripts.some((script) => said.includes(script))) return false;
        return readFileSync(`/proc/${name}/environ`, 'utf8').includes(dataDir);
      } catch {
        return false; // ended meanwhile
      }
    })
    .map(Number);

/** The id of the worker's process. */
export const findWorkerId = (dataDir: string): number => {
  const [worker] = findProcesses(dataDir, 'src/worker/main.ts');
  if (worker === undefined) throw new Error('there is no worker');
  return worker;
};

const signalWork = (dataDir: string, signal: 'SIGSTOP' | 'SIGCONT') => {
  for (const pid of findProcesses(dataDir, 'src/worker/main.ts', 'src/worker/carry-out-work.ts'))
    process.kill(pid, signal);
};

/** Resumes a suspended worker. */
export const resumeWork = (dataDir: string) => signalWork(dataDir, 'SIGCONT');

/** Kills the worker suspended by `suspendWork`: its work is lost at once, and its child processes end by themselves. */
export async function killSuspendedWorker(dataDir: string): Promise<void> {
  const client = await connectToDatabase(dataDir);
  process.kill(findWorkerId(dataDir), 'SIGKILL');
  resumeWork(dataDir);
  await client.query(`update work_queue set beat_at = now() - interval '1 hour' where worker_id is not null`);
  await client.end();
}

async function connectToDatabase(dataDir: string): Promise<pg.Client> {
  const environment = readFileSync(`/proc/${findWorkerId(dataDir)}/environ`, 'utf8').split('\0');
  const [, connectionString] =
    environment.find((each) => each.startsWith('DATABASE_URL='))?.split(/=(.*)/) ?? [];
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

/**
 * From now on only the first operation of this kind is processed, and later ones wait in the queue, however fast the
 * machine is. Operations that failed for lack of data were never in the queue. @returns a function that releases them
 */
export async function holdAllButOne(dataDir: string, kind: string): Promise<() => Promise<void>> {
  const client = await connectToDatabase(dataDir);
  await client.query(`
    create function hold_work() returns trigger language plpgsql as $$ begin
      if new.kind = 'operation' and exists (
        select from operations where operation = '${kind}' and id <> new.id and status <> 'failed')
      then new.run_at = 'infinity'; end if;
      return new;
    end $$;
    create trigger hold_work before insert on work_queue for each row execute function hold_work();`);
  return async () => {
    await client.query(`drop function hold_work() cascade; update work_queue set run_at = null`);
    await client.end();
  };
}

/**
 * Suspends the worker and its child processes once `isReached`, which is evaluated while they are suspended. The worker
 * keeps its jobs meanwhile, and is never suspended inside a transaction, where others would wait for its row locks.
 */
export async function suspendWork(
  dataDir: string,
  isReached: () => Promise<boolean> = async () => true,
): Promise<void> {
  const client = await connectToDatabase(dataDir);
  let isHeld = false;
  try {
    for (const end = Date.now() + 90_000; !isHeld; await delay(20)) {
      if (Date.now() > end) throw new Error('the work did not come to where it was to be held');
      signalWork(dataDir, 'SIGSTOP');
      try {
        const { rowCount } = await client.query(
          `select from pg_stat_activity where application_name in ('scanwright worker', 'scanwright work') and state <> 'idle'`,
        );
        isHeld = rowCount === 0 && (await isReached());
      } finally {
        if (!isHeld) resumeWork(dataDir);
      }
    }
    await client.query(
      `update work_queue set beat_at = now() + interval '1 hour' where worker_id is not null`,
    );
  } finally {
    await client.end();
  }
}
