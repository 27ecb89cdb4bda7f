/**
 * Responds to requests that Node's parser refused or that did not arrive in time. No route, hook or error handler sees
 * these, so the response is written to the socket directly.
 */
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from './problem.ts';

/** Sends the problem as the last response on a connection and closes it. */
export function refuseConnection(socket: Socket, problem: Problem): void {
  const body = JSON.stringify(problem.body());
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}

export const tooSlow = () =>
  new Problem('REQUEST_TIMEOUT', 'the request did not arrive in time; send it again');

/** @param code error code reported by Node's server */
function explainRefusal(code: string | undefined): Problem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return tooSlow();
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(
        'HEADERS_TOO_LARGE',
        `address and headers of the request have more than ${maxHeaderSize / 1024} KiB; send fewer or shorter ones`,
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('PAYLOAD_TOO_LARGE', 'the extensions of the body’s chunks are larger than allowed');
    default:
      return new Problem(
        'MALFORMED_REQUEST',
        'this is no HTTP request that can be read: check its first line, its headers and the length of its body',
      );
  }
}

/** Handler for Fastify's option `clientErrorHandler`. */
export function answerClientError({ code }: { code?: string }, socket: Socket): void {
  // After a reset, nobody is left to read a response.
  if (code === 'ECONNRESET' || socket.destroyed) return;
  refuseConnection(socket, explainRefusal(code));
}
