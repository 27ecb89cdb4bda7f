/** Creates the initial data of a new installation: one account that manages one organization with one workspace. */

import { randomInt } from 'node:crypto';
import { createOrganization } from '#storage/access/accounts.ts';
import { type Database, inTransaction } from '#storage/db/connection.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { insertRow } from '#storage/db/take-row.ts';
import { hashPassword } from './http/passwords.ts';

/** Without 0/O and 1/l/I, which are easily confused in a terminal. */
const ALPHABET = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** 18 characters, 105 bits, in groups that are easy to type. */
export function generatePassword(): string {
  const group = () => Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${group()}-${group()}-${group()}`;
}

export interface FirstAccount {
  userId: string;
  organizationId: string;
  workspaceId: string;
  email: string;
}

interface FirstStartOptions {
  adminEmail: string;
  adminPassword: string;
  /** whether its organization is for the demo */
  demo: boolean;
}

/**
 * Creates the first account when there is none; several processes may call it at once.
 *
 * @returns the created account, or undefined when one already existed
 */
export async function makeFirstAccount(
  db: Database,
  options: FirstStartOptions,
): Promise<FirstAccount | undefined> {
  return inTransaction(db, async (tx) => {
    await tx.execute('lock table users in share row exclusive mode');
    const some = await tx.select({ id: users.id }).from(users).limit(1);
    if (some.length > 0) return undefined;
    const passwordHash = await hashPassword(options.adminPassword);
    const email = options.adminEmail;
    const user = await insertRow(tx, users, { email, name: 'Administrator', passwordHash });
    const organization = options.demo ? 'Demo' : 'My organization';
    const names = { organization, workspace: 'Inspection', slug: 'demo' };
    const made = await createOrganization(tx, user.id, names);
    return { userId: user.id, email, ...made };
  });
}
