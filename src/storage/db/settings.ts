/** Values made once for an installation and kept in its database. */

import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Executor } from './connection.ts';
import { settings } from './schema-system.ts';
import { takeRow } from './take-row.ts';

/** The value under the key; made by `make` when there is none, by one process even when several ask at once. */
export async function settingOnce<T>(db: Executor, key: string, make: () => T): Promise<T> {
  const [found] = await db.select().from(settings).where(eq(settings.key, key));
  if (found) return found.value as T;
  await db.insert(settings).values({ key, value: make() }).onConflictDoNothing();
  const kept = takeRow(await db.select().from(settings).where(eq(settings.key, key)));
  return kept.value as T;
}

/** The key that signs download addresses: 32 bytes, the same for all processes and after a restart. */
export async function signingSecret(db: Executor): Promise<Uint8Array> {
  const text = await settingOnce(db, 'signingSecret', () => randomBytes(32).toString('base64url'));
  return Buffer.from(text, 'base64url');
}
