/** Properties of every response, whichever operation returns it: encoding, request id, address, security policy. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findDeclaration, operationIds } from '#contract/operations/all.ts';
import { Problem } from '#contract/shapes/problem.ts';
import { type TestService, testService } from '../testing/service.ts';

let service: TestService;
let base: string;
beforeAll(async () => {
  service = await testService();
  for (let i = 0; i < 5; i += 1) await service.project();
  base = await service.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => service.close());

const authorized = (headers: Record<string, string> = {}) => ({
  authorization: `Token ${service.token}`,
  ...headers,
});
const inject = (url: string, headers: Record<string, string> = {}) =>
  service.server.inject({ url, headers: authorized(headers) });

describe('a response of more than a kilobyte', () => {
  const unpack = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };

  test.each(['zstd', 'br', 'gzip'] as const)(
    'is compressed with %s for clients that accept it',
    async (encoding) => {
      const answer = await inject('/api/v2/projects', { 'accept-encoding': encoding });
      expect(answer.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
      const text = String(unpack[encoding](answer.rawPayload));
      expect(JSON.parse(text).count).toBe(5);
      expect(answer.rawPayload.length).toBeLessThan(text.length / 2);
    },
  );

  test('is not compressed for clients that accept no encoding; neither are short responses', async () => {
    const plain = await inject('/api/v2/projects', { 'accept-encoding': 'identity' });
    expect([plain.headers['content-encoding'], plain.json().count]).toEqual([undefined, 5]);
    const short = await inject('/api/health', { 'accept-encoding': 'gzip' });
    expect([short.headers['content-encoding'], short.json().status]).toEqual([undefined, 'ok']);
  });

  test('is not compressed when it is an event stream', async () => {
    const stop = new AbortController();
    const headers = authorized({ 'accept-encoding': 'gzip, br, zstd' });
    const answer = await fetch(`${base}/api/v2/events`, { headers, signal: stop.signal });
    expect([answer.headers.get('content-type'), answer.headers.get('content-encoding')]).toEqual([
      'text/event-stream; charset=utf-8',
      null,
    ]);
    stop.abort();
  });
});

describe('X-Request-Id', () => {
  test('sent by a caller is kept', async () => {
    const answer = await inject('/api/health', { 'x-request-id': 'trace:4711-a/b.c' });
    expect(answer.headers['x-request-id']).toBe('trace:4711-a/b.c');
  });

  test.each(['', 'a b', 'x'.repeat(129), 'a"b', 'é', '{"a":1}', '%0d%0aSet-Cookie'])(
    'is replaced when a caller sends %j',
    async (id) => {
      const answer = await inject('/api/health', { 'x-request-id': id });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('a slash at the end of a path', () => {
  test.each(['/api/v2/projects/', '/api/health/', '/api/v2/me/', '/api/v2/projects/?page_size=1'])(
    '%s works as without it',
    async (url) => {
      expect((await inject(url)).statusCode).toBe(200);
    },
  );

  test('also works for the methods listed with a 405', async () => {
    const answer = await service.ask('PUT', '/api/v2/projects/', {}, { token: service.token });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('a hostile query value', () => {
  const hostile = [
    '["\\u0000"]',
    '["a","\\ud800"]',
    '[["\\u0000"]]',
    '[{"\\u0000":1}]',
    '\u0000',
    'a\u0000b',
    `${'['.repeat(5000)}${']'.repeat(5000)}`,
    '[1e999]',
  ];
  const asked = operationIds.filter((id) => {
    const { method, path, raw } = findDeclaration(id);
    return method === 'GET' && !path.includes('{') && !raw;
  });

  test.each(asked)('is refused by %s for any query name, and causes no failure', async (id) => {
    const { path, query } = findDeclaration(id);
    for (const name of [...Object.keys(query?.shape ?? {}), 'unknown'])
      for (const value of hostile) {
        const answer = await inject(`${path}?${name}=${encodeURIComponent(value)}`);
        const wanted = value.includes('\0') ? [400] : [200, 400];
        expect([name, value, wanted.includes(answer.statusCode)]).toEqual([name, value, true]);
      }
    expect(service.errors).toEqual([]);
  });
});

test.each(['["\\u0000"]', '["a","\\ud800"]', '["a\\u0000"]'])('the tag %s is refused', async (tag) => {
  const answer = await inject(`/api/v2/projects?tag=${encodeURIComponent(tag)}`);
  expect([answer.statusCode, answer.json().field]).toEqual([400, 'tag']);
});

test('the content security policy names no other origin', async () => {
  const { headers } = await inject('/api/docs');
  const policy = String(headers['content-security-policy']);
  expect(policy).not.toMatch(/https?:/);
  expect(policy).not.toContain('*');
  expect(policy).toContain("default-src 'self'");
});

test('413 reaches a client that sends the whole body before it reads', async () => {
  const body = Buffer.alloc(30_000_000, 'a');
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  // If the connection is closed meanwhile, the write callback reports it.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  const failure = await new Promise((resolve) => socket.write(body, resolve));
  expect(failure ?? undefined).toBeUndefined();
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString().split('\r\n')[0]).toBe('HTTP/1.1 413 Payload Too Large');
  socket.destroy();
});

test.each(['?__proto__=1', '?__proto__=1&__proto__=2', '?constructor=1'])(
  'the query %s is refused because of its name',
  async (query) => {
    const { statusCode, body } = await inject(`/api/v2/projects${query}`);
    expect([statusCode, JSON.parse(body).code]).toEqual([400, 'VALIDATION_FAILED']);
  },
);

/** Sends raw text on a new connection and returns everything received until the service closes it. */
async function sendRaw(request: string): Promise<{ status: string; body: unknown }> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(request);
  await closed;
  const [head = '', body = ''] = Buffer.concat(parts).toString().split('\r\n\r\n');
  expect(head).toContain(`\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`);
  return { status: head.split('\r\n')[0] ?? '', body: JSON.parse(body) };
}

test.each([
  ['a malformed request line', 'hello\r\n\r\n', '400 Bad Request', 'MALFORMED_REQUEST'],
  ['an unknown method', 'GRAB / HTTP/1.1\r\nHost: x\r\n\r\n', '400 Bad Request', 'MALFORMED_REQUEST'],
  [
    'a non-numeric length',
    'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n',
    '400 Bad Request',
    'MALFORMED_REQUEST',
  ],
  [
    'headers of 20 kB',
    `GET /api/health HTTP/1.1\r\nHost: x\r\nCookie: ${'a'.repeat(20_000)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
    'HEADERS_TOO_LARGE',
  ],
  [
    'an address of 20 kB',
    `GET /api/health?${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    '431 Request Header Fields Too Large',
    'HEADERS_TOO_LARGE',
  ],
])('an unreadable request gets a problem like any other: %s', async (_, request, status, code) => {
  const answer = await sendRaw(request);
  expect(answer.status).toBe(`HTTP/1.1 ${status}`);
  expect(Problem.parse(answer.body)).toEqual({ code, detail: expect.stringMatching(/^[a-z].{20,}[^.]$/) });
  expect(service.errors).toEqual([]);
});
