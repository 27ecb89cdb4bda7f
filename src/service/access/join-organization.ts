/** Joining an organization: an invitation is accepted by its link or by signing in with its initial password. */
import { and, desc, eq, gt, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { lockAccount } from '#storage/access/accounts.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import {
  invitations,
  organizationMembers,
  users,
  workspaceMembers,
  workspaces,
} from '#storage/db/schema-accounts.ts';
import { invalidField, notFound, Problem } from '../http/problem.ts';
import { writeAudit } from '../http/write-audit.ts';

export type InvitationRow = typeof invitations.$inferSelect;

export interface WorkspaceGrant {
  id: string;
  role: 'viewer' | 'editor';
}

/** Inserts an account; returns undefined when the address already has one. */
async function insertUser(
  tx: Executor,
  account: { email: string; name: string; passwordHash: string },
): Promise<{ id: string; email: string; name: string } | undefined> {
  const [made] = await tx.insert(users).values(account).onConflictDoNothing().returning();
  return made;
}

async function insertMember(tx: Executor, member: typeof organizationMembers.$inferInsert): Promise<string> {
  const [made] = await tx
    .insert(organizationMembers)
    .values(member)
    .onConflictDoNothing()
    .returning({ id: organizationMembers.id });
  if (!made) throw new Problem('CONFLICT', 'this account is already a member', { field: 'email' });
  return made.id;
}

/** Replaces the roles of a user in the workspaces of the organization. */
export async function setGrants(
  tx: Executor,
  organizationId: string,
  userId: string,
  grants: WorkspaceGrant[],
): Promise<void> {
  const own = await tx
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.organizationId, organizationId), isNull(workspaces.archivedAt)));
  const ids = own.map(({ id }) => id);
  const wanted = new Map(grants.map(({ id, role }) => [id.toLowerCase(), role]));
  const unknown = grants.findIndex(({ id }) => !ids.includes(id.toLowerCase()));
  if (unknown >= 0) throw invalidField(`workspaces.${unknown}.id`, 'is not a workspace of this organization');
  if (ids.length > 0) {
    await tx
      .delete(workspaceMembers)
      .where(and(eq(workspaceMembers.userId, userId), inArray(workspaceMembers.workspaceId, ids)));
  }
  const rows = [...wanted].map(([workspaceId, role]) => ({ workspaceId, userId, role }));
  if (rows.length > 0) await tx.insert(workspaceMembers).values(rows);
}

/** The grants whose workspace still exists. */
async function existingGrants(
  db: Executor,
  organizationId: string,
  grants: WorkspaceGrant[],
): Promise<WorkspaceGrant[]> {
  const rows = await db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.organizationId, organizationId), isNull(workspaces.archivedAt)));
  return grants.filter(({ id }) => rows.some((workspace) => workspace.id === id.toLowerCase()));
}

/** Maximum number of initial passwords verified per sign-in of an address without an account; each takes time and memory. */
const MAX_FIRST_PASSWORDS = 5;

/** Open invitations of an address that have an initial password, newest first. */
export const invitationsWithPassword = (
  db: Executor,
  account: string,
): Promise<(InvitationRow & { passwordHash: string })[]> =>
  db
    .select()
    .from(invitations)
    .where(
      and(
        eq(sql`lower(${invitations.email})`, account),
        isNotNull(invitations.passwordHash),
        gt(invitations.expiresAt, sql`now()`),
      ),
    )
    .orderBy(desc(invitations.createdAt), desc(invitations.id))
    .limit(MAX_FIRST_PASSWORDS)
    .then((rows) =>
      rows.flatMap((row) => (row.passwordHash === null ? [] : [{ ...row, passwordHash: row.passwordHash }])),
    );

/** Default name of a user who has not given one. */
export const nameFromEmail = (email: string): string => email.replace(/@.*$/s, '');

/**
 * Turns an invitation into a membership with the same id.
 *
 * @param account existing account of the address; without one, an account is created from `fresh`
 * @throws Problem NOT_FOUND when the invitation was already answered or revoked; CONFLICT
 */
export async function acceptInvitation(
  tx: Transaction,
  invitation: InvitationRow,
  account: { id: string; email: string; name: string } | null,
  fresh: { name: string; passwordHash: string },
  address: string,
): Promise<{ id: string; email: string; name: string }> {
  const { id, organizationId, email, isManager, name } = invitation;
  // Deleting it first ensures that only one of two concurrent answers succeeds.
  const gone = await tx.delete(invitations).where(eq(invitations.id, id)).returning({ id: invitations.id });
  if (gone.length === 0) throw notFound('invitation');
  const user = account ?? (await insertUser(tx, { email, ...fresh }));
  // The account was created meanwhile, so its password has not been verified.
  if (!user) throw new Problem('CONFLICT', 'this address now has an account; open the link again');
  await lockAccount(tx, user.id);
  const resourceId = await insertMember(tx, { id, organizationId, userId: user.id, isManager, name });
  // Workspaces may have been deleted since the invitation was created.
  const grants = await existingGrants(tx, organizationId, invitation.workspaces);
  await setGrants(tx, organizationId, user.id, grants);
  const event = { organizationId, action: 'acceptInvitation', resource: 'member', resourceId };
  const who = { userId: user.id, email: user.email, address };
  await writeAudit(tx, who, { ...event, detail: { member: email } });
  await notify(tx, { type: 'updated', resource: 'organization', id: organizationId, organizationId });
  return { id: user.id, email: user.email, name: user.name };
}
