/** Lifetimes use the clock of the database, so a host with a wrong clock does no harm. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openPasswordReset } from '#storage/access/accounts.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { password, type TestService, testService } from '../testing/service.ts';
import { hashToken, newToken } from './session.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService({ TOKEN_LIFETIME_HOURS: '2', TRUST_PROXY: '1' });
});
afterAll(() => service.close());

/** Runs `act` as on a host whose clock is wrong by so many hours. */
async function withWrongClock<T>(hours: number, act: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
  try {
    return await act();
  } finally {
    vi.useRealTimers();
  }
}

describe.each([-3, 3])('when the clock of the service is wrong by %i h', (hours) => {
  test('a session has its usual lifetime', async () => {
    const { email } = await service.member();
    const answer = await withWrongClock(hours, () => service.ask('POST', '/api/login', { email, password }));
    expect(answer.status).toBe(200);
    const { token, expiresAt } = answer.body as { token: string; expiresAt: string };
    expect((await service.ask('GET', '/api/v2/me', undefined, { token })).status).toBe(200);
    const hoursLeft = (Date.parse(expiresAt) - Date.now()) / 3_600_000;
    expect(hoursLeft).toBeGreaterThan(1.9);
    expect(hoursLeft).toBeLessThanOrEqual(2);
  });

  test('a password link is valid for an hour', async () => {
    const { email } = await service.member();
    const [{ id }] = await service.db.select().from(users).where(eq(users.email, email));
    const token = newToken();
    const expiresAt = await withWrongClock(hours, () =>
      openPasswordReset(service.db, id, hashToken(token), 3600),
    );
    const minutesLeft = (expiresAt.getTime() - Date.now()) / 60_000;
    // The database rounds to milliseconds, and may respond within one.
    expect(Math.round(minutesLeft)).toBe(60);
  });

  test('wrong passwords are counted for a minute', async () => {
    const { email } = await service.member();
    const headers = { 'x-forwarded-for': `192.0.2.${10 + hours}` };
    const guess = () => service.ask('POST', '/api/login', { email, password: 'a wrong guess' }, { headers });
    const answers = await withWrongClock(hours, async () => {
      const all = [];
      for (let i = 0; i < 11; i++) all.push(await guess());
      return all;
    });
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(10).fill(401), 429]);
    const seconds = Number(answers[10]?.headers['retry-after']);
    expect(seconds).toBeGreaterThan(30);
    expect(seconds).toBeLessThanOrEqual(60);
  });
});
