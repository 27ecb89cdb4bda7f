import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedServer, startEmbedded } from './embedded.ts';
import { subscribe } from './events.ts';

/** A cluster shared by all tests that leave it intact; creating one, or copying its 1,500 files, takes a second. */
let directory: string;

beforeAll(async () => {
  directory = await folder();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function folder(mode = 0o755): Promise<string> {
  const place = await mkdtemp(path.join(tmpdir(), 'scanwright-embedded-'));
  await chmod(place, mode);
  return place;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function supervisedElsewhere(): Promise<{ kill(): Promise<void>; url: string; pid: number }> {
  const script = path.join(import.meta.dirname, '..', 'testing', 'supervising-process.ts');
  const child = spawn(process.execPath, [script, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const { url, pid } = JSON.parse(String(line)) as { url: string; pid: number };
  return {
    url,
    pid,
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie counts as dead.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform !== 'linux';
  }
}

describe('the built-in server', () => {
  it('keeps committed data, syncs to disk, and uses a locale-independent collation', async () => {
    let server = await startEmbedded({ directory });
    await query(server.url, 'create table kept (n int); insert into kept values (42)');
    await server.stop();
    server = await startEmbedded({ directory });
    const [row] = await query(
      server.url,
      `select n, current_setting('fsync') as fsync, current_setting('listen_addresses') as addresses,
         (select datlocprovider::text || ' ' || datlocale from pg_database where datname = current_database()) as locale from kept`,
    );
    expect(row).toEqual({ n: 42, fsync: 'on', addresses: '', locale: 'b C.UTF-8' });
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
  });

  it('requires the password, and denies other users access to its socket', async () => {
    const server = await startEmbedded({ directory });
    const wrong = server.url.replace(/:[^:@/]+@/, ':guess@');
    await expect(query(wrong, 'select 1')).rejects.toThrow('password authentication failed');
    const socketFolder = new URL(server.url).searchParams.get('host') ?? '';
    expect((await stat(socketFolder)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(directory, 'password'))).mode & 0o777).toBe(0o600);
    expect((await stat(path.join(directory, 'data'))).mode & 0o777).toBe(0o700);
    await server.stop();
  });

  it('works in a folder with a path too long for a socket', async () => {
    const parent = await folder();
    const long = path.join(parent, 'a'.repeat(60), 'b'.repeat(60));
    await mkdir(path.dirname(long));
    await rename(directory, long);
    const server = await startEmbedded({ directory: long });
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
    await rename(long, directory);
    await rm(parent, { recursive: true });
  });

  it.runIf(process.getuid?.() === 0)('takes ownership of a folder of another user', async () => {
    await chown(path.join(directory, 'data'), 0, 0);
    const server = await startEmbedded({ directory });
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
  });

  it.runIf(process.getuid?.() === 0)('works below a folder accessible only to root', async () => {
    const closed = await folder(0o700);
    const server = await startEmbedded({ directory: path.join(closed, 'postgres') });
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
    await rm(closed, { recursive: true });
  });
});

describe('after a kill -9 of the process that started it', () => {
  it('the orphaned server is stopped and replaced without loss', async () => {
    const elsewhere = await supervisedElsewhere();
    await query(elsewhere.url, 'create table left_behind (n int); insert into left_behind values (7)');
    await elsewhere.kill();
    expect(isAlive(elsewhere.pid)).toBe(true);
    const server = await startEmbedded({ directory });
    expect(isAlive(elsewhere.pid)).toBe(false);
    expect(await query(server.url, 'select n from left_behind')).toEqual([{ n: 7 }]);
    await server.stop();
  });

  it('an incomplete cluster is recreated', async () => {
    const other = await folder();
    const half = path.join(other, 'data.new');
    await mkdir(path.join(half, 'base'), { recursive: true });
    await writeFile(path.join(half, 'PG_VERSION'), '18\n');
    await writeFile(path.join(other, 'password'), 'of the half\n', { mode: 0o600 });
    const server = await startEmbedded({ directory: other });
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
    await rm(other, { recursive: true });
  });

  it('a pid that now belongs to another program is left alone', async () => {
    const other = spawn('sleep', ['60']);
    await once(other, 'spawn');
    const lines = [String(other.pid), path.join(directory, 'data'), '1', '5432', '/nowhere', '', '', 'ready'];
    await writeFile(path.join(directory, 'data', 'postmaster.pid'), lines.join('\n'));
    await writeFile(
      path.join(directory, 'supervisor.json'),
      JSON.stringify({ pid: other.pid, identity: 'an earlier one' }),
    );
    // PostgreSQL itself refuses a lock file whose process is alive and may be a server; this process has another user.
    const server = await startEmbedded({ directory }).catch((error: Error) => error);
    expect(isAlive(other.pid ?? 0)).toBe(true);
    if (server instanceof Error)
      expect(server.message).toMatch(/^PostgreSQL ended while starting .*postmaster\.pid/);
    else await server.stop();
    other.kill();
    await rm(path.join(directory, 'data', 'postmaster.pid'), { force: true });
  });
});

describe('a folder in use', () => {
  it('is refused with the pid of the process that uses it', async () => {
    const server = await startEmbedded({ directory });
    await expect(startEmbedded({ directory })).rejects.toThrow(
      `the data folder ${directory} is in use by process ${process.pid}: stop that one first`,
    );
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
  });

  it('by another major version is refused before anything is changed', async () => {
    const other = await folder();
    await mkdir(path.join(other, 'data'));
    await writeFile(path.join(other, 'data', 'PG_VERSION'), '17\n');
    await expect(startEmbedded({ directory: other })).rejects.toThrow(
      /was made by PostgreSQL 17, the built-in one is 18/,
    );
    expect(await readdir(path.join(other, 'data'))).toEqual(['PG_VERSION']);
    expect(await readFile(path.join(other, 'data', 'PG_VERSION'), 'utf8')).toBe('17\n');
    await rm(other, { recursive: true });
  });
});

describe('a server that dies', () => {
  let server: EmbeddedServer;

  it('is restarted, and event listeners are notified of the gap', async () => {
    const lines: string[] = [];
    server = await startEmbedded({ directory, log: (line) => lines.push(line) });
    const gap = Promise.withResolvers<void>();
    const received = Promise.withResolvers<unknown>();
    const subscription = await subscribe(server.url, { onEvent: received.resolve, onGap: gap.resolve });
    const first = server.pid;
    process.kill(first, 'SIGKILL');
    await gap.promise;
    expect(server.pid).not.toBe(first);
    expect(lines).toEqual([
      'PostgreSQL ended unexpectedly (SIGKILL); starting it again',
      'PostgreSQL runs again',
    ]);
    await query(
      server.url,
      `select pg_notify('scanwright_events', '{"type":"updated","resource":"project","id":"1"}')`,
    );
    expect(await received.promise).toEqual({ type: 'updated', resource: 'project', id: '1' });
    await subscription.close();
    await server.stop();
  });
});
