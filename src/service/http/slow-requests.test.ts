import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestService, testService } from '../testing/service.ts';

let service: TestService;
let port: number;
beforeAll(async () => {
  service = await testService({ REQUEST_TIMEOUT_SECONDS: '1' });
  await service.server.listen({ port: 0, host: '127.0.0.1' });
  port = (service.server.server.address() as AddressInfo).port;
});
afterAll(() => service.close());

/** Sends the beginning, then one byte at a time until the service closes the connection; what it answered. */
async function sendSlowly(beginning: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString();
  });
  // Bytes that come after the end are answered with a reset.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  socket.write(beginning);
  const drip = setInterval(() => socket.write('a'), 100);
  await closed;
  clearInterval(drip);
  return answer.split('\r\n')[0];
}

const login = 'POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
test.each([
  ['a header that never ends', 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: '],
  ['a body of a known length', `${login}Content-Length: 900\r\n\r\n"`],
  ['a body in parts', `${login}Transfer-Encoding: chunked\r\n\r\n384\r\n"`],
])('ends %s after the time that is set, and logs no failure of its own', async (_, beginning) => {
  expect(await sendSlowly(beginning)).toBe('HTTP/1.1 408 Request Timeout');
  expect(service.errors).toEqual([]);
});

test('ends what follows an answer that needed no body', async () => {
  const slow = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n';
  expect(await sendSlowly(slow)).toBe('HTTP/1.1 200 OK');
});

test('serves others meanwhile, though a hundred are slow', async () => {
  const slow = Array.from({ length: 100 }, () => sendSlowly(`${login}Content-Length: 900\r\n\r\n"`));
  const answer = await fetch(`http://127.0.0.1:${port}/api/health`);
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  expect(new Set(await Promise.all(slow))).toEqual(new Set(['HTTP/1.1 408 Request Timeout']));
});
