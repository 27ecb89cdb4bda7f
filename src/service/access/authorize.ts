/** Carries out the access that an operation declares: finds the thing, then what the caller may do with it. */
import { and, eq } from 'drizzle-orm';
import { type Access, type OperationDeclaration, pathParameters } from '#contract/operations/operation.ts';
import type { WorkspaceRole } from '#contract/shapes/organization.ts';
import {
  accessibleOrganizations,
  accessibleProjects,
  accessibleWorkspaces,
  type OrganizationAccess,
  type ProjectAccess,
  roleSuffices,
  type WorkspaceAccess,
} from '#storage/access/access.ts';
import type { Executor } from '#storage/db/connection.ts';
import { tokens, workspaces } from '#storage/db/schema-accounts.ts';
import { bookmarks } from '#storage/db/schema-collaboration.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { bulkRequests, exports, operations, recipeInvocations, uploads } from '#storage/db/schema-work.ts';
import { notFound, Problem } from '../http/problem.ts';

/** What the operation is about, as far as its path or body names it. */
export interface Target {
  project?: ProjectAccess;
  workspace?: WorkspaceAccess;
  organization?: OrganizationAccess;
}

/** Tables of things that belong to a project, by the name that the contract gives them. */
const partsOfProjects = {
  dataObject: { table: dataObjects, words: 'data object' },
  operation: { table: operations, words: 'operation' },
  invocation: { table: recipeInvocations, words: 'recipe invocation' },
  bookmark: { table: bookmarks, words: 'bookmark' },
  upload: { table: uploads, words: 'upload' },
} as const;

async function projectIdOf(db: Executor, of: keyof typeof partsOfProjects, id: string): Promise<string> {
  const { table, words } = partsOfProjects[of];
  const [row] = await db.select({ projectId: table.projectId }).from(table).where(eq(table.id, id)).limit(1);
  if (!row) throw notFound(words);
  return row.projectId;
}

function requireRole(role: WorkspaceRole, needed: WorkspaceRole): void {
  if (roleSuffices(role, needed)) return;
  throw new Problem(
    'PERMISSION_DENIED',
    'this needs the role editor in the workspace; you are a viewer of it',
  );
}

/** Restoring is what can be done with a project in the trash. */
const reachesTrash = (declaration: OperationDeclaration): boolean =>
  declaration.path === '/api/v2/projects/{id}/restore';

async function projectTarget(
  db: Executor,
  userId: string,
  declaration: OperationDeclaration,
  needed: WorkspaceRole,
  projectId: string,
  words: string,
  field?: string,
): Promise<Target> {
  const found = await accessibleProjects(db, userId, [projectId], { withDeleted: reachesTrash(declaration) });
  const project = found.get(projectId);
  if (!project) throw notFound(words, field);
  requireRole(project.role, needed);
  if (project.state === 'archived' && declaration.problems?.includes('PROJECT_ARCHIVED')) throw archived();
  return { project };
}

export const archived = (): Problem =>
  new Problem('PROJECT_ARCHIVED', 'the project is archived; restore it first');

/** Whether the thing that access is decided on is named in the body, so that the body must be read first. */
export function accessIsInBody(declaration: OperationDeclaration): boolean {
  const { access } = declaration;
  return (
    access.kind === 'workspace' &&
    (access.of === 'workspace' || access.of === 'project') &&
    pathParameters(declaration.path).length === 0
  );
}

async function organizationTarget(
  db: Executor,
  userId: string,
  declaration: OperationDeclaration,
  needed: 'member' | 'manager',
  id: string,
): Promise<Target> {
  let organizationId = id;
  if (declaration.path.startsWith('/api/v2/workspaces/')) {
    const [row] = await db
      .select({ organizationId: workspaces.organizationId })
      .from(workspaces)
      .where(eq(workspaces.id, id))
      .limit(1);
    if (!row) throw notFound('workspace');
    organizationId = row.organizationId;
  }
  const organization = (await accessibleOrganizations(db, userId, [organizationId])).get(organizationId);
  if (!organization) throw notFound('organization');
  if (needed === 'manager' && !organization.isManager)
    throw new Problem('PERMISSION_DENIED', 'this needs a manager of the organization');
  return { organization };
}

async function checkOwner(db: Executor, userId: string, path: string, id: string): Promise<void> {
  const [table, owner, words] = path.startsWith('/api/v2/bulkRequests/')
    ? ([bulkRequests, bulkRequests.createdBy, 'bulk request'] as const)
    : path.startsWith('/api/v2/exports/')
      ? ([exports, exports.createdBy, 'export'] as const)
      : ([tokens, tokens.userId, 'access token'] as const);
  const [row] = await db
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.id, id), eq(owner, userId)))
    .limit(1);
  if (!row) throw notFound(words);
}

type WorkspaceRule = Extract<Access, { kind: 'workspace' }>;

async function workspaceTarget(
  db: Executor,
  userId: string,
  declaration: OperationDeclaration,
  access: WorkspaceRule,
  id: string | undefined,
  body: Record<string, unknown>,
): Promise<Target> {
  const { role, of } = access;
  if (of === 'eachProject') return {};
  if (of === 'workspace') {
    const workspaceId = String(body['workspaceId']).toLowerCase();
    const workspace = (await accessibleWorkspaces(db, userId, [workspaceId])).get(workspaceId);
    if (!workspace) throw notFound('workspace', 'workspaceId');
    requireRole(workspace.role, role);
    return { workspace };
  }
  if (of === 'project') {
    const projectId = id ?? String(body['projectId']).toLowerCase();
    const field = id === undefined ? 'projectId' : undefined;
    return projectTarget(db, userId, declaration, role, projectId, 'project', field);
  }
  // A new upload names its project in a header of its protocol, which its route reads.
  if (id === undefined) return {};
  const projectId = await projectIdOf(db, of, id);
  return projectTarget(db, userId, declaration, role, projectId, partsOfProjects[of].words);
}

/**
 * @param id the first parameter of the path, in lower case
 * @param body checked already, where access is decided by it
 * @throws Problem NOT_FOUND, PERMISSION_DENIED or PROJECT_ARCHIVED, in this order
 */
export async function authorize(
  db: Executor,
  userId: string,
  declaration: OperationDeclaration,
  id: string | undefined,
  body: Record<string, unknown>,
): Promise<Target> {
  const { access } = declaration;
  switch (access.kind) {
    case 'public':
    case 'signedIn':
    case 'signedAddress':
      return {};
    case 'organization':
      return id === undefined ? {} : organizationTarget(db, userId, declaration, access.role, id);
    case 'own':
      if (id !== undefined) await checkOwner(db, userId, declaration.path, id);
      return {};
    case 'workspace':
      return workspaceTarget(db, userId, declaration, access, id, body);
  }
}
