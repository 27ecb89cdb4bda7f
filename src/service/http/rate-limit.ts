/**
 * Rate limits, counted in the database, so that they hold across restarts and hosts. An attempt is counted before it is
 * made, so that simultaneous attempts can't exceed the limit.
 */

import { isIPv6 } from 'node:net';
import { and, asc, count, eq, gt, sql } from 'drizzle-orm';
import { afterSeconds } from '#storage/db/after.ts';
import { type Database, type Executor, inTransaction } from '#storage/db/connection.ts';
import { rateLimitHits } from '#storage/db/schema-accounts.ts';
import { takeRow } from '#storage/db/take-row.ts';
import { verifyPassword } from './passwords.ts';
import { Problem } from './problem.ts';

export interface Limit {
  /** identifies the caller and the action */
  key: string;
  /** attempts allowed within that time */
  count: number;
  seconds: number;
}

const tooMany = (seconds: number): Problem =>
  new Problem('RATE_LIMITED', `too many attempts; try again in ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  });

/** @throws Problem RATE_LIMITED with Retry-After when a limit is reached */
async function refuseBeyond(db: Executor, limits: readonly Limit[]): Promise<void> {
  for (const { key, count: allowed, seconds } of limits) {
    const left = sql<number>`extract(epoch from min(${rateLimitHits.at}) - now())::float8 + ${seconds}`;
    const { hits, secondsLeft } = takeRow(
      await db
        .select({ hits: count(), secondsLeft: left })
        .from(rateLimitHits)
        .where(and(eq(rateLimitHits.key, key), gt(rateLimitHits.at, afterSeconds(-seconds)))),
    );
    if (hits >= allowed) throw tooMany(Math.max(1, Math.ceil(secondsLeft)));
  }
}

/**
 * Counts one attempt under each of the limits.
 *
 * @throws Problem RATE_LIMITED when one of them is reached; nothing is counted then
 */
export async function reserveTry(db: Database, limits: readonly Limit[]): Promise<void> {
  // A first check without a lock, so that callers over the limit cost only one short query.
  await refuseBeyond(db, limits);
  const keys = limits.map(({ key }) => key).sort();
  await inTransaction(db, async (tx) => {
    // Without the lock, two concurrent attempts could both take the last one allowed.
    for (const key of keys) await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
    await refuseBeyond(tx, limits);
    await tx.insert(rateLimitHits).values(keys.map((key) => ({ key })));
  });
}

/** Removes the last attempt counted under the key, because it was right and only wrong ones count. */
export async function returnTry(db: Database, key: string): Promise<void> {
  const last = db
    .select({ id: rateLimitHits.id })
    .from(rateLimitHits)
    .where(eq(rateLimitHits.key, key))
    .orderBy(sql`${rateLimitHits.at} desc`, asc(rateLimitHits.id))
    .limit(1);
  await db.delete(rateLimitHits).where(eq(rateLimitHits.id, last));
}

/**
 * The address under which attempts are counted: for IPv6 the first 64 bits, because one user controls the whole network
 * and could use a new address for each attempt. https://www.rfc-editor.org/rfc/rfc6177
 */
export function countedAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const [head = [], tail] = plain.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const missing = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...(tail ?? [])];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

const MINUTE = 60;
/** wrong passwords of one account from one address within a minute */
const PAIR_TRIES = 10;
/** wrong passwords from one address over all accounts; larger, because an office shares an address */
const ADDRESS_TRIES = 50;
/** Passwords verified at a time; each takes 19 MiB and one of the four threads that file access also needs. */
const VERIFIED_AT_A_TIME = 2;

let verifying = 0;
const waiting: (() => void)[] = [];

/** Limits concurrency, so that only few attempts are counted but not yet decided. */
async function inPlace<T>(work: () => Promise<T>): Promise<T> {
  if (verifying < VERIFIED_AT_A_TIME) verifying += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else verifying -= 1;
  }
}

async function indexOfPassword(password: string, hashes: readonly string[]): Promise<number> {
  if (hashes.length === 0) await verifyPassword(password, null);
  for (const [i, hash] of hashes.entries()) if (await verifyPassword(password, hash)) return i;
  return -1;
}

/** Like `findPassword`, for at most one hash. */
export const tryPassword = async (
  db: Database,
  from: { address: string; account: string },
  password: string,
  hash: string | null,
): Promise<boolean> => (await findPassword(db, from, password, hash === null ? [] : [hash])) === 0;

/**
 * Verifies a password within the rate limits. Wrong ones are counted per address and account, so that nobody can lock out
 * a colleague, and per address over all accounts.
 *
 * @param hashes candidates; an empty list takes as long as one hash
 * @returns index of the matching hash; -1 for none
 * @throws Problem RATE_LIMITED with Retry-After
 */
export async function findPassword(
  db: Database,
  from: { address: string; account: string },
  password: string,
  hashes: readonly string[],
): Promise<number> {
  const address = countedAddress(from.address);
  const pair = {
    key: `password ${address} ${from.account.toLowerCase()}`,
    count: PAIR_TRIES,
    seconds: MINUTE,
  };
  const all = { key: `password ${address}`, count: ADDRESS_TRIES, seconds: MINUTE };
  await refuseBeyond(db, [pair, all]);
  return inPlace(async () => {
    await reserveTry(db, [pair, all]);
    const found = await indexOfPassword(password, hashes);
    if (found >= 0) {
      await db.delete(rateLimitHits).where(eq(rateLimitHits.key, pair.key));
      await returnTry(db, all.key);
    }
    return found;
  });
}
