/** The service process: reads settings, connects to the database, starts the application, shuts down cleanly on SIGTERM. */
import { readFileSync } from 'node:fs';
import pino from 'pino';

import { readConfig } from '#storage/config.ts';
import { openBlobStore } from '#storage/data-folder.ts';
import { connect } from '#storage/db/connection.ts';
import { signingSecret } from '#storage/db/settings.ts';
import { buildApp } from './app.ts';
import { AddressSigner } from './http/signed-address.ts';

const config = readConfig();
const log = pino({ level: config.logLevel, base: { process: 'service' } });
if (config.databaseUrl === undefined) {
  log.fatal('the service needs DATABASE_URL; npm start sets it to the built-in PostgreSQL');
  process.exit(1);
}
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const onError = (err: Error) => log.warn({ err }, 'database connection lost');
const connection = connect(config.databaseUrl, { max: 20, applicationName: 'scanwright service', onError });
const { db } = connection;
const blobs = await openBlobStore(config);
const addresses = new AddressSigner(await signingSecret(db));
const server = await buildApp({ config, connection, db, blobs, addresses, log, version });

let isEnding = false;
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  // Don't let requests on broken connections keep the process alive.
  setTimeout(() => process.exit(0), 4000).unref();
  await server.close();
  await connection.close();
  process.exit(0);
}
process.on('SIGTERM', end);
process.on('SIGINT', end);

try {
  await server.listen({ host: config.host, port: config.port });
} catch (error) {
  const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  log.fatal(
    isTaken
      ? `port ${config.port} on ${config.host} is in use: set PORT to another one`
      : (error as Error).message,
  );
  process.exit(1);
}
const address = server.server.address();
process.send?.({ type: 'listening', port: typeof address === 'object' ? address?.port : config.port });
