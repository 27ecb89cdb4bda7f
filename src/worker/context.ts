import type { Logger } from 'pino';
import type { KernelPool } from '#kernels/pool.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { Config } from '#storage/config.ts';
import type { Database } from '#storage/db/connection.ts';
import type { JobQueue } from '#storage/queue/queue.ts';
import type { Turnstile } from './turnstile.ts';

/** What every job works with; made once in main.ts or by a test. */
export interface WorkerContext {
  config: Config;
  db: Database;
  store: BlobStore;
  queue: JobQueue;
  pool: KernelPool;
  /** passed by one heavy piece of work at a time: each uses all threads and much memory */
  heavyWork: Turnstile;
  log: Logger;
  /** of this program, for the provenance */
  version: string;
}
