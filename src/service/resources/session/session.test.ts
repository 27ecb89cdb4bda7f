import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { rateLimitHits, tokens } from '#storage/db/schema-accounts.ts';
import { owaspCost, setPasswordCost } from '../../http/passwords.ts';
import { cheapCost, password, type TestService, testService } from '../../testing/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterEach(() => service.db.delete(rateLimitHits));
afterAll(() => service.close());

const signIn = (email: string, secret: string, headers: Record<string, string> = {}) =>
  service.ask('POST', '/api/login', { email, password: secret }, { headers });

describe('login', () => {
  test('returns a token that works as Token and as Bearer, for an address in any case', async () => {
    const { status, body } = await signIn(service.email.toUpperCase(), password);
    expect(status).toBe(200);
    for (const scheme of ['Token', 'Bearer', 'token']) {
      const headers = { authorization: `${scheme} ${body['token']}` };
      expect((await service.ask('GET', '/api/v2/me', undefined, { headers })).status).toBe(200);
    }
  });

  test('returns the same response for a wrong password and for an unknown account', async () => {
    const wrong = await signIn(service.email, 'wrong password');
    const unknown = await signIn('nobody@example.com', 'wrong password');
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(unknown.body).toEqual(wrong.body);
  });

  test('takes equally long for an unknown account', async () => {
    setPasswordCost(owaspCost);
    onTestFinished(() => setPasswordCost(cheapCost));
    const { email } = await service.member();
    const least = { [email]: Number.POSITIVE_INFINITY, 'nobody@example.com': Number.POSITIVE_INFINITY };
    // CPU time, minimum of five, interleaved: other load on the machine only makes runs longer, never shorter.
    for (let i = 0; i < 5; i += 1) {
      for (const [account, before] of Object.entries(least)) {
        const start = process.cpuUsage();
        await signIn(account, 'wrong password');
        const { user, system } = process.cpuUsage(start);
        least[account] = Math.min(before, user + system);
      }
    }
    expect(least['nobody@example.com']).toBeGreaterThan(least[email] / 2);
  });

  test('is refused after ten failures of an account from one address, even with the right password, with the time to wait', async () => {
    const { email } = await service.member();
    const tries = [];
    for (let i = 0; i < 11; i += 1) tries.push((await signIn(email, `guess ${i}`)).status);
    expect(tries).toEqual([...Array(10).fill(401), 429]);
    const { status, body, headers } = await signIn(email, password);
    expect([status, body['code']]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  test('stores only the hash of a token', async () => {
    const { body } = await signIn(service.email, password);
    const rows = await service.db.select().from(tokens);
    expect(JSON.stringify(rows)).not.toContain(body['token']);
  });
});

test('logout revokes this token and no other', async () => {
  const first = (await signIn(service.email, password)).body['token'] as string;
  const second = (await signIn(service.email, password)).body['token'] as string;
  expect((await service.ask('POST', '/api/v2/logout', undefined, { token: first })).status).toBe(204);
  expect((await service.ask('GET', '/api/v2/me', undefined, { token: first })).status).toBe(401);
  expect((await service.ask('GET', '/api/v2/me', undefined, { token: second })).status).toBe(200);
});

test('a token that has expired is refused', async () => {
  const token = (await signIn(service.email, password)).body['token'] as string;
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256').update(token).digest('hex');
  await service.db
    .update(tokens)
    .set({ expiresAt: new Date(Date.now() - 1000) })
    .where(eq(tokens.hash, hash));
  expect((await service.ask('GET', '/api/v2/me', undefined, { token })).status).toBe(401);
});

describe('passwordChange', () => {
  test('revokes every other token of the user and activates the new password', async () => {
    const { email, token } = await service.member();
    const other = (await signIn(email, password)).body['token'] as string;
    const body = { oldPassword: password, newPassword: 'another long password' };
    expect((await service.ask('POST', '/api/v2/passwordChange', body, { token })).status).toBe(204);
    expect((await service.ask('GET', '/api/v2/me', undefined, { token })).status).toBe(200);
    expect((await service.ask('GET', '/api/v2/me', undefined, { token: other })).status).toBe(401);
    expect((await signIn(email, password)).status).toBe(401);
    expect((await signIn(email, 'another long password')).status).toBe(200);
  });

  test.each([
    [{ oldPassword: 'not the old one', newPassword: 'another long password' }, 'oldPassword'],
    [{ oldPassword: password, newPassword: 'short' }, 'newPassword'],
    [{ oldPassword: password, newPassword: password }, 'newPassword'],
    [{ oldPassword: password }, 'newPassword'],
  ])('names the invalid field: %j', async (body, field) => {
    const { status, body: problem } = await service.ask('POST', '/api/v2/passwordChange', body, {
      token: service.token,
    });
    expect([status, problem['code'], problem['field']]).toEqual([400, 'VALIDATION_FAILED', field]);
  });
});

test('a read-only personal token is refused for changes', async () => {
  const made = await service.ask(
    'POST',
    '/api/v2/accessTokens',
    { name: 'reports' },
    { token: service.token },
  );
  expect(made.status).toBe(201);
  const token = made.body['token'] as string;
  expect((await service.ask('GET', '/api/v2/projects', undefined, { token })).status).toBe(200);
  const input = { workspaceId: service.workspaceId, name: 'a' };
  const refused = await service.ask('POST', '/api/v2/projects', input, { token });
  expect([refused.status, refused.body['code']]).toEqual([403, 'PERMISSION_DENIED']);
  const url = `/api/v2/accessTokens/${made.body['id']}`;
  expect((await service.ask('DELETE', url, undefined, { token: service.token })).status).toBe(204);
  expect((await service.ask('GET', '/api/v2/projects', undefined, { token })).status).toBe(401);
});
