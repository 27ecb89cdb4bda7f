/** Permissions and conditions of a bulk request per project, used for preview and execution. */
import { accessibleProjects, accessibleWorkspaces, roleSuffices } from '../access/access.ts';
import type { Executor } from '../db/connection.ts';
import type { WorkError } from '../db/schema-work.ts';
import { needsEditor, noSuchProject } from '../projects/decide.ts';

const noSuchWorkspace: WorkError = {
  code: 'NOT_FOUND',
  detail: 'destination not found, or you have no access to it',
};
const needsEditorAtDestination: WorkError = {
  code: 'PERMISSION_DENIED',
  detail: 'this needs the editor role in the destination too',
};

/** The projects that the user may change, and the reasons for the others. */
export async function permitted(
  db: Executor,
  userId: string | null,
  ids: readonly string[],
  { withDeleted }: { withDeleted: boolean },
  role: 'viewer' | 'editor' = 'editor',
): Promise<{ allowed: string[]; refused: Map<string, WorkError> }> {
  const seen = userId === null ? new Map() : await accessibleProjects(db, userId, ids, { withDeleted });
  const refused = new Map<string, WorkError>();
  const allowed: string[] = [];
  for (const id of ids) {
    const access = seen.get(id);
    if (!access) refused.set(id, noSuchProject);
    else if (!roleSuffices(access.role, role)) refused.set(id, needsEditor);
    else allowed.push(id);
  }
  return { allowed, refused };
}

/** Why a workspace can't be the destination; undefined when it can. */
export async function reasonAgainstDestinations(
  db: Executor,
  userId: string | null,
  ids: readonly string[],
): Promise<Map<string, WorkError>> {
  const found = userId === null ? new Map() : await accessibleWorkspaces(db, userId, ids);
  const refused = new Map<string, WorkError>();
  for (const id of ids) {
    const access = found.get(id);
    if (!access) refused.set(id, noSuchWorkspace);
    else if (!roleSuffices(access.role, 'editor')) refused.set(id, needsEditorAtDestination);
  }
  return refused;
}

export interface Destination {
  id: string;
  organizationId: string;
}

/** The destination workspace of a move or copy. */
export async function findDestination(
  db: Executor,
  userId: string | null,
  workspaceId: string,
): Promise<Destination | WorkError> {
  const refused = (await reasonAgainstDestinations(db, userId, [workspaceId])).get(workspaceId);
  if (refused || userId === null) return refused ?? noSuchWorkspace;
  const found = (await accessibleWorkspaces(db, userId, [workspaceId])).get(workspaceId);
  return found ?? noSuchWorkspace;
}

export const isRefusal = (value: Destination | WorkError): value is WorkError => 'code' in value;
