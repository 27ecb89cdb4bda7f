/** Changes a single project under a lock, with an event and an audit log entry. */

import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { ProjectInput, ProjectPatch } from '#contract/shapes/project.ts';
import type { WorkspaceAccess } from '#storage/access/access.ts';
import type { Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { projectTexts } from '#storage/db/search-text.ts';
import { insertRow, takeRow } from '#storage/db/take-row.ts';
import { changeProjects, lockProjects } from '#storage/projects/change-projects.ts';
import { copyProjects } from '#storage/projects/copy-projects.ts';
import type { ProjectChange } from '#storage/projects/decide.ts';
import { notFound } from '../../http/problem.ts';
import type { Caller } from '../../http/session.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { ProjectRow } from './project-rows.ts';
import { lockProject, requireActive, requireMatch, toRefusalProblem } from './rules.ts';

type Change = Partial<typeof projects.$inferInsert>;

/** Sends the event and writes the audit log entry. */
async function announce(
  tx: Transaction,
  caller: Caller,
  action: string,
  row: ProjectRow,
  type: 'created' | 'updated',
  detail: Record<string, unknown> = {},
): Promise<void> {
  const { id, organizationId, workspaceId, name } = row;
  await writeAudit(tx, caller, {
    organizationId,
    action,
    resource: 'project',
    resourceId: id,
    projectId: id,
    detail: { name, ...detail },
  });
  await notify(tx, { type, resource: 'project', id, projectId: id, organizationId, workspaceId });
}

async function write(tx: Transaction, id: string, change: Change): Promise<ProjectRow> {
  const row = takeRow(
    await tx
      .update(projects)
      .set({ ...change, version: sql`${projects.version} + 1`, updatedAt: sql`now()` })
      .where(eq(projects.id, id))
      .returning(),
  );
  return row;
}

export async function insertProject(
  tx: Transaction,
  caller: Caller,
  workspace: WorkspaceAccess,
  input: ProjectInput,
): Promise<ProjectRow> {
  const { workspaceId: _, ...fields } = input;
  const row = await insertRow(tx, projects, {
    ...fields,
    ...projectTexts(fields),
    id: randomUUID(),
    organizationId: workspace.organizationId,
    workspaceId: workspace.id,
    createdBy: caller.userId,
  });
  await announce(tx, caller, 'createProject', row, 'created');
  return row;
}

export async function patchProject(
  tx: Transaction,
  caller: Caller,
  id: string,
  ifMatch: string | undefined,
  patch: ProjectPatch,
): Promise<ProjectRow> {
  const before = await lockProject(tx, id);
  requireActive(before);
  requireMatch(ifMatch, before);
  if (Object.keys(patch).length === 0) return before;
  const row = await write(tx, id, { ...patch, ...projectTexts({ ...before, ...patch }) });
  await announce(tx, caller, 'editProject', row, 'updated', { fields: Object.keys(patch) });
  return row;
}

/** Applies the change and returns the row; unchanged when nothing has to change. @throws Problem */
async function changeOne(
  tx: Transaction,
  caller: Caller,
  id: string,
  change: ProjectChange,
  ifMatch?: string,
): Promise<ProjectRow> {
  const known = await lockProjects(tx, [id]);
  const before = known.get(id);
  if (before && ifMatch !== undefined) requireMatch(ifMatch, before);
  const outcome = (await changeProjects(tx, caller, [id], change, { known })).get(id);
  if (outcome === undefined) throw notFound('project');
  if (outcome.kind === 'refused') throw toRefusalProblem(outcome.error);
  return outcome.row;
}

export const archiveProject = (tx: Transaction, caller: Caller, id: string): Promise<ProjectRow> =>
  changeOne(tx, caller, id, { type: 'archive' });

/** Restores an archived project to active, and a deleted one to its state before deletion. */
export const restoreProject = (tx: Transaction, caller: Caller, id: string): Promise<ProjectRow> =>
  changeOne(tx, caller, id, { type: 'restore' });

export async function deleteProject(
  tx: Transaction,
  caller: Caller,
  id: string,
  ifMatch: string | undefined,
): Promise<void> {
  await changeOne(tx, caller, id, { type: 'delete' }, ifMatch);
}

export const moveProject = (
  tx: Transaction,
  caller: Caller,
  id: string,
  destination: WorkspaceAccess,
  name: string | undefined,
): Promise<ProjectRow> => changeOne(tx, caller, id, { type: 'move', destination, name });

export async function copyProject(
  tx: Transaction,
  caller: Caller,
  id: string,
  destination: WorkspaceAccess,
  name: string | undefined,
): Promise<ProjectRow> {
  const copy = (await copyProjects(tx, caller, [id], destination, { name })).get(id);
  if (!copy) throw notFound('project');
  return copy;
}
