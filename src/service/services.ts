/** Dependencies of the resources, created once in main.ts or by a test. */
import type { Logger } from 'pino';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { Config } from '#storage/config.ts';
import type { Connection, Database } from '#storage/db/connection.ts';
import type { Binder } from './binding/binding.ts';
import type { AddressSigner } from './http/signed-address.ts';

export interface Services {
  config: Config;
  connection: Connection;
  db: Database;
  blobs: BlobStore;
  addresses: AddressSigner;
  log: Logger;
  version: string;
}

/** Every resource exports one from its routes.ts. */
export type BindRoutes = (binder: Binder, services: Services) => void;
