/** The connection pool, typed by the schema, and transactions on it. */
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import * as accounts from './schema-accounts.ts';
import * as collaboration from './schema-collaboration.ts';
import * as data from './schema-data.ts';
import * as projects from './schema-projects.ts';
import * as system from './schema-system.ts';
import * as work from './schema-work.ts';

const schema = { ...accounts, ...projects, ...data, ...work, ...collaboration, ...system };

export type Database = NodePgDatabase<typeof schema>;
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];
/** What a query runs on: functions that read or write take this, so that callers decide on the transaction. */
export type Executor = Database | Transaction;

export interface Connection {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly db: Database;
  /** Waits for the queries under way, then closes. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  /** connections at most, 10 by default */
  max?: number;
  /** seen in pg_stat_activity */
  applicationName?: string;
  /** an idle connection that broke; the pool replaces it */
  onError?: (error: Error) => void;
}

/** A pool on the database; connections are made when first needed. */
export function connect(url: string, options: ConnectionOptions = {}): Connection {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'scanwright',
    connectionTimeoutMillis: 15_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  });
  // Without a listener a server that restarts would end this process.
  pool.on('error', (error) => options.onError?.(error));
  return {
    url,
    pool,
    db: drizzle(pool, { schema }),
    close: async () => (pool.ending ? undefined : pool.end()),
  };
}

/** Failures in which PostgreSQL asks to run the transaction again. */
const REPEATABLE = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 5;

/** The SQLSTATE of a failed query, wherever in the chain of causes drizzle put it. */
export function sqlState(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code;
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return undefined;
}

/** The constraint that a failed insert or update broke, to tell one unique violation from another. */
export function brokenConstraint(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const constraint = (at as { constraint?: unknown }).constraint;
    if (typeof constraint === 'string') return constraint;
  }
  return undefined;
}

/**
 * Runs `change` in one transaction: all of it happens or nothing. A deadlock or a serialization failure
 * runs it again, so it must have no effect beside the transaction.
 */
export async function inTransaction<T>(db: Database, change: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(change);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !REPEATABLE.has(sqlState(error) ?? '')) throw error;
    }
  }
}
