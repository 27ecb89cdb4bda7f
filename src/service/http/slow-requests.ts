/**
 * Ends requests that arrive too slowly: each would hold a connection for as long as its sender likes, and a few hundred
 * of them would keep everybody else out. An upload of a scan may take hours, but not without sending anything.
 */
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { findDeclaration } from '#contract/operations/all.ts';
import type { Config } from '#storage/config.ts';
import { refuseConnection, tooSlow } from './refuse-connection.ts';

const uploadsPath = findDeclaration('createUpload').path;

/** Longest wait until a header that is late is noticed. */
const CHECKED_EVERY_MS = 5000;

/** Up to here a body that is too large is read to its end, and thrown away. */
const READ_AWAY_BYTES = 256 * 1024 * 1024;

/** Options of Node's server: a connection without a whole header is answered 408 and closed. */
export const headerLimits = (seconds: number) => ({
  headersTimeout: seconds * 1000,
  connectionsCheckingInterval: Math.min(CHECKED_EVERY_MS, seconds * 1000),
});

/**
 * Answers 408 and closes the connection where a body is not there in time; of an upload, which takes as long as it
 * needs, where nothing comes for a while.
 */
export function registerBodyLimit(
  app: FastifyInstance,
  { requestTimeoutSeconds, uploadIdleSeconds }: Pick<Config, 'requestTimeoutSeconds' | 'uploadIdleSeconds'>,
): void {
  app.addHook('onRequest', async ({ raw, headers, url }, reply) => {
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    const { socket } = raw;
    // A test that asks without a connection has none to hold.
    if (!(socket instanceof Socket) || !hasBody) return;
    const end = () => {
      if (raw.complete) return;
      if (reply.raw.headersSent) socket.destroySoon();
      else refuseConnection(socket, tooSlow());
    };
    if (url.startsWith(uploadsPath) && headers['content-type'] === 'application/offset+octet-stream') {
      socket.setTimeout(uploadIdleSeconds * 1000);
      raw.once('timeout', end);
      // What is done after the last byte takes its time.
      raw.once('end', () => socket.setTimeout(0));
      return;
    }
    const timer = setTimeout(end, requestTimeoutSeconds * 1000);
    timer.unref();
    // Also where the connection breaks; the connection itself carries many requests.
    raw.once('close', () => clearTimeout(timer));
  });
}

/**
 * Lets a client send its body to the end where that is too large: most read the answer only then, and of a connection
 * that is closed before they know nothing but that it broke. The time that a body may take holds for it all the same.
 */
export function registerTooLarge(app: FastifyInstance): void {
  app.addHook('onSend', async ({ raw }, reply) => {
    const length = Number(raw.headers['content-length']);
    if (reply.statusCode === 413 && length <= READ_AWAY_BYTES) reply.removeHeader('connection');
  });
}
