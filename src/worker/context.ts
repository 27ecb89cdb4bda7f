import type { Logger } from 'pino';
import type { KernelPool } from '#kernels/pool.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { Config } from '#storage/config.ts';
import type { Connection, Database } from '#storage/db/connection.ts';

/** What all work works with; made once in each process. */
export interface WorkerContext {
  config: Config;
  connection: Connection;
  db: Database;
  store: BlobStore;
  pool: KernelPool;
  log: Logger;
  /** of this program, for the provenance */
  version: string;
}
