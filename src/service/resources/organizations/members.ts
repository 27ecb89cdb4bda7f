/** Members of an organization with their accounts, manager status and workspace roles. */

import { and, asc, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import type { Member } from '#contract/shapes/organization.ts';
import type { OrganizationAccess } from '#storage/access/access.ts';
import { nameInOrganization } from '#storage/access/accounts.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { byName, mapPage, type Page, type PageRequest, readPage } from '#storage/db/page.ts';
import { organizationMembers, users, workspaceMembers, workspaces } from '#storage/db/schema-accounts.ts';
import { takeRow } from '#storage/db/take-row.ts';
import { writeNotification } from '#storage/db/write-notification.ts';
import type { WorkspaceGrant } from '../../access/join-organization.ts';
import { notFound, Problem } from '../../http/problem.ts';

const columns = {
  id: organizationMembers.id,
  userId: users.id,
  email: users.email,
  name: nameInOrganization,
  disabledAt: users.disabledAt,
  isManager: organizationMembers.isManager,
  createdAt: organizationMembers.createdAt,
};

type MemberRow = {
  id: string;
  userId: string;
  email: string;
  name: string;
  disabledAt: Date | null;
  isManager: boolean;
  createdAt: Date;
};

async function memberShapes(
  db: Executor,
  { id: organizationId, isManager: mayManage }: Pick<OrganizationAccess, 'id' | 'isManager'>,
  rows: MemberRow[],
): Promise<Member[]> {
  if (rows.length === 0) return [];
  const userIds = rows.map(({ userId }) => userId);
  // Only managers may know whether a member belongs to another organization.
  const elsewhere = mayManage
    ? await db
        .selectDistinct({ userId: organizationMembers.userId })
        .from(organizationMembers)
        .where(
          and(
            inArray(organizationMembers.userId, userIds),
            ne(organizationMembers.organizationId, organizationId),
          ),
        )
    : [];
  const isElsewhere = new Set(elsewhere.map(({ userId }) => userId));
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
        inArray(workspaceMembers.userId, userIds),
      ),
    )
    .orderBy(asc(workspaces.name), asc(workspaces.id));
  const byUser = Map.groupBy(grants, ({ userId }) => userId);
  return rows.map(({ userId, createdAt, disabledAt, ...row }) => ({
    ...row,
    isDisabled: disabledAt !== null,
    isManagedHere: mayManage && !isElsewhere.has(userId),
    workspaces: (byUser.get(userId) ?? []).map(({ id, role }) => ({ id, role })),
    createdAt: createdAt.toISOString(),
  }));
}

export const listMembers = (
  db: Executor,
  organization: Pick<OrganizationAccess, 'id' | 'isManager'>,
  page: PageRequest,
): Promise<Page<Member>> =>
  mapPage(
    readPage(db, page, {
      rows: () =>
        db
          .select(columns)
          .from(organizationMembers)
          .innerJoin(users, eq(users.id, organizationMembers.userId))
          .$dynamic(),
      where: eq(organizationMembers.organizationId, organization.id),
      order: byName({ name: nameInOrganization, id: organizationMembers.id }),
      keyed: (row) => row,
    }),
    (rows) => memberShapes(db, organization, rows),
  );

/** The member as shown to a manager. @throws Problem NOT_FOUND */
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
  const [row] = rows;
  if (!row) throw notFound('member');
  const shape = takeRow(await memberShapes(db, { id: organizationId, isManager: true }, rows));
  return { ...shape, userId: row.userId };
}

/** Whether the user belongs to more than one organization. */
export async function isMemberElsewhere(tx: Executor, userId: string): Promise<boolean> {
  const rows = await tx
    .select({ id: organizationMembers.id })
    .from(organizationMembers)
    .where(eq(organizationMembers.userId, userId))
    .limit(2);
  return rows.length > 1;
}

/** Locks the manager memberships. @throws Problem CONFLICT when the organization has no other manager */
export async function keepAManager(tx: Executor, organizationId: string, memberId: string): Promise<void> {
  const managers = await tx
    .select({ id: organizationMembers.id })
    .from(organizationMembers)
    .where(
      and(eq(organizationMembers.organizationId, organizationId), eq(organizationMembers.isManager, true)),
    )
    .for('update');
  if (managers.length === 1 && managers[0]?.id === memberId)
    throw new Problem(
      'CONFLICT',
      'an organization needs a manager, and this is the only one: make somebody else a manager first',
    );
}

export async function setManager(tx: Executor, memberId: string, isManager: boolean): Promise<void> {
  await tx.update(organizationMembers).set({ isManager }).where(eq(organizationMembers.id, memberId));
}

/** Sets the member's name in this organization; null: the name of the account. */
export async function setName(tx: Executor, memberId: string, name: string | null): Promise<void> {
  await tx.update(organizationMembers).set({ name }).where(eq(organizationMembers.id, memberId));
}

export async function setDisabled(tx: Executor, userId: string, isDisabled: boolean): Promise<void> {
  await tx
    .update(users)
    .set({ disabledAt: isDisabled ? sql`now()` : null })
    .where(eq(users.id, userId));
}

export async function deleteMember(tx: Executor, memberId: string): Promise<void> {
  await tx.delete(organizationMembers).where(eq(organizationMembers.id, memberId));
}

/** Notifies a member of workspaces with a new or higher role since `before`. */
export async function announceRoles(
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
