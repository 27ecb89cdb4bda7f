import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimStore, MARK } from '#storage/claim-store.ts';
import { buildWhatIsNeeded } from '../../build.ts';
import { type TestService, testService } from '../testing/service.ts';

let service: TestService;
beforeAll(async () => {
  buildWhatIsNeeded(() => undefined);
  service = await testService();
}, 180_000);
afterAll(() => service.close());

const open = (url: string, headers: Record<string, string> = {}) => service.server.inject({ url, headers });
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** Paths of all dashboard pages, from their route files, with parameters replaced by an id. */
const pagePaths = readdirSync('src/web/routes')
  .filter((name) => name.endsWith('.tsx'))
  .flatMap((name) => {
    const route = name
      .replace(/\.tsx$/, '')
      .replace(/^_app\.?/, '')
      .replace(/\.?index$/, '');
    return name === '_app.tsx' || name === '__root.tsx' ? [] : [`/${route.replaceAll('.', '/')}`];
  })
  .map((path) => path.replaceAll(/\$\w+/g, '3f2b8c1e-5d0a-4b6f-9a70-0c1d2e3f4a5b'));

describe('a page of the dashboard', () => {
  test.each(pagePaths)('%s is served, with and without a trailing slash', async (path) => {
    for (const url of [path, `${path}/`.replace('//', '/'), `${path}?tab=x`]) {
      const answer = await open(url);
      expect([url, answer.statusCode]).toEqual([url, 200]);
      expect(answer.body).toContain('<div id="root">');
    }
  });
});

test('the page contains no development build of React, whoever built it', () => {
  const scripts = readdirSync('dist/web/assets').filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(0);
  for (const name of scripts)
    expect(readFileSync(`dist/web/assets/${name}`, 'utf8')).not.toContain('react_stack_bottom_frame');
});

test('each file and page is sent once', async () => {
  for (const url of ['/', '/nowhere']) await open(url, browser);
  expect(service.warnings).toEqual([]);
});

describe('a path that is not a page', () => {
  test.each([
    '/healthz',
    '/metricsx',
    '/projects/a/b',
    '/.env',
    '/.git/config',
    '/index.php',
    '/assets/x.js',
    '/wp-login',
    '/%00',
    '/..%2f..%2fpackage.json',
    '/pages.json',
    '/projects/..%2f..%2f..%2fpackage.json/x',
  ])('%s is not found', async (path) => {
    const asked = await open(path);
    expect([asked.statusCode, asked.json().code]).toEqual([404, 'NOT_FOUND']);
    expect((await open(path, browser)).statusCode).toBe(404);
  });

  test('shows the not-found page in a browser', async () => {
    const answer = await open('/nowhere', browser);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(answer.body).toContain('<div id="root">');
  });
});

describe('a file of the dashboard', () => {
  let script: string | undefined;
  let plain: Buffer;
  beforeAll(() => {
    // The only script referenced by the page itself.
    script = /src="\/assets\/([^"]+\.js)"/.exec(readFileSync('dist/web/index.html', 'utf8'))?.[1];
    plain = readFileSync(`dist/web/assets/${script}`);
  });

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is sent as compressed by the build, with %s', async (encoding, unpack) => {
    const answer = await open(`/assets/${script}`, { 'accept-encoding': encoding });
    expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([200, encoding]);
    expect(unpack(answer.rawPayload).equals(plain)).toBe(true);
    expect(answer.headers['cache-control']).toContain('immutable');
    expect(answer.headers['vary']).toMatch(/accept-encoding/i);
  });

  test('is sent uncompressed to clients that accept no encoding', async () => {
    const answer = await open(`/assets/${script}`);
    expect([answer.headers['content-encoding'], answer.rawPayload.equals(plain)]).toEqual([undefined, true]);
  });
});

describe('the probes', () => {
  test('report that the process is alive and ready', async () => {
    expect((await open('/livez')).json()).toEqual({ status: 'ok' });
    expect((await open('/readyz')).json()).toEqual({
      status: 'ok',
      checks: { database: 'ok', migrations: 'ok', store: 'ok' },
    });
  });

  test('report a missing file store and a database of another version', async () => {
    await service.blobs.delete(MARK);
    const without = await open('/readyz');
    expect([without.statusCode, without.json().field]).toEqual([503, 'store']);
    expect((await open('/livez')).statusCode).toBe(200);
    await service.db.execute("delete from settings where key = 'storeClaimed'");
    await claimStore(service.db, service.blobs, service.config);
    expect((await open('/readyz')).statusCode).toBe(200);
    await service.db.execute(
      "insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)",
    );
    const later = await open('/readyz');
    expect([later.statusCode, later.json().field]).toEqual([503, 'migrations']);
    await service.db.execute("delete from drizzle.__drizzle_migrations where hash = 'later'");
  });
});
