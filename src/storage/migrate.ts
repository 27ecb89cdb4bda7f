/** Migrates a database to the schema of this version; several processes may try at once. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import type { Executor } from './db/connection.ts';
import { DatabaseUnavailable } from './db/embedded-binaries.ts';
import { takeRow } from './db/take-row.ts';
import { computeAllVerdicts } from './verdicts/compute-all-verdicts.ts';

/** an arbitrary number, the same in every version of this program */
const LOCK = 7_218_450_113;
const MINIMUM_VERSION = 150_000;

/**
 * Applies missing migrations in order, under an advisory lock.
 *
 * @throws DatabaseUnavailable when the server can't be reached or is too old
 */
export async function migrate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 15_000 });
  // A lost connection also rejects the running query, which reports the error.
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
    const before = await countApplied(client);
    await applyMigrations(drizzle(client), {
      migrationsFolder: path.join(import.meta.dirname, 'db/migrations'),
    });
    await computeAllVerdicts(drizzle(client) as unknown as Executor);
    // Rewritten tables have no statistics and no visibility map, which index-only scans need.
    if ((await countApplied(client)) > before) await client.query('VACUUM (ANALYZE)');
  } finally {
    // The lock ends with the connection.
    await client.end();
  }
}

const journal = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'db/migrations/meta/_journal.json'), 'utf8'),
) as { entries: { when: number }[] };

/** Whether the database has exactly the schema of this version. */
export async function isMigrated(db: Executor): Promise<boolean> {
  const { rows } = await db.execute<{ newest: string | null }>(
    sql`select max(created_at)::text as newest from drizzle.__drizzle_migrations`,
  );
  return Number(takeRow(rows).newest) === Math.max(...journal.entries.map(({ when }) => when));
}

export function withoutPassword(url: string): string {
  return url.replace(/(:\/\/[^:@/]*):[^@/]*@/, '$1@');
}

async function checkVersion(client: pg.Client, url: string): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding",
  );
  const { version, encoding } = takeRow(rows);
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

async function countApplied(client: pg.Client): Promise<number> {
  const table = 'drizzle.__drizzle_migrations';
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    table,
  ]);
  if (!takeRow(rows).exists) return 0;
  return takeRow((await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows).n;
}
