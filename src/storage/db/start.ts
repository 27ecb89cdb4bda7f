/** The database of an installation: the built-in server, or one configured by the operator. */

import { migrate } from '../migrate.ts';
import { startEmbedded } from './embedded.ts';

export interface DatabaseOptions {
  /** a PostgreSQL 15 or newer; without it, the built-in server is started in `directory` */
  databaseUrl?: string | undefined;
  /** folder of the built-in server, such as <data folder>/postgres */
  directory: string;
  log?: (line: string) => void;
}

export interface RunningDatabase {
  readonly url: string;
  /** Stops the built-in server; does nothing for an external one. */
  stop(): Promise<void>;
}

/**
 * Starts or connects to the database and migrates it to the current schema.
 *
 * @throws DatabaseUnavailable with a single line for the operator
 */
export async function startDatabase(options: DatabaseOptions): Promise<RunningDatabase> {
  if (options.databaseUrl) {
    await migrate(options.databaseUrl);
    return { url: options.databaseUrl, stop: async () => undefined };
  }
  const server = await startEmbedded({ directory: options.directory, log: options.log });
  try {
    await migrate(server.url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { url: server.url, stop: () => server.stop() };
}
