/**
 * Who may do what: the one rule set, over sets of ids, so that work on one thing and on ten thousand take
 * the same path. What a caller may not see is not in the answer, whether it exists or not.
 */

import { and, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import type { WorkspaceRole } from '#contract/shapes/organization.ts';
import type { ProjectState } from '#contract/shapes/project.ts';
import { among } from '../db/among.ts';
import type { Executor } from '../db/connection.ts';
import { prepared } from '../db/prepared.ts';
import { organizationMembers, workspaceMembers, workspaces } from '../db/schema-accounts.ts';
import { projects } from '../db/schema-projects.ts';

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
  /** the trash too, as restore needs it */
  withDeleted?: boolean;
}

/** Those of the projects that the user may see, by id. */
export async function accessibleProjects(
  db: Executor,
  userId: string,
  ids: readonly string[],
  options: ProjectOptions = {},
): Promise<Map<string, ProjectAccess>> {
  if (ids.length === 0) return new Map();
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
    .where(and(among(projects.id, ids), options.withDeleted ? undefined : ne(projects.state, 'deleted')));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Those of the workspaces that the user has a role in, by id. */
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

/** Those of the organizations that the user is a member of, by id. */
export async function accessibleOrganizations(
  db: Executor,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, OrganizationAccess>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: organizationMembers.organizationId, isManager: organizationMembers.isManager })
    .from(organizationMembers)
    .where(
      and(eq(organizationMembers.userId, userId), inArray(organizationMembers.organizationId, [...ids])),
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

/** Every workspace that the user has a role in. */
export async function workspacesOf(db: Executor, userId: string): Promise<WorkspaceAccess[]> {
  return workspacesOfUser(db).execute({ userId });
}

/** Whether a role is enough for what asks for `needed`. */
export const roleSuffices = (role: WorkspaceRole, needed: WorkspaceRole): boolean =>
  needed === 'viewer' || role === 'editor';
