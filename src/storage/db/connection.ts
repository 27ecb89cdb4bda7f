/** Connection pool and transactions. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';

export type Database = NodePgDatabase;
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];
/** Database or transaction; functions that run queries take this, so that callers control transactions. */
export type Executor = Database | Transaction;

export interface Connection {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly db: Database;
  /** number of connections lost so far */
  readonly losses: number;
  /** Waits for running queries, then closes the pool. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  /** maximum number of connections, default 10 */
  max?: number;
  /** shown in pg_stat_activity */
  applicationName?: string;
  /** called when an idle connection breaks; the pool replaces it */
  onError?: (error: Error) => void;
}

/** Creates a connection pool; connections are opened on demand. */
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
  // Without a listener, a server restart would end this process. The pool itself handles only idle connections.
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

/** Releases the connection of a transaction that failed to begin, which drizzle would leak. */
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

/** The transaction that queries through `db` currently run in, or `db` itself. */
export const unwrapExecutor = (db: Executor): Executor =>
  followed.has(db) ? (surrounding.getStore() ?? db) : db;

/** Within `inOneTransaction`, redirects all queries to that transaction. */
function followSurroundingTransaction(db: Database): Database {
  const following = new Proxy(db, {
    get: (own, name) => Reflect.get(surrounding.getStore() ?? own, name),
  });
  followed.add(following);
  return following;
}

/**
 * Runs `work` so that all its queries through `db` form one transaction; nested transactions become savepoints. Like
 * `change` of `inTransaction`, it may be run again.
 */
export function inOneTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(db, (tx) => surrounding.run(tx, () => work(tx)));
}

/** Runs `work` on a read-only snapshot: all its queries through `db` see the same state. */
export async function inOneSnapshot<T>(db: Database, work: () => Promise<T>): Promise<T> {
  if (surrounding.getStore() !== undefined) return work();
  return db.transaction((tx) => surrounding.run(tx, work), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });
}

/** Runs `work` on separate connections, for changes that must be committed even if the transaction fails. */
export function outsideOfTransaction<T>(work: () => Promise<T>): Promise<T> {
  return surrounding.exit(work);
}

/** SQLSTATEs after which the transaction should be retried. */
const REPEATABLE = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 5;

/** The SQLSTATE of a failed query, from anywhere in the chain of causes. */
export function sqlState(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code;
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return undefined;
}

/** The violated constraint, to distinguish unique violations. */
export function brokenConstraint(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const constraint = (at as { constraint?: unknown }).constraint;
    if (typeof constraint === 'string') return constraint;
  }
  return undefined;
}

/**
 * Runs `change` in one transaction. After a deadlock or serialization failure it is run again, so it must have no effects
 * outside of the transaction.
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
