/** The connection pool, and transactions on it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';

export type Database = NodePgDatabase;
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];
/** What a query runs on: functions that read or write take this, so that callers decide on the transaction. */
export type Executor = Database | Transaction;

export interface Connection {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly db: Database;
  /** how many of its connections broke so far */
  readonly losses: number;
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
  let losses = 0;
  // Without a listener a server that restarts would end this process. The pool itself hears of idle connections only.
  pool.on('connect', (client) => {
    client.on('error', (error) => {
      losses += 1;
      options.onError?.(error);
    });
  });
  pool.on('error', () => undefined);
  return {
    url,
    pool,
    db: followSurroundingTransaction(giveBackConnections(pool, drizzle(pool))),
    get losses() {
      return losses;
    },
    close: async () => (pool.ending ? undefined : pool.end()),
  };
}

/** Of itself a connection whose transaction could not even begin would never come back to the pool. */
function giveBackConnections(pool: pg.Pool, db: Database): Database {
  db.transaction = async (change, config) => {
    const client = await pool.connect();
    try {
      return await drizzle(client).transaction(change, config);
    } finally {
      client.release();
    }
  };
  return db;
}

const surrounding = new AsyncLocalStorage<Transaction>();
const followed = new WeakSet<Executor>();

/** What a query through `db` runs on just now. */
export const unwrapExecutor = (db: Executor): Executor =>
  followed.has(db) ? (surrounding.getStore() ?? db) : db;

/** Inside of `inOneTransaction` every query goes to that transaction, whoever makes it. */
function followSurroundingTransaction(db: Database): Database {
  const following = new Proxy(db, {
    get: (own, name) => Reflect.get(surrounding.getStore() ?? own, name),
  });
  followed.add(following);
  return following;
}

/**
 * Runs `work` so that all that it reads and writes through `db` is one transaction; its own transactions are
 * savepoints in it. Like `change` of `inTransaction` it may be run again.
 */
export function inOneTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(db, (tx) => surrounding.run(tx, () => work(tx)));
}

/** Runs `work` so that all that it reads through `db` is of one moment; it can't write. */
export async function inOneSnapshot<T>(db: Database, work: () => Promise<T>): Promise<T> {
  if (surrounding.getStore() !== undefined) return work();
  return db.transaction((tx) => surrounding.run(tx, work), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });
}

/** Runs `work` on connections of its own: for what has to be committed whatever becomes of the transaction. */
export function outsideOfTransaction<T>(work: () => Promise<T>): Promise<T> {
  return surrounding.exit(work);
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
