/**
 * Supervisor of the built-in PostgreSQL: one server per data folder, on a Unix socket only.
 *
 * It handles these cases, all met in practice:
 * - PostgreSQL refuses to run as root: when started by root, it runs as uid/gid 65534, which owns its data. If the data is
 *   below a folder that this user can't enter (/root), the server gets just the capability to traverse it.
 * - A kill -9 of this process orphans the server: it is found by its postmaster.pid and stopped.
 * - A kill -9 during initdb leaves an incomplete cluster: it is created under another name and renamed when complete.
 * - A second start on the same folder is refused instead of stopping the first one's server.
 * - Other users of the machine have no access: folder 0700, socket 0700, SCRAM password on every connection.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { DatabaseUnavailable, type PostgresBinaries, prepareBinaries } from './embedded-binaries.ts';
import {
  chooseLaunch,
  type Launch,
  oneLine,
  ownByServer,
  SERVER_UID,
  serverEnvironment,
} from './embedded-launch.ts';
import { stopServer, takeFolder } from './embedded-processes.ts';

const run = promisify(execFile);

const USER = 'scanwright';
const DATABASE = 'scanwright';
/** sun_path has 108 bytes on Linux and 104 on macOS, of which the file name takes 16 */
const MAX_SOCKET_FOLDER_BYTES = 84;
const START_TIMEOUT_MS = 60_000;
const LINGER_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 20_000;

export interface EmbeddedOptions {
  /** folder with the cluster, the password and the server's log; created when missing */
  directory: string;
  /** called with one line when the server is restarted after it died, and when restarting fails */
  log?: (line: string) => void;
  /** additional settings of the server, such as { shared_buffers: '256MB' } */
  settings?: Record<string, string>;
}

export interface EmbeddedServer {
  /** connection URL for `pg` and drizzle-kit; contains the password */
  readonly url: string;
  readonly directory: string;
  /** process id of the running server */
  readonly pid: number;
  /** Fast shutdown: open transactions are rolled back, committed data is on disk. */
  stop(): Promise<void>;
}

/** Settings that differ from PostgreSQL's defaults; fsync and synchronous_commit stay on. */
const settings: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  // For lists and single rows, JIT compilation and parallel workers take longer than the query itself, and containers
  // often have only 64 MB of /dev/shm, too little for parallel plans.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
  password_encryption: 'scram-sha-256',
  fsync: 'on',
};

/**
 * Starts the server on its folder, after creating the cluster if there is none and stopping an orphaned server.
 *
 * @throws DatabaseUnavailable with a single line that states what is wrong and how to fix it
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const directory = path.resolve(options.directory);
  await mkdir(directory, { recursive: true });
  const release = await takeFolder(directory);
  try {
    const launch = await chooseLaunch(directory);
    const binaries = await prepareBinaries(directory, launch.asOther && !launch.withCapability);
    const data = path.join(directory, 'data');
    const password = await makeCluster(directory, data, binaries, launch);
    const socketFolder = await makeSocketFolder(directory, launch);
    const supervisor = new Supervisor(directory, data, binaries, launch, socketFolder, options);
    await supervisor.startAfterAnother();
    const url = connectionUrl(socketFolder, password, DATABASE);
    try {
      await createDatabase(connectionUrl(socketFolder, password, 'postgres'));
    } catch (error) {
      await supervisor.stop();
      throw error;
    }
    return {
      url,
      directory,
      get pid() {
        return supervisor.pid;
      },
      async stop() {
        await supervisor.stop();
        await release();
      },
    };
  } catch (error) {
    await release();
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable(`the built-in PostgreSQL can't be started: ${oneLine(error)}`, {
      cause: error,
    });
  }
}

function connectionUrl(socketFolder: string, password: string, database: string): string {
  return `postgresql://${USER}:${password}@localhost/${database}?host=${encodeURIComponent(socketFolder)}`;
}

/** Creates the cluster if it does not exist; returns the superuser's password. */
async function makeCluster(
  directory: string,
  data: string,
  binaries: PostgresBinaries,
  launch: Launch,
): Promise<string> {
  const passwordFile = path.join(directory, 'password');
  if (existsSync(path.join(data, 'PG_VERSION'))) {
    await checkVersion(data);
    await adoptOwner(data, launch);
    return (await readFile(passwordFile, 'utf8')).trim();
  }
  // The password is on disk before the cluster is renamed, so that no cluster lacks its password.
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flush: true });
  const building = `${data}.new`;
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { mode: 0o700 });
  const passwordForServer = path.join(building, '..', 'password.new');
  await writeFile(passwordForServer, `${password}\n`, { mode: 0o600 });
  await ownByServer(building, launch);
  await ownByServer(passwordForServer, launch);
  const { file, args, options } = launch.command(binaries.initdb, [
    `--pgdata=${building}`,
    `--username=${USER}`,
    `--pwfile=${passwordForServer}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ]);
  try {
    await run(file, args, { ...options, cwd: '/', env: serverEnvironment(), timeout: START_TIMEOUT_MS });
  } catch (cause) {
    const detail = (cause as { stderr?: string }).stderr || oneLine(cause);
    throw new DatabaseUnavailable(
      `the database cluster in ${directory} can't be made: ${detail.replace(/\s+/g, ' ').trim()}`,
      {
        cause,
      },
    );
  } finally {
    await rm(passwordForServer, { force: true });
  }
  await rename(building, data);
  const folder = await open(directory);
  await folder.sync();
  await folder.close();
  return password;
}

async function checkVersion(data: string): Promise<void> {
  const version = (await readFile(path.join(data, 'PG_VERSION'), 'utf8')).trim();
  if (version !== '18') {
    throw new DatabaseUnavailable(
      `${data} was made by PostgreSQL ${version}, the built-in one is 18: dump it with the old one, or set DATABASE_URL`,
    );
  }
}

/** Gives a folder that was copied or used by another user back to the server's user. */
async function adoptOwner(data: string, launch: Launch): Promise<void> {
  const wanted = launch.asOther ? SERVER_UID : (process.getuid?.() ?? 0);
  if ((await stat(data)).uid === wanted) return;
  if (process.getuid?.() !== 0) {
    throw new DatabaseUnavailable(
      `${data} belongs to another user (was it made by root?): run chown -R $(id -u):$(id -g) on it, or start as that user`,
    );
  }
  await run('chown', ['-R', `${SERVER_UID}:${SERVER_UID}`, data]);
}

async function makeSocketFolder(directory: string, launch: Launch): Promise<string> {
  let folder = path.join(directory, 'socket');
  if (Buffer.byteLength(folder) > MAX_SOCKET_FOLDER_BYTES || launch.withCapability) {
    const user = process.getuid?.() ?? 0;
    folder = path.join(
      tmpdir(),
      `scanwright-${user}-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`,
    );
  }
  // Never use an existing folder of another user under this name: remove it, or fail.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  await ownByServer(folder, launch);
  await chmod(folder, 0o700);
  return folder;
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

class Supervisor {
  readonly #directory: string;
  readonly #data: string;
  readonly #binaries: PostgresBinaries;
  readonly #launch: Launch;
  readonly #socketFolder: string;
  readonly #options: EmbeddedOptions;
  #child: ChildProcess | undefined;
  #stopping = false;
  #restarting: Promise<void> | undefined;

  constructor(
    directory: string,
    data: string,
    binaries: PostgresBinaries,
    launch: Launch,
    socketFolder: string,
    options: EmbeddedOptions,
  ) {
    this.#directory = directory;
    this.#data = data;
    this.#binaries = binaries;
    this.#launch = launch;
    this.#socketFolder = socketFolder;
    this.#options = options;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /**
   * Starts once an earlier server has disappeared. After a kill -9 this takes a moment: its pid lingers until it is reaped,
   * and its children hold the shared memory until they notice.
   */
  async startAfterAnother(): Promise<void> {
    const wasLeftBehind = existsSync(path.join(this.#data, 'postmaster.pid'));
    const deadline = Date.now() + LINGER_TIMEOUT_MS;
    for (;;) {
      await stopServer(this.#data);
      try {
        return await this.start();
      } catch (error) {
        if (!wasLeftBehind || Date.now() > deadline) throw error;
        await delay(200);
      }
    }
  }

  async start(): Promise<void> {
    const logFile = path.join(this.#directory, 'server.log');
    if (existsSync(logFile)) await rename(logFile, `${logFile}.previous`);
    const all = { ...settings, unix_socket_directories: this.#socketFolder, ...this.#options.settings };
    const { file, args, options } = this.#launch.command(this.#binaries.postgres, [
      '-D',
      this.#data,
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]);
    // The log is a file, not a pipe, because the server must survive when this process is killed.
    const log = openSync(logFile, 'a', 0o600);
    // Detached, so that Ctrl-C in the terminal reaches only this process, which then stops the server.
    const child = spawn(file, args, {
      ...options,
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
      env: serverEnvironment(),
    });
    closeSync(log);
    this.#child = child;
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(oneLine(error)));
      child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    });
    let failure: string | undefined;
    void ended.then((reason) => {
      failure = reason;
    });
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await this.#isReady(child))) {
      if (failure !== undefined) throw new DatabaseUnavailable(await this.#explain(failure, logFile));
      if (Date.now() > deadline) {
        child.kill('SIGQUIT');
        throw new DatabaseUnavailable(
          `PostgreSQL was not ready within ${START_TIMEOUT_MS / 1000} s, see ${logFile}`,
        );
      }
      await delay(15);
    }
    void ended.then((reason) => {
      if (this.#stopping) return;
      this.#restarting = this.#restart(reason);
    });
  }

  /** Whether the server accepts connections, according to line 8 of postmaster.pid. */
  async #isReady(child: ChildProcess): Promise<boolean> {
    const lines = await readFile(path.join(this.#data, 'postmaster.pid'), 'utf8').then(
      (text) => text.split('\n'),
      () => [],
    );
    return Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready';
  }

  async #explain(reason: string, logFile: string): Promise<string> {
    const text = await readFile(logFile, 'utf8').catch(() => '');
    const fatal = text.split('\n').findLast((line) => /FATAL|PANIC|error while loading/.test(line));
    return `PostgreSQL ended while starting (${reason}): ${fatal?.trim() ?? `see ${logFile}`}`;
  }

  async #restart(reason: string): Promise<void> {
    this.#options.log?.(`PostgreSQL ended unexpectedly (${reason}); starting it again`);
    for (let attempt = 1; !this.#stopping; attempt += 1) {
      try {
        await stopServer(this.#data);
        await this.start();
        this.#options.log?.('PostgreSQL runs again');
        return;
      } catch (error) {
        // Children of a killed server hold its shared memory for a moment until they notice.
        if (attempt === 1 || attempt % 10 === 0) this.#options.log?.(oneLine(error));
        await delay(Math.min(5000, 100 * 2 ** attempt));
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#restarting;
    const pid = this.#child?.pid;
    if (pid === undefined || this.#child?.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => this.#child?.once('exit', () => resolve()));
    process.kill(pid, 'SIGINT');
    const inTime = await Promise.race([gone.then(() => true), delay(STOP_TIMEOUT_MS, false, { ref: false })]);
    if (!inTime) {
      // Immediate shutdown; committed data is recovered from the WAL at the next start.
      process.kill(pid, 'SIGQUIT');
      await gone;
    }
    await rm(this.#socketFolder, { recursive: true, force: true });
  }
}
