/**
 * Ends requests that arrive too slowly: each would occupy a connection as long as its sender likes, and a few hundred of
 * them would lock out everyone else. An upload may take hours, but must keep sending.
 */
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { findDeclaration } from '#contract/operations/all.ts';
import type { Config } from '#storage/config.ts';
import { refuseConnection, tooSlow } from './refuse-connection.ts';

const uploadsPath = findDeclaration('createUpload').path;

/** Interval at which late headers are checked. */
const CHECKED_EVERY_MS = 5000;

/** A body that is too large is read and discarded up to this size. */
const READ_AWAY_BYTES = 256 * 1024 * 1024;

/** Options of Node's server: a connection without a complete header gets a 408 and is closed. */
export const headerLimits = (seconds: number) => ({
  headersTimeout: seconds * 1000,
  connectionsCheckingInterval: Math.min(CHECKED_EVERY_MS, seconds * 1000),
});

/**
 * Responds with 408 and closes the connection when a body does not arrive in time, or when an upload, which has no time
 * limit, is idle for too long.
 */
export function registerBodyLimit(
  app: FastifyInstance,
  { requestTimeoutSeconds, uploadIdleSeconds }: Pick<Config, 'requestTimeoutSeconds' | 'uploadIdleSeconds'>,
): void {
  app.addHook('onRequest', async ({ raw, headers, url }, reply) => {
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    const { socket } = raw;
    // Requests injected by tests have no connection.
    if (!(socket instanceof Socket) || !hasBody) return;
    const end = () => {
      if (raw.complete) return;
      if (reply.raw.headersSent) socket.destroySoon();
      else refuseConnection(socket, tooSlow());
    };
    if (url.startsWith(uploadsPath) && headers['content-type'] === 'application/offset+octet-stream') {
      socket.setTimeout(uploadIdleSeconds * 1000);
      raw.once('timeout', end);
      // Processing after the last byte has no limit.
      raw.once('end', () => socket.setTimeout(0));
      return;
    }
    const timer = setTimeout(end, requestTimeoutSeconds * 1000);
    timer.unref();
    // Also when the connection breaks. The connection itself serves many requests.
    raw.once('close', () => clearTimeout(timer));
  });
}

/**
 * Allows a client to finish sending a body that is too large: most clients read the response only then, and would otherwise
 * report just a broken connection. The time limit for bodies still applies.
 */
export function registerTooLarge(app: FastifyInstance): void {
  app.addHook('onSend', async ({ raw }, reply) => {
    const length = Number(raw.headers['content-length']);
    if (reply.statusCode === 413 && length <= READ_AWAY_BYTES) reply.removeHeader('connection');
  });
}
