/** The database of an installation: the built-in server, or the one that the operator names. */

import { migrate } from '../migrate.ts';
import { startEmbedded } from './embedded.ts';

export interface DatabaseOptions {
  /** a PostgreSQL 15 or newer; without it the built-in server is started in `directory` */
  databaseUrl?: string | undefined;
  /** of the built-in server, such as <data folder>/postgres */
  directory: string;
  log?: (line: string) => void;
}

export interface RunningDatabase {
  readonly url: string;
  /** Ends the built-in server; nothing to do for one that isn't ours. */
  stop(): Promise<void>;
}

/**
 * Starts (or reaches) the database and brings it to the current schema.
 *
 * @throws DatabaseUnavailable with one line for the operator
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
