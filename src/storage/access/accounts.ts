/** Accounts with their memberships, sessions and tokens. */

import { randomUUID } from 'node:crypto';
import { and, count, eq, isNull, ne, sql } from 'drizzle-orm';
import { analysisModules as moduleNames } from '#contract/analyses/registry.ts';
import { afterSeconds } from '../db/after.ts';
import type { Executor, Transaction } from '../db/connection.ts';
import {
  analysisModules,
  organizationMembers,
  organizations,
  passwordResets,
  tokens,
  users,
  workspaceMembers,
  workspaces,
} from '../db/schema-accounts.ts';
import { projects } from '../db/schema-projects.ts';
import { insertRow, takeRow } from '../db/take-row.ts';

async function addModules(tx: Transaction, organizationId: string): Promise<void> {
  await tx
    .insert(analysisModules)
    .values(moduleNames.map(({ key, name }) => ({ organizationId, key, name })))
    .onConflictDoNothing();
}

/** Creates an organization with one workspace; the user becomes manager and editor. */
export async function createOrganization(
  tx: Transaction,
  userId: string,
  names: { organization: string; workspace: string; slug?: string },
): Promise<{ organizationId: string; workspaceId: string }> {
  const { organization: name, slug = randomUUID() } = names;
  const { id: organizationId } = await insertRow(tx, organizations, { name, slug });
  await tx.insert(organizationMembers).values({ organizationId, userId, isManager: true });
  const { id: workspaceId } = await insertRow(tx, workspaces, { organizationId, name: names.workspace });
  await tx.insert(workspaceMembers).values({ workspaceId, userId, role: 'editor' });
  await addModules(tx, organizationId);
  return { organizationId, workspaceId };
}

/** Revokes all sessions, access tokens and password links of the user, except the token to keep. */
export async function endTokens(tx: Executor, userId: string, keptTokenId?: string): Promise<void> {
  const others = keptTokenId === undefined ? undefined : ne(tokens.id, keptTokenId);
  await tx
    .update(tokens)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(tokens.userId, userId), isNull(tokens.revokedAt), others));
  await tx.delete(passwordResets).where(eq(passwordResets.userId, userId));
}

/** Stores a password link, replacing earlier ones. @returns its expiry time */
export async function openPasswordReset(
  db: Executor,
  userId: string,
  tokenHash: string,
  lifetimeSeconds: number,
): Promise<Date> {
  await db.delete(passwordResets).where(eq(passwordResets.userId, userId));
  const values = { userId, tokenHash, expiresAt: afterSeconds(lifetimeSeconds) };
  return (await insertRow(db, passwordResets, values)).expiresAt;
}

/** Revokes the sessions and tokens of a user who no longer belongs to any organization. */
export async function endTokensWithoutMembership(tx: Executor, userId: string): Promise<void> {
  const { memberships } = takeRow(
    await tx
      .select({ memberships: count() })
      .from(organizationMembers)
      .where(eq(organizationMembers.userId, userId)),
  );
  if (memberships === 0) await endTokens(tx, userId);
}

/** Locks the account, so that it can't join another organization meanwhile. */
export async function lockAccount(tx: Transaction, userId: string): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
}

/** The user's name in the organization: given by its managers, or else the account's own. */
export async function memberName(db: Executor, organizationId: string, userId: string): Promise<string> {
  const [row] = await db
    .select({ name: nameInOrganization, email: users.email })
    .from(users)
    .leftJoin(
      organizationMembers,
      and(eq(organizationMembers.userId, users.id), eq(organizationMembers.organizationId, organizationId)),
    )
    .where(eq(users.id, userId));
  return row?.name || row?.email || '';
}

/** Name of a user, for queries that join `users` and `organization_members` of one organization. */
export const nameInOrganization = sql<string>`coalesce(${organizationMembers.name}, ${users.name})`;

/** The author with the name used in the project's organization, for queries that join `projects` and `users`. */
export const author = { id: users.id, email: users.email, name: nameInOrganization };
/** Joins the author's membership of that organization. */
export const authorMembership = and(
  eq(organizationMembers.userId, users.id),
  eq(organizationMembers.organizationId, projects.organizationId),
);

/**
 * Deletes the account. Its data remains; an organization without projects and other members is deleted with it.
 *
 * @returns the name of an organization that would be left without a manager, in which case nothing is deleted
 */
export async function deleteAccount(tx: Transaction, userId: string): Promise<string | undefined> {
  await lockAccount(tx, userId);
  const managed = await tx
    .select({ id: organizations.id, name: organizations.name })
    .from(organizationMembers)
    .innerJoin(organizations, eq(organizations.id, organizationMembers.organizationId))
    .where(and(eq(organizationMembers.userId, userId), eq(organizationMembers.isManager, true)))
    .for('update');
  const abandoned: string[] = [];
  for (const { id, name } of managed) {
    const others = await tx
      .select({ isManager: organizationMembers.isManager })
      .from(organizationMembers)
      .where(and(eq(organizationMembers.organizationId, id), ne(organizationMembers.userId, userId)))
      .for('update');
    if (others.some(({ isManager }) => isManager)) continue;
    const { held } = takeRow(
      await tx.select({ held: count() }).from(projects).where(eq(projects.organizationId, id)),
    );
    if (others.length > 0 || held > 0) return name;
    abandoned.push(id);
  }
  for (const id of abandoned) await tx.delete(organizations).where(eq(organizations.id, id));
  await tx.delete(users).where(eq(users.id, userId));
  return undefined;
}
