/** Members of an organization: accounts, whether they manage it, their roles in its workspaces. */
import { and, asc, count, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Member } from '#contract/shapes/organization.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { organizationMembers, users, workspaceMembers, workspaces } from '#storage/db/schema-accounts.ts';
import { writeNotification } from '#storage/db/write-notification.ts';
import { offsetOf, type PageRequest } from '../../http/page.ts';
import { invalidField, notFound, Problem } from '../../http/problem.ts';

export interface WorkspaceGrant {
  id: string;
  role: 'viewer' | 'editor';
}

const columns = {
  id: organizationMembers.id,
  userId: users.id,
  email: users.email,
  name: users.name,
  isManager: organizationMembers.isManager,
  createdAt: organizationMembers.createdAt,
};

type MemberRow = {
  id: string;
  userId: string;
  email: string;
  name: string;
  isManager: boolean;
  createdAt: Date;
};

async function shapesOf(db: Executor, organizationId: string, rows: MemberRow[]): Promise<Member[]> {
  if (rows.length === 0) return [];
  const grants = await db
    .select({
      userId: workspaceMembers.userId,
      id: workspaceMembers.workspaceId,
      role: workspaceMembers.role,
    })
    .from(workspaceMembers)
    .innerJoin(workspaces, eq(workspaces.id, workspaceMembers.workspaceId))
    .where(
      and(
        eq(workspaces.organizationId, organizationId),
        isNull(workspaces.archivedAt),
        inArray(
          workspaceMembers.userId,
          rows.map(({ userId }) => userId),
        ),
      ),
    )
    .orderBy(asc(workspaces.name), asc(workspaces.id));
  const byUser = Map.groupBy(grants, ({ userId }) => userId);
  return rows.map(({ userId, createdAt, ...row }) => ({
    ...row,
    workspaces: (byUser.get(userId) ?? []).map(({ id, role }) => ({ id, role })),
    createdAt: createdAt.toISOString(),
  }));
}

export async function listMembers(db: Executor, organizationId: string, page: PageRequest) {
  const condition = eq(organizationMembers.organizationId, organizationId);
  const [{ total }] = await db.select({ total: count() }).from(organizationMembers).where(condition);
  const rows = await db
    .select(columns)
    .from(organizationMembers)
    .innerJoin(users, eq(users.id, organizationMembers.userId))
    .where(condition)
    .orderBy(asc(users.name), asc(organizationMembers.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, results: await shapesOf(db, organizationId, rows) };
}

/** @throws Problem NOT_FOUND */
export async function readMember(
  db: Executor,
  organizationId: string,
  memberId: string,
): Promise<Member & { userId: string }> {
  const rows = await db
    .select(columns)
    .from(organizationMembers)
    .innerJoin(users, eq(users.id, organizationMembers.userId))
    .where(and(eq(organizationMembers.organizationId, organizationId), eq(organizationMembers.id, memberId)));
  if (rows.length === 0) throw notFound('member');
  const [shape] = await shapesOf(db, organizationId, rows);
  return { ...shape, userId: rows[0].userId };
}

/** The account with this address, made when there is none. */
export async function findOrMakeUser(
  tx: Executor,
  account: { email: string; name: string; passwordHash: string },
): Promise<{ id: string; isNew: boolean }> {
  const [made] = await tx.insert(users).values(account).onConflictDoNothing().returning({ id: users.id });
  if (made) return { id: made.id, isNew: true };
  const [found] = await tx
    .select({ id: users.id })
    .from(users)
    .where(eq(sql`lower(${users.email})`, account.email.toLowerCase()));
  return { id: found.id, isNew: false };
}

export async function insertMember(
  tx: Executor,
  organizationId: string,
  userId: string,
  isManager: boolean,
): Promise<string> {
  const [made] = await tx
    .insert(organizationMembers)
    .values({ organizationId, userId, isManager })
    .onConflictDoNothing()
    .returning({ id: organizationMembers.id });
  if (!made) throw new Problem('CONFLICT', 'this account is a member already', { field: 'email' });
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
  if (unknown >= 0) throw invalidField(`workspaces.${unknown}.id`, 'is no workspace of this organization');
  if (ids.length > 0) {
    await tx
      .delete(workspaceMembers)
      .where(and(eq(workspaceMembers.userId, userId), inArray(workspaceMembers.workspaceId, ids)));
  }
  const rows = [...wanted].map(([workspaceId, role]) => ({ workspaceId, userId, role }));
  if (rows.length > 0) await tx.insert(workspaceMembers).values(rows);
}

/** @throws Problem CONFLICT when nobody else manages the organization; locks its memberships */
export async function keepAManager(tx: Executor, organizationId: string, memberId: string): Promise<void> {
  const managers = await tx
    .select({ id: organizationMembers.id })
    .from(organizationMembers)
    .where(
      and(eq(organizationMembers.organizationId, organizationId), eq(organizationMembers.isManager, true)),
    )
    .for('update');
  if (managers.length === 1 && managers[0].id === memberId)
    throw new Problem(
      'CONFLICT',
      'an organization needs a manager, and this is the only one: make somebody else a manager first',
    );
}

export async function setManager(tx: Executor, memberId: string, isManager: boolean): Promise<void> {
  await tx.update(organizationMembers).set({ isManager }).where(eq(organizationMembers.id, memberId));
}

export async function renameUser(tx: Executor, userId: string, name: string): Promise<void> {
  await tx.update(users).set({ name }).where(eq(users.id, userId));
}

export async function deleteMember(tx: Executor, memberId: string): Promise<void> {
  await tx.delete(organizationMembers).where(eq(organizationMembers.id, memberId));
}

/** Tells a member of the workspaces that he has come to see, or may do more in, since `before`. */
export async function tellOfRoles(
  tx: Transaction,
  organizationId: string,
  userId: string,
  before: WorkspaceGrant[],
  by: string,
): Promise<void> {
  const had = new Map(before.map(({ id, role }) => [id, role]));
  const now = await tx
    .select({ id: workspaces.id, name: workspaces.name, role: workspaceMembers.role })
    .from(workspaceMembers)
    .innerJoin(workspaces, eq(workspaces.id, workspaceMembers.workspaceId))
    .where(
      and(
        eq(workspaces.organizationId, organizationId),
        eq(workspaceMembers.userId, userId),
        isNull(workspaces.archivedAt),
      ),
    );
  for (const { id, name, role } of now.filter((grant) => had.get(grant.id) !== grant.role)) {
    await writeNotification(tx, {
      userId,
      organizationId,
      kind: 'workspace.shared',
      title: `${by} made you ${role} of the workspace “${name}”`,
      body: '',
      subject: { resource: 'workspace', id },
    });
  }
}

/** Those of the grants whose workspace is still there. */
export async function existingGrants(
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
