/**
 * Ends requests that arrive too slowly: each would hold a connection for as long as its sender likes, and a few hundred
 * of them would keep everybody else out. An upload of a scan may take hours; whoever sends one is signed in.
 */
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Longest wait until a header that is late is noticed. */
const CHECKED_EVERY_MS = 5000;

/** Options of Node's server: a connection without a whole header is answered 408 and closed. */
export const headerLimits = (seconds: number) => ({
  headersTimeout: seconds * 1000,
  connectionsCheckingInterval: Math.min(CHECKED_EVERY_MS, seconds * 1000),
});

/** Answers 408 and closes the connection where a body that is no upload is not there in time. */
export function registerBodyLimit(app: FastifyInstance, seconds: number): void {
  app.addHook('onRequest', async ({ raw, headers }, reply) => {
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    // A test that asks without a connection has none to hold.
    if (!(raw.socket instanceof Socket)) return;
    if (!hasBody || headers['content-type'] === 'application/offset+octet-stream') return;
    const timer = setTimeout(() => {
      if (raw.complete) return;
      if (!reply.raw.headersSent)
        raw.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
      raw.socket.destroySoon();
    }, seconds * 1000);
    timer.unref();
    raw.once('end', () => clearTimeout(timer));
    raw.socket.once('close', () => clearTimeout(timer));
  });
}
