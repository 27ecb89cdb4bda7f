/**
 * Changes state, workspace and tags of any number of projects with the same few statements. Each change is decided on the
 * locked row, with an audit log entry and an event in the same transaction.
 */

import { sql } from 'drizzle-orm';
import { among } from '../db/among.ts';
import type { Transaction } from '../db/connection.ts';
import { notify } from '../db/events.ts';
import { auditLog } from '../db/schema-collaboration.ts';
import { projects } from '../db/schema-projects.ts';
import { operations, recipeInvocations, type WorkError } from '../db/schema-work.ts';
import {
  listColumns,
  type ProjectChange,
  type ProjectRow,
  type ProjectSnapshot,
  planChange,
  readSnapshot,
  type Step,
  type UndoableType,
} from './decide.ts';

/** The user who makes the change. */
export interface Actor {
  userId: string;
  email: string;
}

export type Outcome =
  | { kind: 'changed'; row: ProjectRow; step: Step }
  | { kind: 'kept'; row: ProjectRow }
  | { kind: 'refused'; error: WorkError };

export interface ChangeOptions {
  /** rows already locked by this transaction */
  known?: Map<string, ProjectRow>;
  /** for the audit log */
  detail?: Record<string, unknown>;
}

/** The planned state of a row. */
interface Decided {
  row: ProjectRow;
  snapshot: ProjectSnapshot;
  name: string;
}

/** From this number of projects on, one event per workspace replaces one per project. */
const MIN_GROUPED_EVENTS = 6;

/** Locks and returns the rows, always in the same order to avoid deadlocks. */
export async function lockProjects(
  tx: Transaction,
  ids: readonly string[],
): Promise<Map<string, ProjectRow>> {
  const rows = await tx
    .select()
    .from(projects)
    .where(among(projects.id, ids))
    .orderBy(projects.id)
    .for('update');
  return new Map(rows.map((row) => [row.id, row]));
}

const auditActions: Record<Exclude<ProjectChange['type'], 'undo'>, string> = {
  archive: 'archiveProject',
  restore: 'restoreProject',
  delete: 'deleteProject',
  move: 'moveProject',
  addTags: 'editProject',
  removeTags: 'editProject',
};
/** Audit action of undoing each change. */
const undoActions: Record<UndoableType, string> = {
  archive: 'restoreProject',
  delete: 'restoreProject',
  move: 'moveProject',
  addTags: 'editProject',
  removeTags: 'editProject',
};

const auditAction = (change: ProjectChange): string =>
  change.type === 'undo' ? undoActions[change.of] : auditActions[change.type];

function auditDetail(change: ProjectChange, { before, after }: Step): Record<string, unknown> {
  if (before.workspaceId !== after.workspaceId) return { from: before.workspaceId };
  if (before.tags !== after.tags) return { fields: ['tags'] };
  return change.type === 'undo' ? { undo: change.of } : {};
}

/**
 * Applies the change to each project. The caller must have checked access.
 *
 * @returns the outcome by project id
 */
export async function changeProjects(
  tx: Transaction,
  actor: Actor,
  ids: readonly string[],
  change: ProjectChange,
  { known, detail = {} }: ChangeOptions = {},
): Promise<Map<string, Outcome>> {
  const rows = known ?? (await lockProjects(tx, ids));
  const now = new Date();
  const outcomes = new Map<string, Outcome>();
  const decided: Decided[] = [];
  for (const id of ids) {
    const row = rows.get(id);
    const decision = planChange(change, row, now);
    if (decision.kind === 'refuse' || !row) {
      const error = decision.kind === 'refuse' ? decision.error : undefined;
      if (error) outcomes.set(id, { kind: 'refused', error });
    } else if (decision.kind === 'keep') outcomes.set(id, { kind: 'kept', row });
    else decided.push({ row, snapshot: decision.snapshot, name: decision.name });
  }
  if (decided.length === 0) return outcomes;
  const written = await writeSnapshots(tx, decided, now);
  const changes = decided.map(({ row, snapshot }) => ({
    before: row,
    after: written.get(row.id) as ProjectRow,
    step: { before: readSnapshot(row), after: snapshot },
  }));
  await followOrganization(tx, changes);
  await writeAudits(
    tx,
    actor,
    auditAction(change),
    changes.map(({ after, step }) => ({
      organizationId: after.organizationId,
      projectId: after.id,
      detail: { name: after.name, ...auditDetail(change, step), ...detail },
    })),
  );
  await announceChanges(
    tx,
    changes.map(({ after }) => after),
    change.type === 'delete' ? 'deleted' : 'updated',
  );
  // Also notify users who can see only the workspace that the projects left.
  const left = changes.filter(({ before, after }) => before.workspaceId !== after.workspaceId);
  await announceChanges(
    tx,
    left.map(({ before }) => before),
    'updated',
  );
  for (const { after, step } of changes) outcomes.set(after.id, { kind: 'changed', row: after, step });
  return outcomes;
}

/** Writes audit entries as one parameter, because a thousand separate ones take longer to build than to write. */
async function writeAudits(
  tx: Transaction,
  { userId, email }: Actor,
  action: string,
  entries: { organizationId: string; projectId: string; detail: Record<string, unknown> }[],
): Promise<void> {
  await tx.execute(sql`
    insert into ${auditLog} (organization_id, user_id, user_email, action, resource, resource_id, project_id, detail)
    select "organizationId", ${userId}, ${email}, ${action}, 'project', "projectId", "projectId", detail
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
      as entry("organizationId" uuid, "projectId" uuid, detail jsonb)`);
}

/**
 * Writes the decided changes of locked rows. The resulting rows are computed instead of read again, which for many rows takes
 * as long as writing them.
 */
async function writeSnapshots(
  tx: Transaction,
  decided: readonly Decided[],
  now: Date,
): Promise<Map<string, ProjectRow>> {
  const columns = decided.map(({ row, snapshot, name }) => listColumns(row, snapshot, name));
  await tx
    .update(projects)
    .set({
      state: sql`new.state`,
      stateBeforeDelete: sql`new."stateBeforeDelete"`,
      archivedAt: sql`new."archivedAt"`,
      deletedAt: sql`new."deletedAt"`,
      workspaceId: sql`new."workspaceId"`,
      organizationId: sql`new."organizationId"`,
      tags: sql`array(select jsonb_array_elements_text(new.tags))`,
      name: sql`new.name`,
      nameSort: sql`new."nameSort"`,
      searchText: sql`new."searchText"`,
      version: sql`${projects.version} + 1`,
      updatedAt: now,
    })
    .from(
      sql`jsonb_to_recordset(${JSON.stringify(columns)}::jsonb) as new(id uuid, state text,
        "stateBeforeDelete" text, "archivedAt" timestamptz, "deletedAt" timestamptz, "workspaceId" uuid,
        "organizationId" uuid, tags jsonb, name text, "nameSort" text, "searchText" text)`,
    )
    .where(sql`${projects.id} = new.id`);
  return new Map(
    decided.map(({ row, snapshot }, i) => [
      row.id,
      {
        ...row,
        ...columns[i],
        archivedAt: parseMoment(snapshot.archivedAt),
        deletedAt: parseMoment(snapshot.deletedAt),
        version: row.version + 1,
        updatedAt: now,
      },
    ]),
  );
}

const parseMoment = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** Moves everything that belongs to a moved project to its new organization. */
async function followOrganization(
  tx: Transaction,
  changes: { before: ProjectRow; after: ProjectRow }[],
): Promise<void> {
  const moved = changes.filter(({ before, after }) => before.organizationId !== after.organizationId);
  for (const [organizationId, group] of Map.groupBy(moved, ({ after }) => after.organizationId)) {
    const ids = group.map(({ after }) => after.id);
    await tx.update(operations).set({ organizationId }).where(among(operations.projectId, ids));
    await tx.update(recipeInvocations).set({ organizationId }).where(among(recipeInvocations.projectId, ids));
  }
}

/** Sends one event per project, or one per workspace when there are many. */
export async function announceChanges(
  tx: Transaction,
  rows: readonly Pick<ProjectRow, 'id' | 'organizationId' | 'workspaceId'>[],
  type: 'created' | 'updated' | 'deleted',
): Promise<void> {
  if (rows.length < MIN_GROUPED_EVENTS) {
    for (const { id, organizationId, workspaceId } of rows)
      await notify(tx, { type, resource: 'project', id, projectId: id, organizationId, workspaceId });
    return;
  }
  for (const [workspaceId, { organizationId }] of new Map(rows.map((row) => [row.workspaceId, row])))
    await notify(tx, { type: 'updated', resource: 'projects', id: workspaceId, organizationId, workspaceId });
}
