/** Organizations, workspaces and modules in the database. */

import { and, count, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { Organization, RecipeRelease, Workspace } from '#contract/shapes/organization.ts';
import type { Executor } from '#storage/db/connection.ts';
import { byCreation, byName, mapPage, type Page, type PageRequest, readPage } from '#storage/db/page.ts';
import {
  analysisModules,
  organizationMembers,
  organizations,
  workspaceMembers,
  workspaces,
} from '#storage/db/schema-accounts.ts';
import { auditLog } from '#storage/db/schema-collaboration.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { insertRow, takeRow } from '#storage/db/take-row.ts';
import { readRecipeRelease } from '#storage/recipes/release.ts';
import { Problem } from '../../http/problem.ts';

/** Number of projects outside the trash, and their size in bytes, by organization. */
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
  rows: { id: string; name: string; isManager: boolean; createdAt: Date; settings: object }[],
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
  return rows.map(({ id, name, isManager, createdAt, settings }) => ({
    id,
    name,
    isManager,
    workspaceCount: workspaceCounts.get(id) ?? 0,
    memberCount: memberCounts.get(id) ?? 0,
    projectCount: figures.get(id)?.count ?? 0,
    storageBytes: figures.get(id)?.bytes ?? 0,
    recipeRelease: readRecipeRelease(settings),
    createdAt: createdAt.toISOString(),
  }));
}

const organizationColumns = {
  id: organizations.id,
  name: organizations.name,
  isManager: organizationMembers.isManager,
  createdAt: organizations.createdAt,
  settings: organizations.settings,
};

export const listOrganizations = (
  db: Executor,
  userId: string,
  page: PageRequest,
): Promise<Page<Organization>> =>
  mapPage(
    readPage(db, page, {
      rows: () =>
        db
          .select(organizationColumns)
          .from(organizationMembers)
          .innerJoin(organizations, eq(organizations.id, organizationMembers.organizationId))
          .$dynamic(),
      where: eq(organizationMembers.userId, userId),
      order: byName(organizations),
      keyed: (row) => row,
    }),
    (rows) => organizationShapes(db, rows),
  );

export async function readOrganization(db: Executor, id: string, userId: string): Promise<Organization> {
  const rows = await db
    .select(organizationColumns)
    .from(organizationMembers)
    .innerJoin(organizations, eq(organizations.id, organizationMembers.organizationId))
    .where(and(eq(organizationMembers.userId, userId), eq(organizations.id, id)));
  const shape = takeRow(await organizationShapes(db, rows));
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
  const countsById = new Map(counts.map((row) => [row.id, row.count]));
  const bytesById = new Map(counts.map((row) => [row.id, Number(row.bytes)]));
  return rows.map(({ workspace, role }) => ({
    id: workspace.id,
    organizationId: workspace.organizationId,
    name: workspace.name,
    role,
    projectCount: countsById.get(workspace.id) ?? 0,
    storageBytes: bytesById.get(workspace.id) ?? 0,
    createdAt: workspace.createdAt.toISOString(),
  }));
}

/** Workspaces in which the user has a role; all of them for a manager. */
export const listWorkspaces = (
  db: Executor,
  organizationId: string,
  userId: string,
  isManager: boolean,
  page: PageRequest,
): Promise<Page<Workspace>> =>
  mapPage(
    readPage(db, page, {
      rows: () =>
        db
          .select({ workspace: workspaces, role: workspaceMembers.role })
          .from(workspaces)
          .leftJoin(workspaceMembers, myRole(userId))
          .$dynamic(),
      where: and(
        eq(workspaces.organizationId, organizationId),
        isNull(workspaces.archivedAt),
        isManager ? undefined : sql`${workspaceMembers.role} is not null`,
      ),
      order: byName(workspaces),
      keyed: ({ workspace }) => workspace,
    }),
    (rows) => workspaceShapes(db, rows),
  );

export async function readWorkspace(db: Executor, id: string, userId: string): Promise<Workspace> {
  const rows = await db
    .select({ workspace: workspaces, role: workspaceMembers.role })
    .from(workspaces)
    .leftJoin(workspaceMembers, myRole(userId))
    .where(eq(workspaces.id, id));
  const shape = takeRow(await workspaceShapes(db, rows));
  return shape;
}

export async function insertWorkspace(
  tx: Executor,
  organizationId: string,
  name: string,
  editorId: string,
): Promise<string> {
  const { id } = await insertRow(tx, workspaces, { organizationId, name });
  await tx.insert(workspaceMembers).values({ workspaceId: id, userId: editorId, role: 'editor' });
  return id;
}

export async function renameWorkspace(tx: Executor, id: string, name: string): Promise<void> {
  await tx.update(workspaces).set({ name, updatedAt: sql`now()` }).where(eq(workspaces.id, id));
}

export const listModules = (db: Executor, organizationId: string, page: PageRequest) =>
  readPage(db, page, {
    rows: () => db.select().from(analysisModules).$dynamic(),
    where: eq(analysisModules.organizationId, organizationId),
    order: byName(analysisModules),
    keyed: (row) => row,
  });

export async function setModule(tx: Executor, organizationId: string, id: string, enabled: boolean) {
  const [row] = await tx
    .update(analysisModules)
    .set({ enabled, updatedAt: sql`now()` })
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

export const listAudit = (
  db: Executor,
  organizationId: string,
  { actor, action, resource, project }: AuditFilter,
  page: PageRequest,
) =>
  readPage(db, page, {
    rows: () => db.select().from(auditLog).$dynamic(),
    where: and(
      eq(auditLog.organizationId, organizationId),
      actor === undefined ? undefined : eq(auditLog.userId, actor),
      action === undefined ? undefined : eq(auditLog.action, action),
      resource === undefined ? undefined : eq(auditLog.resource, resource),
      project === undefined ? undefined : eq(auditLog.projectId, project),
    ),
    order: byCreation(auditLog),
    keyed: (row) => row,
  });

export async function patchOrganization(
  tx: Executor,
  id: string,
  { name, recipeRelease }: { name?: string | undefined; recipeRelease?: RecipeRelease | undefined },
): Promise<void> {
  await tx
    .update(organizations)
    .set({
      ...(name === undefined ? {} : { name }),
      ...(recipeRelease === undefined
        ? {}
        : { settings: sql`${organizations.settings} || ${JSON.stringify({ recipeRelease })}::jsonb` }),
      updatedAt: sql`now()`,
    })
    .where(eq(organizations.id, id));
}

/** @throws Problem CONFLICT while it contains projects, including those in the trash */
export async function archiveWorkspace(tx: Executor, id: string): Promise<string> {
  const workspace = takeRow(await tx.select().from(workspaces).where(eq(workspaces.id, id)).for('update'));
  const { held } = takeRow(
    await tx.select({ held: count() }).from(projects).where(eq(projects.workspaceId, id)),
  );
  if (held > 0)
    throw new Problem(
      'CONFLICT',
      `the workspace holds ${held} ${held === 1 ? 'project' : 'projects'}, those in the trash counted: move or purge them first`,
    );
  await tx.update(workspaces).set({ archivedAt: sql`now()` }).where(eq(workspaces.id, id));
  return workspace.name;
}
