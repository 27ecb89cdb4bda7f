/** Users, their tokens and what they belong to. */
import { and, asc, eq, isNull, ne, sql } from 'drizzle-orm';
import type { Me } from '#contract/shapes/session.ts';
import type { Executor } from '#storage/db/connection.ts';
import {
  organizationMembers,
  organizations,
  tokens,
  users,
  workspaceMembers,
  workspaces,
} from '#storage/db/schema-accounts.ts';
import type { Caller } from '../../http/session.ts';

export type UserRow = typeof users.$inferSelect;

export async function userByEmail(db: Executor, email: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(eq(sql`lower(${users.email})`, email.toLowerCase()))
    .limit(1);
  return row;
}

export async function userById(db: Executor, id: string): Promise<UserRow> {
  const [row] = await db.select().from(users).where(eq(users.id, id)).limit(1);
  return row;
}

export async function endToken(db: Executor, tokenId: string): Promise<void> {
  await db.update(tokens).set({ revokedAt: new Date() }).where(eq(tokens.id, tokenId));
}

export async function changePassword(
  tx: Executor,
  userId: string,
  passwordHash: string,
  keptTokenId: string,
): Promise<void> {
  await tx.update(users).set({ passwordHash }).where(eq(users.id, userId));
  await tx
    .update(tokens)
    .set({ revokedAt: new Date() })
    .where(and(eq(tokens.userId, userId), ne(tokens.id, keptTokenId), isNull(tokens.revokedAt)));
}

export async function readMe(db: Executor, caller: Caller, endless: Date): Promise<Me> {
  const memberships = await db
    .select({ id: organizations.id, name: organizations.name, isManager: organizationMembers.isManager })
    .from(organizationMembers)
    .innerJoin(organizations, eq(organizations.id, organizationMembers.organizationId))
    .where(eq(organizationMembers.userId, caller.userId))
    .orderBy(asc(organizations.name), asc(organizations.id));
  const roles = await db
    .select({
      id: workspaces.id,
      organizationId: workspaces.organizationId,
      name: workspaces.name,
      role: workspaceMembers.role,
    })
    .from(workspaceMembers)
    .innerJoin(workspaces, eq(workspaces.id, workspaceMembers.workspaceId))
    .where(and(eq(workspaceMembers.userId, caller.userId), isNull(workspaces.archivedAt)))
    .orderBy(asc(workspaces.name), asc(workspaces.id));
  return {
    user: { id: caller.userId, email: caller.email, name: caller.name },
    expiresAt: (caller.expiresAt ?? endless).toISOString(),
    organizations: memberships.map((organization) => ({
      ...organization,
      workspaces: roles
        .filter(({ organizationId }) => organizationId === organization.id)
        .map(({ id, name, role }) => ({ id, name, role })),
    })),
  };
}
