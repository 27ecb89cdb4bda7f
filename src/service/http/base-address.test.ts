import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestService, testService } from '../testing/service.ts';

/** Base of the URL of a list's second page, which is built like signed addresses and links in emails. */
const addressFor = async (service: TestService, headers: Record<string, string>): Promise<string> => {
  const url = '/api/v2/projects?page_size=1';
  const { body } = await service.ask<{ next: string }>('GET', url, undefined, {
    token: service.token,
    headers,
  });
  return body.next.replace(/\/api\/.*/, '');
};
const fill = async (service: TestService) => {
  await service.project();
  await service.project();
};

describe('without PUBLIC_URL', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await testService({ ALLOWED_HOSTS: 'ct.example.com, 203.0.113.7', PORT: '8123' });
    await fill(service);
  });
  afterAll(() => service.close());

  test.each([
    'localhost',
    'localhost:9000',
    '127.0.0.1:8080',
    '[::1]:8080',
    'ct.example.com',
    'CT.example.com:8443',
    '203.0.113.7',
    hostname().toLowerCase(),
  ])('a URL contains the known host %s', async (host) => {
    expect(await addressFor(service, { host })).toBe(`http://${host.toLowerCase()}`);
  });

  test.each([
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    'localhost@evil.example',
    'localhost:80@evil.example',
    'evil.example#localhost',
    'localhost/evil',
    'localhost\\evil.example',
    '198.51.100.1',
    'xn--lcalhost-n2a',
    '"><script>',
  ])('a URL does not contain the unknown host %j', async (host) => {
    expect(await addressFor(service, { host })).toBe('http://127.0.0.1:8123');
  });

  test('a forwarded host or protocol is ignored without a proxy', async () => {
    const headers = { host: 'localhost', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    expect(await addressFor(service, headers)).toBe('http://localhost');
  });
});

describe('behind a proxy', () => {
  test('a forwarded host is used only if it is known, and a protocol only if it is http or https', async () => {
    const service = await testService({ TRUST_PROXY: 'loopback', ALLOWED_HOSTS: 'ct.example.com' });
    await fill(service);
    const forwarded = (host: string, proto: string) =>
      addressFor(service, { host: 'localhost', 'x-forwarded-host': host, 'x-forwarded-proto': proto });
    expect(await forwarded('ct.example.com', 'https')).toBe('https://ct.example.com');
    expect(await forwarded('evil.example', 'javascript')).toBe('http://127.0.0.1:8080');
    await service.close();
  });
});

test('PUBLIC_URL is used in every URL, whatever the request contains', async () => {
  const service = await testService({ PUBLIC_URL: 'https://ct.example.com/' });
  await fill(service);
  expect(await addressFor(service, { host: 'evil.example' })).toBe('https://ct.example.com');
  await service.close();
});
