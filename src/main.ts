/** `npm start`: builds if needed, then starts database, service and worker, and stops all of them at the end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { announceFirstAccount } from '#service/first-password.ts';
import { claimStore, WrongStore } from '#storage/claim-store.ts';
import { type Config, ConfigError, readConfig } from '#storage/config.ts';
import { blobFolder, openBlobStore, uploadFolder } from '#storage/data-folder.ts';
import { connect, sqlState } from '#storage/db/connection.ts';
import { DatabaseUnavailable } from '#storage/db/embedded-binaries.ts';
import { type RunningDatabase, startDatabase } from '#storage/db/start.ts';
import { BuildFailed, buildWhatIsNeeded } from './build.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const print = (line: string) => process.stdout.write(`${line}\n`);

/** A reason that prevents the start; its message is the only line on stderr. */
class CannotStart extends Error {}

/** Resolves when the port is free; an orphan of an earlier run gets a few seconds to exit. */
async function waitForPort({ host, port }: Config): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const failure = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      const probe = createServer();
      probe.once('error', resolve);
      probe.listen(port, host, () => probe.close(() => resolve(undefined)));
    });
    if (failure === undefined) return;
    if (failure.code !== 'EADDRINUSE') {
      const reason = reasonsAgainstAddress[failure.code ?? ''] ?? failure.message;
      throw new CannotStart(`can't listen on ${host}:${port}: ${reason}`);
    }
    if (Date.now() > deadline || (await answersAsService(host, port)) === 'other')
      throw new CannotStart(
        `port ${port} on ${host} is in use: set PORT to another one, or stop what listens there`,
      );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const hostAdvice =
  'set HOST to 127.0.0.1, to 0.0.0.0 for the whole network, or to an address of this machine';
const reasonsAgainstAddress: Record<string, string> = {
  ENOTFOUND: `no machine has this name; ${hostAdvice}`,
  EAI_AGAIN: `this name can't be looked up now; ${hostAdvice}`,
  EADDRNOTAVAIL: `this machine has no such address; ${hostAdvice}`,
  EACCES: 'this user may not take this port; set PORT to one from 1024 on',
};

/** Whether waiting is worthwhile: an orphaned service of ours exits within seconds. */
async function answersAsService(host: string, port: number): Promise<'ours' | 'other'> {
  try {
    const at = host.includes(':') ? `[${host}]` : host;
    const answer = await fetch(`http://${at}:${port}/api/health`, { signal: AbortSignal.timeout(2000) });
    return answer.headers.has('x-request-id') ? 'ours' : 'other';
  } catch {
    return 'ours';
  }
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5_000;
/** a process that ran this long is restarted without delay */
const HEALTHY_MS = 30_000;

/** Keeps a process alive: restarts it, with increasing delay when it dies soon. */
class Child {
  readonly #name: string;
  readonly #script: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #onMessage: (message: unknown) => void;
  #process: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnding = false;
  #delayMs = FIRST_DELAY_MS;

  constructor(
    name: string,
    script: string,
    environment: NodeJS.ProcessEnv,
    onMessage: (message: unknown) => void = () => undefined,
  ) {
    this.#name = name;
    this.#script = script;
    this.#environment = environment;
    this.#onMessage = onMessage;
  }

  start(): void {
    const startedAt = Date.now();
    const preloads = ['storage/end-with-parent.ts', 'drizzle-as-commonjs.ts'];
    const imports = preloads.flatMap((script) => ['--import', new URL(script, import.meta.url).href]);
    const child = spawn(process.execPath, [...imports, path.join(root, this.#script)], {
      cwd: root,
      env: this.#environment,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#process = child;
    child.on('message', this.#onMessage);
    child.once('error', (error) =>
      process.stderr.write(`the ${this.#name} can't be started: ${error.message}\n`),
    );
    child.once('exit', (code, signal) => {
      this.#process = undefined;
      if (this.#isEnding) return;
      if (Date.now() - startedAt > HEALTHY_MS) this.#delayMs = FIRST_DELAY_MS;
      process.stderr.write(
        `the ${this.#name} ended (${signal ?? `code ${code}`}); it starts again in ${this.#delayMs / 1000} s\n`,
      );
      this.#timer = setTimeout(() => this.start(), this.#delayMs);
      this.#delayMs = Math.min(this.#delayMs * 2, MAX_DELAY_MS);
    });
  }

  /** Asks the process to exit, and kills it after a while. */
  async end(patienceMs: number): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGTERM');
    const insist = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    await gone;
    clearTimeout(insist);
  }
}

/**
 * Calls `then` when the npm process that started this one is gone. npm forwards signals except SIGKILL, after which nobody
 * would stop the processes started here.
 */
function onEndOfNpm(then: () => void): void {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const npm = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(watch);
    then();
  }, 1000).unref();
}

/** Writes a line; resolves when it has left this process, rejects when nobody can read it. */
const writeLine = (line: string) =>
  new Promise<void>((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
  });

async function makeAccount({ dataDir, adminEmail, adminPassword, demo }: Config, url: string): Promise<void> {
  const connection = connect(url, { max: 1 });
  try {
    await announceFirstAccount(connection.db, { dataDir, adminEmail, adminPassword, demo, print: writeLine });
  } finally {
    await connection.close();
  }
}

/** Creates folders one by one, because Node's own recursion never ends below /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  if (path.dirname(folder) !== folder) makeFolders(path.dirname(folder));
  mkdirSync(folder);
}

/** @throws CannotStart when the data folder, or a folder made by an earlier start, is not writable */
function makeDataFolders({ dataDir }: Config): void {
  const inner = [uploadFolder({ dataDir }), blobFolder({ dataDir })].filter((folder) => existsSync(folder));
  for (const folder of [dataDir, ...inner]) {
    const trial = path.join(folder, `.can-write-${process.pid}`);
    try {
      makeFolders(folder);
      writeFileSync(trial, '');
      rmSync(trial);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = reasonsAgainstFolder[code ?? ''] ?? message;
      const where = folder === dataDir ? '' : ` (${path.basename(folder)})`;
      throw new CannotStart(
        `the setting DATA_DIR=${dataDir} can't be used: ${reason}${where}; name a folder that can be written to`,
      );
    }
  }
}

const reasonsAgainstFolder: Record<string, string> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'it is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is read-only',
  ENOENT: 'there can be no folder',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the name is too long',
};

/** @throws WrongStore; CannotStart when the file store is unreachable */
async function claimFiles(config: Config, url: string): Promise<void> {
  const connection = connect(url, { max: 2 });
  try {
    const store = await openBlobStore(config);
    await claimStore(connection.db, store, config).finally(() => store.close());
  } catch (error) {
    if (error instanceof WrongStore || sqlState(error) !== undefined) throw error;
    const place = config.s3 ? `the bucket ${config.s3.bucket}` : `the folder ${config.dataDir}`;
    throw new CannotStart(`${place} can't be used for files: ${(error as Error).message.split('\n')[0]}`);
  } finally {
    await connection.close();
  }
}

async function start(): Promise<void> {
  const config = readConfig();
  makeDataFolders(config);
  await waitForPort(config);
  buildWhatIsNeeded(print);
  let database: RunningDatabase | undefined;
  const children: Child[] = [];
  let ending: Promise<never> | undefined;
  const end = (code: number): Promise<never> => {
    ending ??= (async () => {
      await Promise.all(children.map((child) => child.end(6000)));
      await database?.stop();
      return process.exit(code);
    })();
    return ending;
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end(0));
  onEndOfNpm(() => void end(0));

  database = await startDatabase({
    databaseUrl: config.databaseUrl,
    directory: path.join(config.dataDir, 'postgres'),
    log: (line) => process.stderr.write(`${line}\n`),
  });
  if (ending) return ending;
  try {
    await claimFiles(config, database.url);
    await makeAccount(config, database.url);
  } catch (error) {
    await database.stop();
    throw error;
  }
  const environment = {
    // Compile cache for all processes and worker threads, which then start in a third of the time.
    NODE_COMPILE_CACHE: path.join(root, 'dist/compiled'),
    ...process.env,
    DATABASE_URL: database.url,
    DATA_DIR: config.dataDir,
  };
  let announced = false;
  const service = new Child('service', 'src/service/main.ts', environment, (message) => {
    const { type, port } = (message ?? {}) as { type?: string; port?: number };
    if (type !== 'listening' || announced) return;
    announced = true;
    print(
      `Scanwright is at ${config.publicUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`}`,
    );
  });
  const worker = config.workers > 0 ? new Child('worker', 'src/worker/main.ts', environment) : undefined;
  children.push(service, ...(worker ? [worker] : []));
  for (const child of children) child.start();
}

start().catch((error: unknown) => {
  const expected = [ConfigError, CannotStart, BuildFailed, DatabaseUnavailable, WrongStore];
  const text = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`${expected.some((kind) => error instanceof kind) ? text.message : text.stack}\n`);
  process.exit(1);
});
