/**
 * Creates a separate database for a test file: `const database = await testDatabase()` … `await database.close()`.
 *
 * With TEST_DATABASE_URL, it is created on that server. Otherwise each test process starts one built-in server, on a copy of a
 * cluster cached in node_modules/.cache; databases are copied from a template with all migrations applied.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Connection, connect } from '../db/connection.ts';
import { type EmbeddedServer, startEmbedded } from '../db/embedded.ts';
import { migrate } from '../migrate.ts';

export interface TestDatabase {
  readonly url: string;
  /** connection pool, closed with the database */
  readonly connection: Connection;
  readonly db: Connection['db'];
  close(): Promise<void>;
}

interface TestServer {
  adminUrl: string;
  template: string;
}

let server: Promise<TestServer> | undefined;
const migrations = path.join(import.meta.dirname, '..', 'db', 'migrations');
const cache = path.join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'scanwright');

/** Creates an empty database with the current schema. @param connections maximum number of connections */
export async function testDatabase(connections = 5): Promise<TestDatabase> {
  server ??= process.env['TEST_DATABASE_URL'] ? external(process.env['TEST_DATABASE_URL']) : embedded();
  const { adminUrl, template } = await server;
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await asAdministrator(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const url = withDatabase(adminUrl, name);
  const connection = connect(url, { max: connections, applicationName: 'scanwright test' });
  return {
    url,
    connection,
    db: connection.db,
    async close() {
      await connection.close();
      await asAdministrator(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

const withDatabase = (url: string, name: string): string => {
  const parsed = new URL(url);
  parsed.pathname = `/${name}`;
  return parsed.href;
};

async function asAdministrator(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Hash of all migrations, so that templates of an older schema are not reused. */
async function schemaHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of (await readdir(migrations)).filter((name) => name.endsWith('.sql')).sort()) {
    hash.update(await readFile(path.join(migrations, file)));
  }
  return hash.digest('hex').slice(0, 12);
}

async function external(url: string): Promise<TestServer> {
  const template = `scanwright_template_${await schemaHash()}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(7218450114)');
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (!rowCount) {
      // Renamed when complete, so that a template under its final name has the whole schema.
      const building = `${template}_new`;
      await client.query(`DROP DATABASE IF EXISTS ${building} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${building} ENCODING 'UTF8' TEMPLATE template0`);
      await migrate(withDatabase(url, building));
      await client.query(`ALTER DATABASE ${building} RENAME TO ${template}`);
    }
  } finally {
    await client.end();
  }
  return { adminUrl: url, template };
}

/** Settings without durability, which tests don't need; file_copy_method copies a template in a fifth of the time. */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  file_copy_method: 'clone',
};

async function embedded(): Promise<TestServer> {
  const prepared = await preparedCluster();
  const directory = await mkdtemp(path.join(tmpdir(), 'scanwright-test-'));
  // For the 1,500 files, cp takes half as long as Node's function, and preserves the owner.
  await promisify(execFile)('cp', ['-pR', `${prepared}/.`, directory]);
  await chmod(directory, 0o755);
  const running = await startEmbedded({ directory, settings });
  stopAtExit(running, directory);
  return { adminUrl: withDatabase(running.url, 'postgres'), template: 'scanwright' };
}

/** A stopped cluster whose database `scanwright` has the schema; created by the first process that needs it. */
async function preparedCluster(): Promise<string> {
  const place = path.join(cache, `cluster-18-${await schemaHash()}`);
  if (existsSync(place)) return place;
  await mkdir(cache, { recursive: true });
  const building = await mkdtemp(path.join(cache, 'building-'));
  const running = await startEmbedded({ directory: building, settings });
  await migrate(running.url);
  await running.stop();
  // Two processes may create it at once; the later one uses the existing cluster.
  await rename(building, place).catch(() => rm(building, { recursive: true, force: true }));
  return place;
}

/**
 * Stops the server and removes its data when this process ends in any way, because the guard's stdin closes then. An immediate
 * shutdown is sufficient, since the data is discarded.
 */
function stopAtExit(running: EmbeddedServer, directory: string): void {
  const script =
    'cat >/dev/null; kill -QUIT "$1"; while kill -0 "$1" 2>/dev/null; do sleep 0.05; done; rm -rf "$2"';
  const guard = spawn('sh', ['-c', script, 'sh', String(running.pid), directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  (guard.stdin as Socket).unref();
}
