import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findDeclaration, operationIds } from '#contract/operations/all.ts';
import { listProblems } from '#contract/operations/operation.ts';
import { rateLimitHits, users } from '#storage/db/schema-accounts.ts';
import { type Asker, rightRequests } from '../testing/right-requests.ts';
import { cheapCost, password, type TestService, testService } from '../testing/service.ts';
import { owaspCost, setPasswordCost } from './passwords.ts';
import { countedAddress } from './rate-limit.ts';

let service: TestService;
beforeAll(async () => {
  // One trusted proxy allows tests to come from any address.
  service = await testService({ TRUST_PROXY: '1' });
});
afterEach(() => service.db.delete(rateLimitHits));
afterAll(() => service.close());

const signIn = async (email: string, secret: string, address: string) => {
  const headers = { 'x-forwarded-for': address };
  return (await service.ask('POST', '/api/login', { email, password: secret }, { headers })).status;
};
const countStatuses = (statuses: number[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const many = (count: number, ask: (i: number) => Promise<number>) =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(i)));

describe('signing in', () => {
  test('verifies only ten of a hundred simultaneous guesses', async () => {
    // As slow as in production, so that many are pending at a time.
    setPasswordCost(owaspCost);
    const { email } = await service.member();
    const statuses = await many(100, (i) => signIn(email, `guess number ${i}`, '192.0.2.1'));
    setPasswordCost(cheapCost);
    expect(countStatuses(statuses)).toEqual({ 401: 10, 429: 90 });
  });

  test('refuses even the right password among a hundred simultaneous guesses after ten wrong ones', async () => {
    setPasswordCost(owaspCost);
    const { email } = await service.member();
    const guesses = Array.from({ length: 100 }, (_, i) => (i < 99 ? `guess number ${i}` : password));
    const statuses = await many(100, (i) => signIn(email, guesses[i], '192.0.2.2'));
    setPasswordCost(cheapCost);
    expect(statuses.filter((status) => status === 200).length).toBe(0);
  });

  test('stays possible from another address, whatever was guessed elsewhere', async () => {
    const { email } = await service.member();
    await many(12, (i) => signIn(email, `guess number ${i}`, '192.0.2.3'));
    expect(await signIn(email, password, '192.0.2.3')).toBe(429);
    expect(await signIn(email, password, '192.0.2.4')).toBe(200);
    expect((await service.ask('GET', '/api/v2/me', undefined, { token: service.token })).status).toBe(200);
  });

  test('is limited per address over all accounts', async () => {
    const statuses = await many(100, (i) =>
      signIn(`somebody-${i}@example.com`, 'one guess each', '192.0.2.5'),
    );
    expect(countStatuses(statuses)).toEqual({ 401: 50, 429: 50 });
  });

  test('does not count right passwords: forty people in one office, and one program forty times', async () => {
    const { email } = await service.member();
    expect(countStatuses(await many(40, () => signIn(email, password, '192.0.2.6')))).toEqual({ 200: 40 });
    expect(countStatuses(await many(40, () => signIn(email, password, '192.0.2.6')))).toEqual({ 200: 40 });
  });

  test('counts an account once, in any spelling of its address', async () => {
    const { email } = await service.member();
    const spellings = [email, email.toUpperCase(), ` ${email}`];
    const statuses = await many(30, (i) => signIn(spellings[i % 3], `guess number ${i}`, '192.0.2.7'));
    expect(countStatuses(statuses)).toEqual({ 401: 10, 429: 20 });
  });

  test('counts an IPv6 network as one address, and ignores a forged X-Forwarded-For', async () => {
    const { email } = await service.member();
    const rotating = await many(20, (i) => signIn(email, `guess number ${i}`, `2001:db8:1:2::${i + 1}`));
    expect(countStatuses(rotating)).toEqual({ 401: 10, 429: 10 });
    const forging = await many(20, (i) => signIn(email, `guess number ${i}`, `198.51.100.${i}, 192.0.2.8`));
    expect(countStatuses(forging)).toEqual({ 401: 10, 429: 10 });
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:a:b:c:d:e:f', '2001:db8:a:b::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('the address %s is counted as %s', (address, counted) => {
  expect(countedAddress(address)).toBe(counted);
});

describe('without a proxy', () => {
  test('X-Forwarded-For is ignored', async () => {
    const direct = await testService();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const headers = { 'x-forwarded-for': `192.0.2.${i}` };
        const body = { email: direct.email, password: `guess number ${i}` };
        return (await direct.ask('POST', '/api/login', body, { headers })).status;
      }),
    );
    await direct.close();
    expect(countStatuses(statuses)).toEqual({ 401: 10, 429: 10 });
  });
});

describe('every operation that declares a limit', () => {
  const limited = operationIds.filter((id) => listProblems(findDeclaration(id)).includes('RATE_LIMITED'));
  /** these operations take a password and count only wrong ones */
  const wrong: Record<string, Record<string, unknown>> = {
    login: { email: 'somebody@example.com', password: 'not the password' },
    deleteAccount: { password: 'not the password' },
    passwordChange: { oldPassword: 'not the password', newPassword: 'another long password' },
  };

  test.each(limited)('%s enforces it, with Retry-After', async (id) => {
    const make = await rightRequests(service);
    const [owner] = await service.db.select().from(users);
    const asker: Asker = { id: owner.id, token: service.token };
    const { rateLimit } = findDeclaration(id);
    const allowed = rateLimit?.count ?? 10;
    const { method, url, body } = await make(id, asker);
    const ask = () => service.ask(method, url, wrong[id] ?? body, { token: service.token });
    for (let i = 0; i < allowed; i += 1) expect((await ask()).status).not.toBe(429);
    const { status, body: problem, headers } = await ask();
    expect([status, problem['code']]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(rateLimit?.seconds ?? 60);
  });
});
