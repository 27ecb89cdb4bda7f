/** Organizations, workspaces and modules in the database. */
import { and, asc, count, desc, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { Organization, Workspace } from '#contract/shapes/organization.ts';
import type { Executor } from '#storage/db/connection.ts';
import {
  analysisModules,
  organizationMembers,
  organizations,
  workspaceMembers,
  workspaces,
} from '#storage/db/schema-accounts.ts';
import { auditLog } from '#storage/db/schema-collaboration.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { offsetOf, type PageRequest } from '../../http/page.ts';
import { Problem } from '../../http/problem.ts';

interface Found<Item> {
  count: number;
  results: Item[];
}

/** Projects that are not in the trash, and their bytes, by organization. */
async function projectFigures(
  db: Executor,
  ids: string[],
): Promise<Map<string, { count: number; bytes: number }>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({
      id: projects.organizationId,
      count: count(),
      bytes: sql<string>`coalesce(sum(${projects.storageBytes}), 0)`,
    })
    .from(projects)
    .where(and(inArray(projects.organizationId, ids), ne(projects.state, 'deleted')))
    .groupBy(projects.organizationId);
  return new Map(rows.map((row) => [row.id, { count: row.count, bytes: Number(row.bytes) }]));
}

async function organizationShapes(
  db: Executor,
  rows: { id: string; name: string; isManager: boolean; createdAt: Date }[],
): Promise<Organization[]> {
  const ids = rows.map(({ id }) => id);
  const figures = await projectFigures(db, ids);
  const countBy = async (table: typeof workspaces | typeof organizationMembers, condition?: SQL) => {
    if (ids.length === 0) return new Map<string, number>();
    const found = await db
      .select({ id: table.organizationId, count: count() })
      .from(table)
      .where(and(inArray(table.organizationId, ids), condition))
      .groupBy(table.organizationId);
    return new Map(found.map((row) => [row.id, row.count]));
  };
  const workspaceCounts = await countBy(workspaces, isNull(workspaces.archivedAt));
  const memberCounts = await countBy(organizationMembers);
  return rows.map(({ id, name, isManager, createdAt }) => ({
    id,
    name,
    isManager,
    workspaceCount: workspaceCounts.get(id) ?? 0,
    memberCount: memberCounts.get(id) ?? 0,
    projectCount: figures.get(id)?.count ?? 0,
    storageBytes: figures.get(id)?.bytes ?? 0,
    createdAt: createdAt.toISOString(),
  }));
}

const organizationColumns = {
  id: organizations.id,
  name: organizations.name,
  isManager: organizationMembers.isManager,
  createdAt: organizations.createdAt,
};

export async function listOrganizations(
  db: Executor,
  userId: string,
  page: PageRequest,
): Promise<Found<Organization>> {
  const [{ total }] = await db
    .select({ total: count() })
    .from(organizationMembers)
    .where(eq(organizationMembers.userId, userId));
  const rows = await db
    .select(organizationColumns)
    .from(organizationMembers)
    .innerJoin(organizations, eq(organizations.id, organizationMembers.organizationId))
    .where(eq(organizationMembers.userId, userId))
    .orderBy(asc(organizations.name), asc(organizations.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, results: await organizationShapes(db, rows) };
}

export async function readOrganization(db: Executor, id: string, userId: string): Promise<Organization> {
  const rows = await db
    .select(organizationColumns)
    .from(organizationMembers)
    .innerJoin(organizations, eq(organizations.id, organizationMembers.organizationId))
    .where(and(eq(organizationMembers.userId, userId), eq(organizations.id, id)));
  const [shape] = await organizationShapes(db, rows);
  return shape;
}

const myRole = (userId: string) =>
  and(eq(workspaceMembers.workspaceId, workspaces.id), eq(workspaceMembers.userId, userId));

async function workspaceShapes(
  db: Executor,
  rows: { workspace: typeof workspaces.$inferSelect; role: 'viewer' | 'editor' | null }[],
): Promise<Workspace[]> {
  const ids = rows.map(({ workspace }) => workspace.id);
  const counts =
    ids.length === 0
      ? []
      : await db
          .select({
            id: projects.workspaceId,
            count: count(),
            bytes: sql<string>`coalesce(sum(${projects.storageBytes}), 0)`,
          })
          .from(projects)
          .where(and(inArray(projects.workspaceId, ids), ne(projects.state, 'deleted')))
          .groupBy(projects.workspaceId);
  const countOf = new Map(counts.map((row) => [row.id, row.count]));
  const bytesOf = new Map(counts.map((row) => [row.id, Number(row.bytes)]));
  return rows.map(({ workspace, role }) => ({
    id: workspace.id,
    organizationId: workspace.organizationId,
    name: workspace.name,
    role,
    projectCount: countOf.get(workspace.id) ?? 0,
    storageBytes: bytesOf.get(workspace.id) ?? 0,
    createdAt: workspace.createdAt.toISOString(),
  }));
}

/** Those with a role; a manager sees all. */
export async function listWorkspaces(
  db: Executor,
  organizationId: string,
  userId: string,
  isManager: boolean,
  page: PageRequest,
): Promise<Found<Workspace>> {
  const condition = and(
    eq(workspaces.organizationId, organizationId),
    isNull(workspaces.archivedAt),
    isManager ? undefined : sql`${workspaceMembers.role} is not null`,
  );
  const [{ total }] = await db
    .select({ total: count() })
    .from(workspaces)
    .leftJoin(workspaceMembers, myRole(userId))
    .where(condition);
  const rows = await db
    .select({ workspace: workspaces, role: workspaceMembers.role })
    .from(workspaces)
    .leftJoin(workspaceMembers, myRole(userId))
    .where(condition)
    .orderBy(asc(workspaces.name), asc(workspaces.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, results: await workspaceShapes(db, rows) };
}

export async function readWorkspace(db: Executor, id: string, userId: string): Promise<Workspace> {
  const rows = await db
    .select({ workspace: workspaces, role: workspaceMembers.role })
    .from(workspaces)
    .leftJoin(workspaceMembers, myRole(userId))
    .where(eq(workspaces.id, id));
  const [shape] = await workspaceShapes(db, rows);
  return shape;
}

export async function insertWorkspace(
  tx: Executor,
  organizationId: string,
  name: string,
  editorId: string,
): Promise<string> {
  const [{ id }] = await tx
    .insert(workspaces)
    .values({ organizationId, name })
    .returning({ id: workspaces.id });
  await tx.insert(workspaceMembers).values({ workspaceId: id, userId: editorId, role: 'editor' });
  return id;
}

export async function renameWorkspace(tx: Executor, id: string, name: string): Promise<void> {
  await tx.update(workspaces).set({ name, updatedAt: new Date() }).where(eq(workspaces.id, id));
}

export async function listModules(db: Executor, organizationId: string) {
  return db
    .select()
    .from(analysisModules)
    .where(eq(analysisModules.organizationId, organizationId))
    .orderBy(asc(analysisModules.name), asc(analysisModules.id));
}

export async function setModule(tx: Executor, organizationId: string, id: string, enabled: boolean) {
  const [row] = await tx
    .update(analysisModules)
    .set({ enabled, updatedAt: new Date() })
    .where(and(eq(analysisModules.id, id), eq(analysisModules.organizationId, organizationId)))
    .returning();
  return row as typeof analysisModules.$inferSelect | undefined;
}

export interface AuditFilter {
  actor?: string;
  action?: string;
  resource?: string;
  project?: string;
}

export async function listAudit(
  db: Executor,
  organizationId: string,
  filter: AuditFilter,
  page: PageRequest,
) {
  const { actor, action, resource, project } = filter;
  const condition = and(
    eq(auditLog.organizationId, organizationId),
    actor === undefined ? undefined : eq(auditLog.userId, actor),
    action === undefined ? undefined : eq(auditLog.action, action),
    resource === undefined ? undefined : eq(auditLog.resource, resource),
    project === undefined ? undefined : eq(auditLog.projectId, project),
  );
  const [{ total }] = await db.select({ total: count() }).from(auditLog).where(condition);
  const results = await db
    .select()
    .from(auditLog)
    .where(condition)
    .orderBy(desc(auditLog.createdAt), desc(auditLog.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, results };
}

export async function renameOrganization(tx: Executor, id: string, name: string): Promise<void> {
  await tx.update(organizations).set({ name, updatedAt: new Date() }).where(eq(organizations.id, id));
}

/** @throws Problem CONFLICT while it holds projects, those in the trash among them */
export async function archiveWorkspace(tx: Executor, id: string): Promise<string> {
  const [workspace] = await tx.select().from(workspaces).where(eq(workspaces.id, id)).for('update');
  const [{ held }] = await tx.select({ held: count() }).from(projects).where(eq(projects.workspaceId, id));
  if (held > 0)
    throw new Problem(
      'CONFLICT',
      `the workspace holds ${held} ${held === 1 ? 'project' : 'projects'}, those in the trash counted: move or purge them first`,
    );
  await tx.update(workspaces).set({ archivedAt: new Date() }).where(eq(workspaces.id, id));
  return workspace.name;
}
