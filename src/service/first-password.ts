/**
 * Keeps the generated password of the first account from before the account is created until the password was printed.
 *
 * It is stored in a file that only this user can read, and flushed to disk before the account is committed: whenever a
 * start is killed, the next one finds and prints it.
 */
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { type Config, ConfigError } from '#storage/config.ts';
import type { Database } from '#storage/db/connection.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { generatePassword, makeFirstAccount } from './first-start.ts';
import { findPasswordFault } from './http/password-strength.ts';
import { verifyPassword } from './http/passwords.ts';

export const firstPasswordFile = (dataDir: string): string => path.join(dataDir, 'first-account.json');

const Kept = z.object({ email: z.string(), password: z.string() });
type Kept = z.output<typeof Kept>;

interface FirstPasswordOptions extends Pick<Config, 'dataDir' | 'adminEmail' | 'adminPassword' | 'demo'> {
  /** resolves when the line was written; if it rejects, the next start prints it again */
  print(line: string): Promise<void>;
}

/** Creates the first account if there is none, and prints its password, at the next start if this one is killed. */
export async function announceFirstAccount(
  db: Database,
  { dataDir, adminEmail, adminPassword, demo, print }: FirstPasswordOptions,
): Promise<void> {
  const file = firstPasswordFile(dataDir);
  const earlier = await readKept(file);
  if (adminPassword !== undefined) {
    const fault = (await hasAccount(db)) ? undefined : await findPasswordFault(adminPassword, adminEmail);
    if (fault !== undefined) throw new ConfigError(`the setting ADMIN_PASSWORD can't be used: it ${fault}`);
    const made = await makeFirstAccount(db, { adminEmail, adminPassword, demo });
    if (made) await print(formatLine(made.email, '(the one in ADMIN_PASSWORD)'));
  } else if (earlier === undefined && !(await hasAccount(db))) {
    const kept = { email: adminEmail, password: generatePassword() };
    await writeKept(file, kept);
    await makeAndPrint(db, kept, { demo, print });
  } else if (earlier !== undefined) {
    await makeAndPrint(db, earlier, { demo, print });
  }
  await rm(file, { force: true });
}

const formatLine = (email: string, password: string) =>
  `First account, shown this once: email: ${email}  password: ${password}`;

async function makeAndPrint(
  db: Database,
  { email, password }: Kept,
  { demo, print }: Pick<FirstPasswordOptions, 'demo' | 'print'>,
): Promise<void> {
  await makeFirstAccount(db, { adminEmail: email, adminPassword: password, demo });
  // Another host on the same database may have created the account, or its password was changed: don't print it.
  const [user] = await db
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.email, email))
    .limit(1);
  if (user && (await verifyPassword(password, user.passwordHash))) await print(formatLine(email, password));
}

const hasAccount = async (db: Database) =>
  (await db.select({ id: users.id }).from(users).limit(1)).length > 0;

/** The password stored by an earlier start. An unreadable file counts as none, since files are written atomically. */
async function readKept(file: string): Promise<Kept | undefined> {
  try {
    return Kept.safeParse(JSON.parse(await readFile(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** Writes the file atomically; it is flushed to disk when this resolves. */
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
