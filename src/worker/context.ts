import type { Logger } from 'pino';
import type { KernelPool } from '#kernels/arena.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { Config } from '#storage/config.ts';
import type { Connection, Database } from '#storage/db/connection.ts';

/** Shared resources of all work, created once per process. */
export interface WorkerContext {
  config: Config;
  connection: Connection;
  db: Database;
  store: BlobStore;
  pool: KernelPool;
  log: Logger;
  /** version of this program, for the provenance */
  version: string;
}
