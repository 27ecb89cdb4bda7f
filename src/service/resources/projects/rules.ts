/** Preconditions of changing a project, checked on its locked row. */
import type { ProblemCode } from '#contract/shapes/problem-codes.ts';
import { accessibleWorkspaces, roleSuffices, type WorkspaceAccess } from '#storage/access/access.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import type { WorkError } from '#storage/db/schema-work.ts';
import { lockProjects } from '#storage/projects/change-projects.ts';
import { archived } from '../../access/authorize.ts';
import { notFound, Problem } from '../../http/problem.ts';
import type { ProjectRow } from './project-rows.ts';

export const formatEtag = ({ version }: { version: number }): string => `"${version}"`;

/** @throws Problem PRECONDITION_FAILED when If-Match does not contain the current version */
export function requireMatch(ifMatch: string | undefined, row: { version: number }): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const given = ifMatch.split(',').map((tag) => tag.trim());
  if (given.includes(formatEtag(row))) return;
  throw new Problem(
    'PRECONDITION_FAILED',
    `the project was changed since: its ETag is ${formatEtag(row)}, If-Match says ${ifMatch}; read it again`,
    { headers: { etag: formatEtag(row) } },
  );
}

/** Locks and returns the row. @throws Problem NOT_FOUND */
export async function lockProject(tx: Transaction, id: string): Promise<ProjectRow> {
  const row = (await lockProjects(tx, [id])).get(id);
  if (!row || row.state === 'deleted') throw notFound('project');
  return row;
}

/** The problem to report for a refused change. */
export const toRefusalProblem = ({ code, detail }: WorkError): Problem =>
  code === 'NOT_FOUND' ? notFound('project') : new Problem(code as ProblemCode, detail);

/** @throws Problem PROJECT_ARCHIVED */
export function requireActive(row: ProjectRow): void {
  if (row.state === 'archived') throw archived();
}

/** The destination workspace of a copy or move. @throws Problem NOT_FOUND or PERMISSION_DENIED */
export async function requireDestination(db: Executor, userId: string, id: string): Promise<WorkspaceAccess> {
  const wanted = id.toLowerCase();
  const workspace = (await accessibleWorkspaces(db, userId, [wanted])).get(wanted);
  if (!workspace) throw notFound('workspace', 'destinationWorkspaceId');
  if (!roleSuffices(workspace.role, 'editor')) {
    throw new Problem('PERMISSION_DENIED', 'this needs the editor role in the destination too', {
      field: 'destinationWorkspaceId',
    });
  }
  return workspace;
}
