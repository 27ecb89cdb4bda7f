/**
 * The generated password of the first account, from before its account is made until somebody was told.
 *
 * It lies in a file that only this user can read, and is safe on the disk before the account is committed: whenever
 * the start is killed, the next one finds it and says it then.
 */
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { ConfigError } from '#storage/config.ts';
import type { Database } from '#storage/db/connection.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { generatePassword, makeFirstAccount } from './first-start.ts';
import { findPasswordFault } from './http/password-strength.ts';
import { verifyPassword } from './http/passwords.ts';

export const firstPasswordFile = (dataDir: string): string => path.join(dataDir, 'first-account.json');

const Kept = z.object({ email: z.string(), password: z.string() });
type Kept = z.output<typeof Kept>;

interface FirstPasswordOptions {
  dataDir: string;
  adminEmail: string;
  adminPassword: string | undefined;
  demo: boolean;
  /** resolves when the line is out; where it rejects, the next start says it again */
  say(line: string): Promise<void>;
}

/** Makes the first account where there is none, and says its password until that was done once. */
export async function announceFirstAccount(
  db: Database,
  { dataDir, adminEmail, adminPassword, demo, say }: FirstPasswordOptions,
): Promise<void> {
  const file = firstPasswordFile(dataDir);
  const earlier = await readKept(file);
  if (adminPassword !== undefined) {
    const fault = (await hasAccount(db)) ? undefined : await findPasswordFault(adminPassword, adminEmail);
    if (fault !== undefined) throw new ConfigError(`the setting ADMIN_PASSWORD can't be used: it ${fault}`);
    const made = await makeFirstAccount(db, { adminEmail, adminPassword, demo });
    if (made) await say(formatLine(made.email, '(the one in ADMIN_PASSWORD)'));
  } else if (earlier === undefined && !(await hasAccount(db))) {
    const kept = { email: adminEmail, password: generatePassword() };
    await writeKept(file, kept);
    await makeAndSay(db, kept, { demo, say });
  } else if (earlier !== undefined) {
    await makeAndSay(db, earlier, { demo, say });
  }
  await rm(file, { force: true });
}

const formatLine = (email: string, password: string) =>
  `First account, shown this once: e-mail: ${email}  password: ${password}`;

async function makeAndSay(
  db: Database,
  { email, password }: Kept,
  { demo, say }: Pick<FirstPasswordOptions, 'demo' | 'say'>,
): Promise<void> {
  await makeFirstAccount(db, { adminEmail: email, adminPassword: password, demo });
  // Another host of the same database may have made the account, or its password was changed: not ours to tell.
  const [user] = await db
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.email, email))
    .limit(1);
  if (user && (await verifyPassword(password, user.passwordHash))) await say(formatLine(email, password));
}

const hasAccount = async (db: Database) =>
  (await db.select({ id: users.id }).from(users).limit(1)).length > 0;

/** What an earlier start left; a file that can't be read as one is treated as none, since it is written whole. */
async function readKept(file: string): Promise<Kept | undefined> {
  try {
    return Kept.safeParse(JSON.parse(await readFile(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** On the disk, whole, when this resolves. */
async function writeKept(file: string, kept: Kept): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const half = `${file}.new`;
  await rm(half, { force: true });
  const handle = await open(half, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(kept)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(half, file);
  const folder = await open(path.dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
