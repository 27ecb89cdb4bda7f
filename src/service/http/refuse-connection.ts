/**
 * Answers what never became a request: Node's parser refused it, or it did not arrive in time. No route, hook or error
 * handler sees these, so the answer goes to the connection itself.
 */
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from './problem.ts';

/** Sends the problem as the last answer of a connection, which is closed then. */
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

/** @param code of the error that Node's server tells of a connection */
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

/** Of Fastify's option `clientErrorHandler`. */
export function answerClientError({ code }: { code?: string }, socket: Socket): void {
  // Of a connection that was reset nobody is left to read an answer.
  if (code === 'ECONNRESET' || socket.destroyed) return;
  refuseConnection(socket, explainRefusal(code));
}
