/** Sessions, password resets, password strength, and audit log entries about accounts. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { like } from 'drizzle-orm';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { AuditEntry } from '#contract/shapes/account.ts';
import type { OpenSession } from '#contract/shapes/session.ts';
import { passwordResets, rateLimitHits } from '#storage/db/schema-accounts.ts';
import { findPasswordFault } from '../../http/password-strength.ts';
import { password, type TestService, testService } from '../../testing/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.close());

const as = (token: string) => ({ token });
const signIn = async (email: string, userAgent = 'a browser') =>
  (
    await service.ask<{ token: string }>(
      'POST',
      '/api/login',
      { email, password },
      { headers: { 'user-agent': userAgent } },
    )
  ).body.token;
type Session = z.infer<typeof OpenSession>;
const sessions = async (token: string) =>
  (await service.ask<{ results: Session[] }>('GET', '/api/v2/sessions', undefined, as(token))).body.results;
const isSignedIn = async (token: string) =>
  (await service.ask('GET', '/api/v2/me', undefined, as(token))).status === 200;

describe('sessions', () => {
  test('are listed with their origin, and the current one is marked', async () => {
    const { email, token } = await service.member();
    await signIn(email, `Firefox/146 ${'x'.repeat(1000)}`);
    const list = await sessions(token);
    expect(list).toHaveLength(2);
    expect(list.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    const [there] = list.filter(({ isCurrent }) => !isCurrent);
    expect(there).toMatchObject({ address: '127.0.0.1', lastUsedAt: null });
    expect(there.userAgent).toHaveLength(300);
    expect(JSON.stringify(list)).not.toContain(token);
  });

  test('can be ended one by one, or all except the current one; access tokens remain', async () => {
    const { email, token } = await service.member();
    const [second, third] = [await signIn(email), await signIn(email)];
    const made = await service.ask<{ token: string }>(
      'POST',
      '/api/v2/accessTokens',
      { name: 't' },
      as(token),
    );
    const current = (await sessions(second)).find(({ isCurrent }) => isCurrent) as Session;
    const url = `/api/v2/sessions/${current.id}`;
    expect((await service.ask('DELETE', url, undefined, as(token))).status).toBe(204);
    expect([await isSignedIn(second), await isSignedIn(third)]).toEqual([false, true]);
    expect((await service.ask('DELETE', '/api/v2/sessions', undefined, as(token))).status).toBe(204);
    expect([await isSignedIn(third), await isSignedIn(token), await isSignedIn(made.body.token)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('do not include those of other users, or access tokens', async () => {
    const [mine, theirs] = [await service.member(), await service.member()];
    const [{ id }] = await sessions(theirs.token);
    const end = (each: string, of = 'sessions') =>
      service.ask('DELETE', `/api/v2/${of}/${each}`, undefined, as(mine.token));
    expect((await end(id)).status).toBe(404);
    const made = await service.ask<{ id: string }>(
      'POST',
      '/api/v2/accessTokens',
      { name: 't' },
      as(mine.token),
    );
    expect((await end(made.body.id)).status).toBe(404);
    const [{ id: own }] = await sessions(mine.token);
    expect((await end(own, 'accessTokens')).status).toBe(404);
    expect(await isSignedIn(theirs.token)).toBe(true);
  });
});

test('concurrent requests delete an account once, and the others get a 401', async () => {
  const { token } = await service.member();
  const remove = () => service.ask('POST', '/api/v2/accountDeletion', { password }, as(token));
  const statuses = (await Promise.all([1, 2, 3, 4].map(remove))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([204, 401, 401, 401]);
  expect(service.errors).toEqual([]);
});

describe('a password', () => {
  test.each([
    ['password123', /easy to guess/],
    ['Password1!', /easy to guess/],
    ['P@ssw0rd123', /easy to guess/],
    ['qwertyuiop', /easy to guess/],
    ['1234567890', /easy to guess/],
    ['iloveyou123', /easy to guess/],
    ['letmein2024', /easy to guess/],
    ['scanwright', /easy to guess/],
    ['passwordpassword', /too easy to guess/],
    ['aaaaaaaaaaaa', /too easy to guess/],
    ['short-one', /at least 10 characters/],
    ['IDA.Inspector@example.com', /is the email address/],
  ])('%s is refused', async (chosen, reason) => {
    expect(await findPasswordFault(chosen, 'ida.inspector@example.com')).toMatch(reason);
  });

  test.each([
    'Xk3-9fQ_p2',
    'Tz8!rm04qLe',
    'correct horse',
    'a long enough password',
    'Gehäuse-Prüfung',
    '🔒🔒🔒abcdef',
  ])('%s is accepted', async (chosen) => {
    expect(await findPasswordFault(chosen, 'ida.inspector@example.com')).toBeUndefined();
  });

  test('is checked wherever one is chosen', async () => {
    const weak = 'password123';
    const organization = `/api/v2/organizations/${service.organizationId}`;
    const invited = await service.ask<{ token: string }>(
      'POST',
      `${organization}/invitations`,
      { email: 'weak@example.com', sendMail: false },
      as(service.token),
    );
    const { token } = await service.member();
    const answers = [
      await service.ask(
        'POST',
        `${organization}/members`,
        { email: 'w@example.com', password: weak },
        as(service.token),
      ),
      await service.ask('POST', '/api/invitation/accept', { token: invited.body.token, password: weak }),
      await service.ask(
        'POST',
        '/api/v2/passwordChange',
        { oldPassword: password, newPassword: weak },
        as(token),
      ),
    ];
    for (const { status, body } of answers)
      expect([status, body['code'], String(body['detail']).includes('easy to guess')]).toEqual([
        400,
        'VALIDATION_FAILED',
        true,
      ]);
  });
});

describe('a forgotten password', () => {
  test('creates no link when email is not set up, which only the health of the service reveals', async () => {
    const { status } = await service.ask('POST', '/api/passwordReset/request', { email: service.email });
    expect([status, await service.db.select().from(passwordResets)]).toEqual([204, []]);
    expect((await service.ask('GET', '/api/health')).body['sendsMail']).toBe(false);
  });

  test('is not reset by an invalid token', async () => {
    const answer = {
      token: 'sw_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      newPassword: 'a password that holds',
    };
    const { status, body } = await service.ask('POST', '/api/passwordReset', answer);
    expect([status, body['code']]).toEqual([404, 'NOT_FOUND']);
  });

  describe('with mail', () => {
    let mailing: TestService;
    let mails: { to: string; text: string }[];
    let server: SMTPServer;
    beforeAll(async () => {
      mails = [];
      server = new SMTPServer({
        disabledCommands: ['AUTH', 'STARTTLS'],
        onData(stream, session, done) {
          stream.toArray().then((parts: Buffer[]) => {
            const text = Buffer.concat(parts).toString().replaceAll('=\r\n', '');
            mails.push({ to: session.envelope.rcptTo[0].address, text });
            done();
          }, done);
        },
      });
      server.listen(0, '127.0.0.1');
      await once(server.server, 'listening');
      const { port } = server.server.address() as AddressInfo;
      mailing = await testService({ SMTP_URL: `smtp://127.0.0.1:${port}` });
    });
    afterAll(async () => {
      await mailing.close();
      await new Promise<void>((resolve) => server.close(resolve));
    });
    const request = async (email: string, headers: Record<string, string> = {}) => {
      await mailing.db.delete(rateLimitHits).where(like(rateLimitHits.key, 'requestPasswordReset%'));
      return mailing.ask('POST', '/api/passwordReset/request', { email }, { headers });
    };
    const arrived = (email: string, count: number) =>
      expect.poll(() => mails.filter(({ to }) => to === email).length).toBe(count);

    test('is reset once by the emailed link, which ends every session and earlier links', async () => {
      const { email, token } = await mailing.member();
      await request(email);
      await arrived(email, 1);
      await request(` ${email.toUpperCase()}`);
      await arrived(email, 2);
      const links = mails.filter(({ to }) => to === email).map(({ text }) => /#(sw_[\w-]+)/.exec(text)?.[1]);
      const set = (link: string | undefined) =>
        mailing.ask('POST', '/api/passwordReset', { token: link, newPassword: 'a password that holds' });
      const answers = [await set(links[0]), await set(links[1]), await set(links[1])];
      expect(answers.map(({ status }) => status)).toEqual([404, 204, 404]);
      expect((await mailing.ask('GET', '/api/v2/me', undefined, as(token))).status).toBe(401);
      const login = { email, password: 'a password that holds' };
      expect((await mailing.ask('POST', '/api/login', login)).status).toBe(200);
    });

    test('links to this service, whatever host the request named', async () => {
      const { email } = await mailing.member();
      await request(email, { host: 'evil.example', 'x-forwarded-host': 'evil.example' });
      await arrived(email, 1);
      const mail = mails.find(({ to }) => to === email);
      expect(mail?.text).not.toContain('evil.example');
      expect(mail?.text).toContain('http://127.0.0.1:8080/reset-password#sw_');
    });

    test('limits emails per account, and gets the same response with and without an account', async () => {
      const { email } = await mailing.member();
      const answers = [];
      for (const each of [email, email, email, email, email, 'nobody@example.com'])
        answers.push(await request(each));
      for (const { status, text } of answers) expect([status, text]).toEqual([204, '']);
      // An email to another account arrived, so no further one to the first is pending.
      const last = await mailing.member();
      await request(last.email);
      await arrived(last.email, 1);
      await arrived(email, 3);
      await arrived('nobody@example.com', 0);
    });

    test('takes equally long to request with and without an account', async () => {
      const least = {
        [mailing.email]: Number.POSITIVE_INFINITY,
        'nobody@example.com': Number.POSITIVE_INFINITY,
      };
      // Minimum of twenty, interleaved: a busy machine only makes runs longer, never shorter.
      for (let i = 0; i < 20; i += 1)
        for (const [email, before] of Object.entries(least)) {
          await mailing.db.delete(rateLimitHits);
          const sent = mails.length;
          const start = performance.now();
          await request(email);
          least[email] = Math.min(before, performance.now() - start);
          if (email === mailing.email) await expect.poll(() => mails.length).toBe(sent + 1);
        }
      const [known, unknown] = Object.values(least);
      expect(known / unknown).toBeLessThan(2);
    });
  });
});

test('the audit log contains sign-ins, failures, tokens, sessions and changed passwords, with addresses', async () => {
  const { email, token } = await service.member();
  await service.ask('POST', '/api/login', { email, password: 'not the password' });
  const made = await service.ask<{ id: string }>(
    'POST',
    '/api/v2/accessTokens',
    { name: 'for reports', scope: 'read' },
    as(token),
  );
  await service.ask('DELETE', `/api/v2/accessTokens/${made.body.id}`, undefined, as(token));
  await service.ask('DELETE', '/api/v2/sessions', undefined, as(token));
  const change = { oldPassword: password, newPassword: 'another long password' };
  await service.ask('POST', '/api/v2/passwordChange', change, as(token));
  const url = `/api/v2/organizations/${service.organizationId}/auditLog?resource=account&page_size=200`;
  const ownEntries = async () =>
    (
      await service.ask<{ results: AuditEntry[] }>('GET', url, undefined, as(service.token))
    ).body.results.filter(({ detail }) => detail['account'] === email);
  await expect.poll(async () => (await ownEntries()).length).toBe(6);
  const entries = await ownEntries();
  expect(entries.map(({ action }) => action).sort()).toEqual([
    'changePassword',
    'createAccessToken',
    'endSession',
    'revokeAccessToken',
    'signIn',
    'signInFailed',
  ]);
  expect(new Set(entries.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']));
  const failed = entries.find(({ action }) => action === 'signInFailed');
  expect(failed).toMatchObject({ actor: null, actorEmail: null, detail: { reason: 'wrong password' } });
  expect(JSON.stringify(entries)).not.toContain('not the password');
});

test('the service logs a failed sign-in of an unknown account, without the password', async () => {
  const email = `nobody-${Date.now()}@example.com`;
  await service.ask('POST', '/api/login', { email, password: 'the guess of an attacker' });
  const found = () => service.warnings.find((line) => line.includes(email));
  await expect.poll(found).toBeDefined();
  expect(JSON.parse(found() ?? '')).toMatchObject({
    msg: 'a sign-in failed',
    account: email,
    address: '127.0.0.1',
    reason: 'unknown account',
  });
  expect(found()).not.toContain('the guess');
});
