/** Brings a database to the schema of this version; several processes may try at once. */
import path from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { DatabaseUnavailable } from './embedded-binaries.ts';

/** any number, the same in every version of this program */
const LOCK = 7_218_450_113;
const MINIMUM_VERSION = 150_000;

/**
 * Applies what is missing, in order, under an advisory lock.
 *
 * @throws DatabaseUnavailable when the server can't be reached, is too old, or refuses the extension pg_trgm
 */
export async function migrate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 15_000 });
  // An error on a connection that is lost also rejects the query under way, which reports it.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (cause) {
    throw new DatabaseUnavailable(
      `the database at ${withoutPassword(url)} can't be reached: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  }
  try {
    await checkVersion(client, url);
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await ensureTrigrams(client, url);
    await applyMigrations(drizzle(client), {
      migrationsFolder: path.join(import.meta.dirname, 'migrations'),
    });
  } finally {
    // The lock ends with the connection.
    await client.end();
  }
}

/** The address without its password, for messages. */
export function withoutPassword(url: string): string {
  return url.replace(/(:\/\/[^:@/]*):[^@/]*@/, '$1@');
}

async function checkVersion(client: pg.Client, url: string): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding",
  );
  const { version, encoding } = rows[0];
  if (version < MINIMUM_VERSION) {
    throw new DatabaseUnavailable(
      `the database at ${withoutPassword(url)} is PostgreSQL ${Math.floor(version / 10_000)}; 15 or newer is needed`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new DatabaseUnavailable(
      `the database at ${withoutPassword(url)} has the encoding ${encoding}: create it with ENCODING 'UTF8'`,
    );
  }
}

/** The search for names anywhere needs trigrams. An ordinary owner of the database may install them. */
async function ensureTrigrams(client: pg.Client, url: string): Promise<void> {
  const { rowCount } = await client.query("SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'");
  if (rowCount) return;
  try {
    await client.query('CREATE EXTENSION pg_trgm');
  } catch (cause) {
    throw new DatabaseUnavailable(
      `the database at ${withoutPassword(url)} lacks the extension pg_trgm and its user may not install it ` +
        `(${(cause as Error).message}): let an administrator run CREATE EXTENSION pg_trgm in it once`,
      { cause },
    );
  }
}
