/** Users, their tokens and memberships. */

import { and, asc, eq, gt, isNull, ne, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Me, OpenSession } from '#contract/shapes/session.ts';
import type { Executor } from '#storage/db/connection.ts';
import { byCreation, mapPage, type Page, type PageRequest, readPage } from '#storage/db/page.ts';
import {
  organizationMembers,
  organizations,
  passwordResets,
  tokens,
  users,
  workspaceMembers,
  workspaces,
} from '#storage/db/schema-accounts.ts';
import { Problem } from '../../http/problem.ts';
import { type Caller, hashToken, notAuthenticated } from '../../http/session.ts';

/** expiry time shown for a token that never expires */
const ENDLESS = new Date('9999-12-31T23:59:59.000Z');

export type UserRow = typeof users.$inferSelect;

export async function userByEmail(db: Executor, email: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(eq(sql`lower(${users.email})`, email.toLowerCase()))
    .limit(1);
  return row;
}

/** @throws Problem NOT_AUTHENTICATED when the account was deleted after its session was looked up */
export async function userById(db: Executor, id: string): Promise<UserRow> {
  const [row] = await db.select().from(users).where(eq(users.id, id)).limit(1);
  if (!row) throw notAuthenticated('the account was deleted');
  return row;
}

export async function endToken(db: Executor, tokenId: string): Promise<void> {
  await db.update(tokens).set({ revokedAt: sql`now()` }).where(eq(tokens.id, tokenId));
}

export async function setPassword(tx: Executor, userId: string, passwordHash: string): Promise<void> {
  await tx.update(users).set({ passwordHash }).where(eq(users.id, userId));
}

export async function renameUser(db: Executor, userId: string, name: string): Promise<void> {
  await db.update(users).set({ name }).where(eq(users.id, userId));
}

const openSessions = (userId: string) =>
  and(
    eq(tokens.userId, userId),
    eq(tokens.kind, 'session'),
    isNull(tokens.revokedAt),
    gt(tokens.expiresAt, sql`now()`),
  );

/** Newest first. */
export const listSessions = (
  db: Executor,
  { userId, tokenId }: Pick<Caller, 'userId' | 'tokenId'>,
  page: PageRequest,
): Promise<Page<z.infer<typeof OpenSession>>> =>
  mapPage(
    readPage(db, page, {
      rows: () => db.select().from(tokens).$dynamic(),
      where: openSessions(userId),
      order: byCreation(tokens),
      keyed: (row) => row,
    }),
    (rows) =>
      rows.map(({ id, address, userAgent, createdAt, lastUsedAt, expiresAt }) => ({
        id,
        address,
        userAgent,
        isCurrent: id === tokenId,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
        expiresAt: (expiresAt ?? ENDLESS).toISOString(),
      })),
  );

export async function endOtherSessions(tx: Executor, userId: string, keptId: string): Promise<void> {
  await tx
    .update(tokens)
    .set({ revokedAt: sql`now()` })
    .where(and(openSessions(userId), ne(tokens.id, keptId)));
}

const openReset = (token: string) =>
  and(eq(passwordResets.tokenHash, hashToken(token)), gt(passwordResets.expiresAt, sql`now()`));
const noReset = () =>
  new Problem('NOT_FOUND', 'this link is no longer valid: it was used or has expired; request another one');

/** The account that an open password link belongs to. @throws Problem NOT_FOUND */
export async function findPasswordReset(
  db: Executor,
  token: string,
): Promise<{ userId: string; email: string; expiresAt: Date }> {
  const [found] = await db
    .select({ userId: users.id, email: users.email, expiresAt: passwordResets.expiresAt })
    .from(passwordResets)
    .innerJoin(users, eq(users.id, passwordResets.userId))
    .where(and(openReset(token), isNull(users.disabledAt)));
  if (!found) throw noReset();
  return found;
}

/** Consumes the link. When two requests race, only the first succeeds. @throws Problem NOT_FOUND */
export async function takePasswordReset(tx: Executor, token: string): Promise<void> {
  const taken = await tx.delete(passwordResets).where(openReset(token)).returning();
  if (taken.length === 0) throw noReset();
}

export async function readMe(db: Executor, caller: Caller): Promise<Me> {
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
    expiresAt: (caller.expiresAt ?? ENDLESS).toISOString(),
    organizations: memberships.map((organization) => ({
      ...organization,
      workspaces: roles
        .filter(({ organizationId }) => organizationId === organization.id)
        .map(({ id, name, role }) => ({ id, name, role })),
    })),
  };
}
