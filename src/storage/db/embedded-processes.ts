/** Detects users of a data folder: the mark of a supervisor, and a server that outlived its supervisor. */
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DatabaseUnavailable } from './embedded-binaries.ts';

const run = promisify(execFile);
const ORPHAN_STOP_TIMEOUT_MS = 15_000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Identity of a process that distinguishes it from a later one with the same pid; undefined when it does not exist. */
async function processIdentity(pid: number): Promise<string | undefined> {
  if (!isAlive(pid)) return undefined;
  try {
    const [fields, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    // Field 22 is the start time in clock ticks; field 2, the name in parentheses, may contain any characters.
    const afterName = fields.slice(fields.lastIndexOf(')') + 2).split(' ');
    if (afterName[0] === 'Z') return undefined;
    return `${boot.trim()}/${afterName[19]}`;
  } catch {
    return run('ps', ['-o', 'lstart=', '-p', String(pid)]).then(
      ({ stdout }) => stdout.trim() || undefined,
      () => undefined,
    );
  }
}

/**
 * Marks the folder as in use by this process; resolves to a function that removes the mark.
 *
 * @throws DatabaseUnavailable when a living process holds the folder
 */
export async function takeFolder(directory: string): Promise<() => Promise<void>> {
  const file = path.join(directory, 'supervisor.json');
  const mark = JSON.stringify({ pid: process.pid, identity: await processIdentity(process.pid) });
  for (;;) {
    try {
      await writeFile(file, mark, { flag: 'wx', mode: 0o600 });
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const text = await readFile(file, 'utf8').catch(() => '');
    if (await isHeld(text)) {
      const { pid } = JSON.parse(text) as { pid: number };
      throw new DatabaseUnavailable(
        `the data folder ${directory} is in use by process ${pid}: stop that one first, or choose another data folder`,
      );
    }
    await rm(file, { force: true });
  }
}

async function isHeld(text: string): Promise<boolean> {
  try {
    const { pid, identity } = JSON.parse(text) as { pid: number; identity: string };
    return identity !== undefined && (await processIdentity(pid)) === identity;
  } catch {
    return false;
  }
}

/**
 * Stops the server that runs on the cluster `data`, if any, and waits until it is gone.
 * A pid in an old postmaster.pid that now belongs to another program is left alone.
 */
export async function stopServer(data: string): Promise<void> {
  const text = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  if (!Number.isInteger(pid) || pid <= 1 || !(await servesFrom(pid, data))) return;
  process.kill(pid, 'SIGINT');
  const immediateAt = Date.now() + ORPHAN_STOP_TIMEOUT_MS;
  let isImmediate = false;
  while ((await processIdentity(pid)) !== undefined && (await servesFrom(pid, data))) {
    if (!isImmediate && Date.now() > immediateAt) {
      isImmediate = true;
      process.kill(pid, 'SIGQUIT');
    }
    if (Date.now() > immediateAt + ORPHAN_STOP_TIMEOUT_MS) {
      throw new DatabaseUnavailable(
        `an earlier PostgreSQL (process ${pid}) on ${data} does not stop: stop it by hand`,
      );
    }
    await delay(20);
  }
}

/** Whether the process is a server on this cluster, by its command line, which any user may read, unlike its working folder. */
async function servesFrom(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const args = await readFile(`/proc/${pid}/cmdline`, 'utf8').then(
    (text) => text.split('\0'),
    () =>
      run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).then(
        ({ stdout }) => stdout.trim().split(' '),
        () => [],
      ),
  );
  return args.join(' ').includes(` -D ${data} `);
}
