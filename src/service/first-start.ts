/** What a new installation begins with: one account that manages one organization with one workspace. */
import { randomInt } from 'node:crypto';
import { analysisModules as moduleNames } from '#contract/analyses/kinds.ts';
import { type Database, inTransaction, type Transaction } from '#storage/db/connection.ts';
import {
  analysisModules,
  organizationMembers,
  organizations,
  users,
  workspaceMembers,
  workspaces,
} from '#storage/db/schema-accounts.ts';
import { hashPassword } from './http/passwords.ts';

/** Without 0/O and 1/l/I, which are read wrong from a terminal. */
const ALPHABET = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** 18 characters, 105 bits, in groups that can be typed. */
export function generatePassword(): string {
  const group = () => Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${group()}-${group()}-${group()}`;
}

export async function addModules(tx: Transaction, organizationId: string): Promise<void> {
  await tx
    .insert(analysisModules)
    .values(moduleNames.map(({ key, name }) => ({ organizationId, key, name })))
    .onConflictDoNothing();
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
}

/**
 * Makes the first account when there is none; several processes may try at once.
 *
 * @returns what was made, or undefined when there was an account already
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
    const [user] = await tx.insert(users).values({ email, name: 'Administrator', passwordHash }).returning();
    const [organization] = await tx.insert(organizations).values({ name: 'Demo', slug: 'demo' }).returning();
    const organizationId = organization.id;
    await tx.insert(organizationMembers).values({ organizationId, userId: user.id, isManager: true });
    const [workspace] = await tx
      .insert(workspaces)
      .values({ organizationId, name: 'Inspection' })
      .returning();
    await tx.insert(workspaceMembers).values({ workspaceId: workspace.id, userId: user.id, role: 'editor' });
    await addModules(tx, organizationId);
    return { userId: user.id, organizationId, workspaceId: workspace.id, email };
  });
}
