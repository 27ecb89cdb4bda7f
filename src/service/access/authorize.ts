/** Enforces the access that an operation declares: finds the resource, then checks the caller's rights to it. */
import { and, eq, isNull } from 'drizzle-orm';
import type { Access, OperationDeclaration } from '#contract/operations/operation.ts';
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
import { bookmarks, measurements } from '#storage/db/schema-collaboration.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { bulkRequests, exports, operations, recipeInvocations, uploads } from '#storage/db/schema-work.ts';
import { notFound, Problem } from '../http/problem.ts';

/** The resources that the path or body of an operation identifies. */
export interface Target {
  project?: ProjectAccess;
  workspace?: WorkspaceAccess;
  organization?: OrganizationAccess;
}

/** Tables of resources that belong to a project, by their name in the contract. */
const partsOfProjects = {
  dataObject: { table: dataObjects, words: 'data object' },
  operation: { table: operations, words: 'operation' },
  invocation: { table: recipeInvocations, words: 'run' },
  bookmark: { table: bookmarks, words: 'bookmark' },
  measurement: { table: measurements, words: 'measurement' },
  upload: { table: uploads, words: 'upload' },
} as const;

/** Tables of resources owned by a user. */
const ownThings = {
  bulkRequest: { table: bulkRequests, owner: bulkRequests.createdBy, words: 'bulk request' },
  export: { table: exports, owner: exports.createdBy, words: 'export' },
  accessToken: { table: tokens, owner: tokens.userId, words: 'access token' },
  session: { table: tokens, owner: tokens.userId, words: 'session' },
} as const;
const tokenKinds: Partial<Record<keyof typeof ownThings, 'personal' | 'session'>> = {
  accessToken: 'personal',
  session: 'session',
};

function requireRole(role: WorkspaceRole, needed: WorkspaceRole): void {
  if (roleSuffices(role, needed)) return;
  throw new Problem('PERMISSION_DENIED', 'this needs the editor role in the workspace; you are a viewer');
}

export const archived = (): Problem =>
  new Problem('PROJECT_ARCHIVED', 'the project is archived; restore it first');

/** Whether the body identifies the resource that access depends on, so that it must be read before the check. */
export const accessIsInBody = ({ access }: OperationDeclaration): boolean =>
  access.kind === 'workspace' && access.from === 'body';

type OrganizationRule = Extract<Access, { kind: 'organization' }>;
type WorkspaceRule = Extract<Access, { kind: 'workspace' }>;
type OwnRule = Extract<Access, { kind: 'own' }>;

async function organizationTarget(
  db: Executor,
  userId: string,
  { role, of }: OrganizationRule,
  id: string,
): Promise<Target> {
  const whose = db
    .select({ id: workspaces.organizationId })
    .from(workspaces)
    .where(and(eq(workspaces.id, id), isNull(workspaces.archivedAt)));
  const found = await accessibleOrganizations(db, userId, of === 'workspace' ? whose : [id]);
  const [organization] = found.values();
  if (!organization) throw notFound(of ?? 'organization');
  if (role === 'manager' && !organization.isManager)
    throw new Problem('PERMISSION_DENIED', 'this requires a manager of the organization');
  return { organization };
}

async function checkOwner(db: Executor, userId: string, of: OwnRule['of'], id: string): Promise<void> {
  if (of === undefined) throw new Error('the operation does not declare of what kind the thing is');
  const { table, owner, words } = ownThings[of];
  const kind = tokenKinds[of];
  const [row] = await db
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.id, id), eq(owner, userId), kind && eq(tokens.kind, kind)))
    .limit(1);
  if (!row) throw notFound(words);
  if (of !== 'export') return;
  // The owner may have lost access to the exported project since.
  const whose = db.select({ id: exports.projectId }).from(exports).where(eq(exports.id, id));
  if ((await accessibleProjects(db, userId, whose)).size === 0) throw notFound(words);
}

async function workspaceTarget(
  db: Executor,
  userId: string,
  declaration: OperationDeclaration,
  { role, of, from, inTrash }: WorkspaceRule,
  id: string | undefined,
  body: Record<string, unknown>,
): Promise<Target> {
  if (of === 'eachProject') return {};
  if (of === 'workspace') {
    const workspaceId = String(body['workspaceId']).toLowerCase();
    const workspace = (await accessibleWorkspaces(db, userId, [workspaceId])).get(workspaceId);
    if (!workspace) throw notFound('workspace', 'workspaceId');
    requireRole(workspace.role, role);
    return { workspace };
  }
  const named = from === 'body' ? String(body['projectId']).toLowerCase() : id;
  // A new upload names its project in a tus header, which its route reads.
  if (named === undefined) return {};
  const part = of === 'project' ? undefined : partsOfProjects[of];
  const whose = part
    ? db.select({ id: part.table.projectId }).from(part.table).where(eq(part.table.id, named))
    : [named];
  const [project] = (await accessibleProjects(db, userId, whose, { withDeleted: inTrash ?? false })).values();
  if (!project) throw notFound(part?.words ?? 'project', from === 'body' ? 'projectId' : undefined);
  requireRole(project.role, role);
  if (project.state === 'archived' && declaration.problems?.includes('PROJECT_ARCHIVED')) throw archived();
  return { project };
}

/**
 * @param id the first parameter of the path, in lower case
 * @param body already validated when access depends on it
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
      return id === undefined ? {} : organizationTarget(db, userId, access, id);
    case 'own':
      if (id !== undefined) await checkOwner(db, userId, access.of, id);
      return {};
    case 'workspace':
      return workspaceTarget(db, userId, declaration, access, id, body);
  }
}
