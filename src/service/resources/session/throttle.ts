/** Slows down who guesses passwords: counted in the database, so that a restart or a second host forgets nothing. */
import { and, count, eq, gt, lt, min, or } from 'drizzle-orm';
import type { Executor } from '#storage/db/connection.ts';
import { loginFailures } from '#storage/db/schema-accounts.ts';
import { Problem } from '../../http/problem.ts';

const WINDOW_MS = 60_000;
const ALLOWED_FAILURES = 10;
const KEPT_MS = 24 * 3_600_000;

/** @throws Problem RATE_LIMITED with Retry-After when more than ten tries a minute failed */
export async function refuseGuessing(db: Executor, address: string, account: string): Promise<void> {
  const since = new Date(Date.now() - WINDOW_MS);
  for (const whose of [eq(loginFailures.address, address), eq(loginFailures.account, account)]) {
    const [{ failures, oldest }] = await db
      .select({ failures: count(), oldest: min(loginFailures.failedAt) })
      .from(loginFailures)
      .where(and(whose, gt(loginFailures.failedAt, since)));
    if (failures < ALLOWED_FAILURES || oldest === null) continue;
    const seconds = Math.max(1, Math.ceil((oldest.getTime() + WINDOW_MS - Date.now()) / 1000));
    throw new Problem('RATE_LIMITED', `too many failed tries to sign in; try again in ${seconds} s`, {
      headers: { 'retry-after': String(seconds) },
    });
  }
}

export async function noteFailure(db: Executor, address: string, account: string): Promise<void> {
  await db.insert(loginFailures).values({ address, account });
  await db.delete(loginFailures).where(lt(loginFailures.failedAt, new Date(Date.now() - KEPT_MS)));
}

/** A right password ends the count of the account, and of the address it came from. */
export async function forgetFailures(db: Executor, address: string, account: string): Promise<void> {
  await db
    .delete(loginFailures)
    .where(or(eq(loginFailures.account, account), eq(loginFailures.address, address)));
}
