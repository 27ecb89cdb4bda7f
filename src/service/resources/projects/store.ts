/** Changes of projects, each one row under its lock, with its event and its entry in the audit log. */
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { ProjectInput, ProjectPatch } from '#contract/shapes/project.ts';
import type { WorkspaceAccess } from '#storage/access/access.ts';
import type { Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations, recipeInvocations } from '#storage/db/schema-work.ts';
import { projectTexts } from '#storage/db/search-text.ts';
import type { Caller } from '../../http/session.ts';
import { writeAudit } from '../../http/write-audit.ts';
import { lockProject, requireActive, requireMatch } from './rules.ts';
import type { ProjectRow } from './shapes.ts';

type Change = Partial<typeof projects.$inferInsert>;

/** Tells who listens, and the log. */
export async function announce(
  tx: Transaction,
  caller: Caller,
  action: string,
  row: ProjectRow,
  type: 'created' | 'updated' | 'deleted' = 'updated',
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
  const [row] = await tx
    .update(projects)
    .set({ ...change, version: sql`${projects.version} + 1`, updatedAt: new Date() })
    .where(eq(projects.id, id))
    .returning();
  return row;
}

export async function insertProject(
  tx: Transaction,
  caller: Caller,
  workspace: WorkspaceAccess,
  input: ProjectInput,
): Promise<ProjectRow> {
  const { workspaceId: _, ...fields } = input;
  const [row] = await tx
    .insert(projects)
    .values({
      ...fields,
      ...projectTexts(fields),
      id: randomUUID(),
      organizationId: workspace.organizationId,
      workspaceId: workspace.id,
      createdBy: caller.userId,
    })
    .returning();
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

export async function archiveProject(tx: Transaction, caller: Caller, id: string): Promise<ProjectRow> {
  const before = await lockProject(tx, id);
  if (before.state === 'archived') return before;
  const row = await write(tx, id, { state: 'archived', archivedAt: new Date() });
  await announce(tx, caller, 'archiveProject', row);
  return row;
}

/** From the archive to active; from the trash to what it was before. */
export async function restoreProject(tx: Transaction, caller: Caller, id: string): Promise<ProjectRow> {
  const before = await lockProject(tx, id, true);
  if (before.state === 'active') return before;
  const state = before.state === 'deleted' ? (before.stateBeforeDelete ?? 'active') : 'active';
  const row = await write(tx, id, {
    state,
    stateBeforeDelete: null,
    deletedAt: null,
    archivedAt: state === 'archived' ? before.archivedAt : null,
  });
  await announce(tx, caller, 'restoreProject', row);
  return row;
}

export async function deleteProject(
  tx: Transaction,
  caller: Caller,
  id: string,
  ifMatch: string | undefined,
): Promise<void> {
  const before = await lockProject(tx, id);
  requireMatch(ifMatch, before);
  const stateBeforeDelete = before.state === 'archived' ? 'archived' : 'active';
  const row = await write(tx, id, { state: 'deleted', stateBeforeDelete, deletedAt: new Date() });
  await announce(tx, caller, 'deleteProject', row, 'deleted');
}

export async function moveProject(
  tx: Transaction,
  caller: Caller,
  id: string,
  destination: WorkspaceAccess,
  name: string | undefined,
): Promise<ProjectRow> {
  const before = await lockProject(tx, id);
  requireActive(before);
  const { organizationId } = destination;
  const texts = projectTexts({ ...before, name: name ?? before.name });
  const row = await write(tx, id, { ...texts, workspaceId: destination.id, organizationId });
  if (before.organizationId !== organizationId) {
    await tx.update(operations).set({ organizationId }).where(eq(operations.projectId, id));
    await tx.update(recipeInvocations).set({ organizationId }).where(eq(recipeInvocations.projectId, id));
  }
  await announce(tx, caller, 'moveProject', row, 'updated', { from: before.workspaceId });
  // Who sees only the workspace that it left hears of it too.
  const left = { organizationId: before.organizationId, workspaceId: before.workspaceId };
  await notify(tx, { type: 'updated', resource: 'project', id, projectId: id, ...left });
  return row;
}
