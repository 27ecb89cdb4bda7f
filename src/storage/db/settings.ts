/** Values created once per installation and stored in its database. */

import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Executor } from './connection.ts';
import { settings } from './schema-system.ts';
import { takeRow } from './take-row.ts';

/** The value for the key; created by `make` if missing, only once even with concurrent calls. */
export async function settingOnce<T>(db: Executor, key: string, make: () => T): Promise<T> {
  const [found] = await db.select().from(settings).where(eq(settings.key, key));
  if (found) return found.value as T;
  await db.insert(settings).values({ key, value: make() }).onConflictDoNothing();
  const kept = takeRow(await db.select().from(settings).where(eq(settings.key, key)));
  return kept.value as T;
}

/** The signing key of download URLs: 32 bytes, the same for all processes and after a restart. */
export async function signingSecret(db: Executor): Promise<Uint8Array> {
  const text = await settingOnce(db, 'signingSecret', () => randomBytes(32).toString('base64url'));
  return Buffer.from(text, 'base64url');
}
