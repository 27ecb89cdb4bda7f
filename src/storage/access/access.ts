/**
 * Access rules, defined over sets of ids, so that single and bulk operations share one code path. Results omit whatever
 * the caller may not see, whether it exists or not.
 */

import { and, eq, inArray, isNull, ne, notExists, type SQLWrapper, sql } from 'drizzle-orm';
import type { WorkspaceRole } from '#contract/shapes/organization.ts';
import type { ProjectState } from '#contract/shapes/project.ts';
import { among } from '../db/among.ts';
import type { Executor } from '../db/connection.ts';
import { prepared } from '../db/prepared.ts';
import { organizationMembers, users, workspaceMembers, workspaces } from '../db/schema-accounts.ts';
import { projects } from '../db/schema-projects.ts';
import { bulkItems, bulkRequests } from '../db/schema-work.ts';
import { takeRow } from '../db/take-row.ts';

export interface ProjectAccess {
  id: string;
  organizationId: string;
  workspaceId: string;
  state: ProjectState;
  role: WorkspaceRole;
}

export interface WorkspaceAccess {
  id: string;
  organizationId: string;
  role: WorkspaceRole;
}

export interface OrganizationAccess {
  id: string;
  isManager: boolean;
}

interface ProjectOptions {
  /** includes the trash, as restore needs */
  withDeleted?: boolean;
}

/** Ids, or a query for them, so that unknown and foreign ids take the same time. */
type Ids = readonly string[] | SQLWrapper;
const isList = (ids: Ids): ids is readonly string[] => Array.isArray(ids);

/** The projects among these that the user may see, by id. */
export async function accessibleProjects(
  db: Executor,
  userId: string,
  ids: Ids,
  options: ProjectOptions = {},
): Promise<Map<string, ProjectAccess>> {
  if (isList(ids) && ids.length === 0) return new Map();
  const rows = await db
    .select({
      id: projects.id,
      organizationId: projects.organizationId,
      workspaceId: projects.workspaceId,
      state: projects.state,
      role: workspaceMembers.role,
    })
    .from(projects)
    .innerJoin(
      workspaceMembers,
      and(eq(workspaceMembers.workspaceId, projects.workspaceId), eq(workspaceMembers.userId, userId)),
    )
    .where(
      and(
        isList(ids) ? among(projects.id, ids) : inArray(projects.id, ids),
        options.withDeleted ? undefined : ne(projects.state, 'deleted'),
      ),
    );
  return new Map(rows.map((row) => [row.id, row]));
}

/** The workspaces among these in which the user has a role, by id. */
export async function accessibleWorkspaces(
  db: Executor,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, WorkspaceAccess>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: workspaces.id, organizationId: workspaces.organizationId, role: workspaceMembers.role })
    .from(workspaces)
    .innerJoin(
      workspaceMembers,
      and(eq(workspaceMembers.workspaceId, workspaces.id), eq(workspaceMembers.userId, userId)),
    )
    .where(and(inArray(workspaces.id, [...ids]), isNull(workspaces.archivedAt)));
  return new Map(rows.map((row) => [row.id, row]));
}

/** The organizations among these of which the user is a member, by id. */
export async function accessibleOrganizations(
  db: Executor,
  userId: string,
  ids: Ids,
): Promise<Map<string, OrganizationAccess>> {
  if (isList(ids) && ids.length === 0) return new Map();
  const rows = await db
    .select({ id: organizationMembers.organizationId, isManager: organizationMembers.isManager })
    .from(organizationMembers)
    .where(
      and(
        eq(organizationMembers.userId, userId),
        inArray(organizationMembers.organizationId, isList(ids) ? [...ids] : ids),
      ),
    );
  return new Map(rows.map((row) => [row.id, row]));
}

const workspacesOfUser = prepared((db) =>
  db
    .select({ id: workspaces.id, organizationId: workspaces.organizationId, role: workspaceMembers.role })
    .from(workspaces)
    .innerJoin(
      workspaceMembers,
      and(
        eq(workspaceMembers.workspaceId, workspaces.id),
        eq(workspaceMembers.userId, sql.placeholder('userId')),
      ),
    )
    .where(isNull(workspaces.archivedAt))
    .prepare(''),
);

/** All workspaces in which the user has a role. */
export async function findMemberWorkspaces(db: Executor, userId: string): Promise<WorkspaceAccess[]> {
  return workspacesOfUser(db).execute({ userId });
}

/** Source of the file behind a signed URL: a project, or a bulk request with results of many. */
export type FileSource = { projectId: string } | { bulkRequestId: string };

export interface FileReader {
  email: string;
  organizationId: string;
  projectId: string | null;
}

/**
 * The user with whose rights a file is read; undefined unless that user may see the whole source.
 *
 * @param options withDeleted: also projects in the trash
 */
export async function findFileReader(
  db: Executor,
  userId: string,
  source: FileSource,
  options: ProjectOptions = {},
): Promise<FileReader | undefined> {
  const [user] = await db
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.disabledAt)));
  if (!user) return undefined;
  if ('projectId' in source) {
    const { projectId } = source;
    const project = (await accessibleProjects(db, userId, [projectId], options)).get(projectId);
    return project && { ...user, organizationId: project.organizationId, projectId };
  }
  const { bulkRequestId } = source;
  if (!(await readableBulkRequests(db, userId, [bulkRequestId])).has(bulkRequestId)) return undefined;
  const request = takeRow(
    await db
      .select({ organizationId: bulkRequests.organizationId })
      .from(bulkRequests)
      .where(eq(bulkRequests.id, bulkRequestId)),
  );
  return request.organizationId === null
    ? undefined
    : { ...user, organizationId: request.organizationId, projectId: null };
}

/** The user's own bulk requests for which the user may still see every successfully processed project. */
export async function readableBulkRequests(
  db: Executor,
  userId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const seen = db
    .select({ id: projects.id })
    .from(projects)
    .innerJoin(
      workspaceMembers,
      and(eq(workspaceMembers.workspaceId, projects.workspaceId), eq(workspaceMembers.userId, userId)),
    )
    .where(eq(projects.id, bulkItems.projectId));
  const lost = db
    .select({ id: bulkItems.projectId })
    .from(bulkItems)
    .where(
      and(eq(bulkItems.bulkRequestId, bulkRequests.id), eq(bulkItems.status, 'completed'), notExists(seen)),
    );
  const rows = await db
    .select({ id: bulkRequests.id })
    .from(bulkRequests)
    .where(and(inArray(bulkRequests.id, [...ids]), eq(bulkRequests.createdBy, userId), notExists(lost)));
  return new Set(rows.map(({ id }) => id));
}

/** Whether a role includes the `needed` one. */
export const roleSuffices = (role: WorkspaceRole, needed: WorkspaceRole): boolean =>
  needed === 'viewer' || role === 'editor';
