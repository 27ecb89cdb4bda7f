import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestService, testService } from '../testing/service.ts';

let service: TestService;
let port: number;
beforeAll(async () => {
  service = await testService({ REQUEST_TIMEOUT_SECONDS: '1', UPLOAD_IDLE_SECONDS: '1' });
  await service.server.listen({ port: 0, host: '127.0.0.1' });
  port = (service.server.server.address() as AddressInfo).port;
});
afterAll(() => service.close());

/**
 * Sends the beginning of a request, then one byte at a time or nothing, until the service closes the connection.
 * @returns status line and body of the response
 */
async function sendSlowly(beginning: string, isIdle = false): Promise<[line: string, body: string]> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString();
  });
  // Bytes sent after the end cause a reset.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  socket.write(beginning);
  const drip = setInterval(() => isIdle || socket.write('a'), 100);
  await closed;
  clearInterval(drip);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return [head.split('\r\n')[0] ?? '', body];
}

const login = 'POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
test.each([
  ['a header that never ends', 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: '],
  ['a body of a known length', `${login}Content-Length: 900\r\n\r\n"`],
  ['a body in parts', `${login}Transfer-Encoding: chunked\r\n\r\n384\r\n"`],
])('ends %s after the configured time without logging an error', async (_, beginning) => {
  const [line, body] = await sendSlowly(beginning);
  expect(line).toBe('HTTP/1.1 408 Request Timeout');
  expect(JSON.parse(body)).toMatchObject({ code: 'REQUEST_TIMEOUT' });
  expect(service.errors).toEqual([]);
});

test('ends a slow body even when the response did not need it', async () => {
  const slow = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n';
  expect((await sendSlowly(slow))[0]).toBe('HTTP/1.1 200 OK');
});

test('ends a slow body that only claims to be part of an upload', async () => {
  const slow = `${login.replace('json', 'offset+octet-stream')}Content-Length: 900\r\n\r\n"`;
  expect((await sendSlowly(slow))[0]).toBe('HTTP/1.1 400 Bad Request');
});

test('serves others while a hundred requests are slow', async () => {
  const slow = Array.from({ length: 100 }, () => sendSlowly(`${login}Content-Length: 900\r\n\r\n"`));
  const answer = await fetch(`http://127.0.0.1:${port}/api/health`);
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  const lines = (await Promise.all(slow)).map(([line]) => line);
  expect(new Set(lines)).toEqual(new Set(['HTTP/1.1 408 Request Timeout']));
});

test('leaves no listeners on a connection with several requests', async () => {
  const listeners: number[] = [];
  service.server.server.once('connection', (socket) => {
    socket.on('data', () => listeners.push(socket.listenerCount('close')));
  });
  const socket = connect(port, '127.0.0.1');
  for (let i = 0; i < 5; i++) {
    socket.write(`${login}Content-Length: 2\r\n\r\n{}`);
    await once(socket, 'data');
  }
  socket.destroy();
  expect(listeners).toHaveLength(5);
  expect(Math.max(...listeners)).toBe(listeners[0]);
});

test('ends an upload that stops sending, which can then be resumed', async () => {
  const base = `http://127.0.0.1:${port}`;
  const authorization = `Token ${service.token}`;
  const { id: projectId } = await service.project();
  const metadata = Object.entries({ projectId, filename: 'scan.raw' });
  const headers = { authorization, 'tus-resumable': '1.0.0' };
  const created = await fetch(`${base}/api/v2/uploads`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': '10',
      'upload-metadata': metadata.map(([key, text]) => `${key} ${btoa(text)}`).join(','),
    },
  });
  const address = new URL(created.headers.get('location') ?? '');
  const part = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
  const lines = Object.entries({ host: 'localhost', ...headers, ...part, 'content-length': '10' });
  const beginning = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const [answer] = await sendSlowly(`PATCH ${address.pathname} HTTP/1.1\r\n${beginning}\r\nabcd`, true);
  expect(answer).toBe('HTTP/1.1 408 Request Timeout');
  const head = await fetch(address, { method: 'HEAD', headers });
  expect(head.headers.get('upload-offset')).toBe('4');
  const rest = { ...headers, ...part, 'upload-offset': '4' };
  expect((await fetch(address, { method: 'PATCH', headers: rest, body: 'efghij' })).status).toBe(204);
});
