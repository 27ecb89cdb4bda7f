/** Invitations in the database, identified by the hash of the token in their link. */

import { and, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Invitation } from '#contract/shapes/organization.ts';
import { afterSeconds } from '#storage/db/after.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { byCreation, mapPage, type Page, type PageRequest, readPage } from '#storage/db/page.ts';
import {
  invitations,
  organizationMembers,
  organizations,
  users,
  workspaces,
} from '#storage/db/schema-accounts.ts';
import { insertRow } from '#storage/db/take-row.ts';
import type { InvitationRow, WorkspaceGrant } from '../../access/join-organization.ts';
import { invalidField, notFound, Problem } from '../../http/problem.ts';
import { hashToken } from '../../http/session.ts';

const KEPT_SECONDS = 14 * 24 * 3_600;

export const invitationShape = (row: InvitationRow, invitedBy: string | null): Invitation => ({
  id: row.id,
  email: row.email,
  isManager: row.isManager,
  workspaces: row.workspaces,
  invitedBy,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
});

export const listInvitations = (
  db: Executor,
  organizationId: string,
  page: PageRequest,
): Promise<Page<Invitation>> =>
  mapPage(
    readPage(db, page, {
      rows: () =>
        db
          .select({ invitation: invitations, invitedBy: users.email })
          .from(invitations)
          .leftJoin(users, eq(users.id, invitations.invitedBy))
          .$dynamic(),
      where: and(eq(invitations.organizationId, organizationId), gt(invitations.expiresAt, sql`now()`)),
      order: byCreation(invitations),
      keyed: ({ invitation }) => invitation,
    }),
    (rows) => rows.map((row) => invitationShape(row.invitation, row.invitedBy)),
  );

/** Inserts the invitation, replacing an earlier one to the same address. @throws Problem CONFLICT for a member */
export async function insertInvitation(
  tx: Transaction,
  organizationId: string,
  input: {
    email: string;
    name?: string | null;
    passwordHash?: string;
    isManager: boolean;
    workspaces: WorkspaceGrant[];
  },
  token: string,
  invitedBy: string,
): Promise<InvitationRow> {
  const address = input.email.toLowerCase();
  const [member] = await tx
    .select({ id: organizationMembers.id })
    .from(organizationMembers)
    .innerJoin(users, eq(users.id, organizationMembers.userId))
    .where(
      and(eq(organizationMembers.organizationId, organizationId), eq(sql`lower(${users.email})`, address)),
    );
  if (member) throw new Problem('CONFLICT', 'this account is already a member', { field: 'email' });
  const ids = input.workspaces.map(({ id }) => id.toLowerCase());
  const own =
    ids.length === 0
      ? []
      : await tx
          .select({ id: workspaces.id })
          .from(workspaces)
          .where(
            and(
              eq(workspaces.organizationId, organizationId),
              isNull(workspaces.archivedAt),
              inArray(workspaces.id, ids),
            ),
          );
  const known = new Set(own.map(({ id }) => id));
  const unknown = ids.findIndex((id) => !known.has(id));
  if (unknown >= 0) throw invalidField(`workspaces.${unknown}.id`, 'is not a workspace of this organization');
  // Serialized, because two concurrent invitations to one address would both find none to replace.
  await tx
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.id, organizationId))
    .for('no key update');
  await tx
    .delete(invitations)
    .where(
      and(eq(invitations.organizationId, organizationId), eq(sql`lower(${invitations.email})`, address)),
    );
  const row = await insertRow(tx, invitations, {
    ...input,
    organizationId,
    invitedBy,
    tokenHash: hashToken(token),
    expiresAt: afterSeconds(KEPT_SECONDS),
  });
  return row;
}

/** @throws Problem NOT_FOUND */
export async function deleteInvitation(tx: Transaction, organizationId: string, id: string): Promise<string> {
  const [gone] = await tx
    .delete(invitations)
    .where(and(eq(invitations.organizationId, organizationId), eq(invitations.id, id)))
    .returning({ email: invitations.email });
  if (!gone) throw notFound('invitation');
  return gone.email;
}

export interface FoundInvitation {
  invitation: InvitationRow;
  organizationName: string;
  invitedBy: string | null;
  account: typeof users.$inferSelect | null;
}

/** The open invitation of a token, and the account with its address. @throws Problem NOT_FOUND */
export async function findInvitation(db: Executor, token: string): Promise<FoundInvitation> {
  const [found] = await db
    .select({ invitation: invitations, organizationName: organizations.name, invitedBy: users.email })
    .from(invitations)
    .innerJoin(organizations, eq(organizations.id, invitations.organizationId))
    .leftJoin(users, eq(users.id, invitations.invitedBy))
    .where(and(eq(invitations.tokenHash, hashToken(token)), gt(invitations.expiresAt, sql`now()`)));
  if (!found)
    throw new Problem(
      'NOT_FOUND',
      'this invitation is no longer valid: it was accepted, revoked, or has expired; ask a manager for another one',
    );
  const [account] = await db
    .select()
    .from(users)
    .where(eq(sql`lower(${users.email})`, found.invitation.email.toLowerCase()));
  return { ...found, account: account ?? null };
}
