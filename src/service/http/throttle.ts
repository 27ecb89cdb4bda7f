/** Slows down who guesses passwords: counted in the database, so that a restart or a second host forgets nothing. */
import { and, count, eq, gt, min } from 'drizzle-orm';
import type { Executor } from '#storage/db/connection.ts';
import { loginFailures } from '#storage/db/schema-accounts.ts';
import { Problem } from './problem.ts';

const WINDOW_MS = 60_000;
const ALLOWED_FAILURES = 10;

/** Failures of the address or of the account within the window, whichever has more, and when the first of them was. */
async function failuresOf(db: Executor, address: string, account: string) {
  const since = new Date(Date.now() - WINDOW_MS);
  let most = { failures: 0, oldest: new Date() };
  for (const whose of [eq(loginFailures.address, address), eq(loginFailures.account, account)]) {
    const [{ failures, oldest }] = await db
      .select({ failures: count(), oldest: min(loginFailures.failedAt) })
      .from(loginFailures)
      .where(and(whose, gt(loginFailures.failedAt, since)));
    if (failures > most.failures && oldest !== null) most = { failures, oldest };
  }
  return most;
}

/** @throws Problem RATE_LIMITED with Retry-After when more than ten tries within a minute failed */
export async function refuseGuessing(db: Executor, address: string, account: string): Promise<void> {
  const { failures, oldest } = await failuresOf(db, address, account);
  if (failures <= ALLOWED_FAILURES) return;
  const seconds = Math.max(1, Math.ceil((oldest.getTime() + WINDOW_MS - Date.now()) / 1000));
  throw new Problem('RATE_LIMITED', `too many failed tries to sign in; try again in ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  });
}

/** Counts a failure; the one too many is refused as such. @throws Problem RATE_LIMITED */
export async function noteFailure(db: Executor, address: string, account: string): Promise<void> {
  await db.insert(loginFailures).values({ address, account });
  await refuseGuessing(db, address, account);
}

/** A right password ends the count of the account; that of the address goes on, for it may guess others. */
export async function forgetFailures(db: Executor, account: string): Promise<void> {
  await db.delete(loginFailures).where(eq(loginFailures.account, account));
}
