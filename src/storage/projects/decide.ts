/** Decides changes of projects as plain data, in the same way for one project and for ten thousand. */
import type { projects } from '../db/schema-projects.ts';
import type { WorkError } from '../db/schema-work.ts';
import { projectTexts } from '../db/search-text.ts';

export type ProjectRow = typeof projects.$inferSelect;

/** The fields that a change may modify and undo needs; times as ISO 8601, so that it can be stored as JSON. */
export interface ProjectSnapshot {
  state: ProjectRow['state'];
  stateBeforeDelete: ProjectRow['stateBeforeDelete'];
  archivedAt: string | null;
  deletedAt: string | null;
  workspaceId: string;
  organizationId: string;
  tags: string[];
}

export interface WorkspacePlace {
  id: string;
  organizationId: string;
}

/** State of a project before and after a change, for undo. */
export interface Step {
  before: ProjectSnapshot;
  after: ProjectSnapshot;
}

export const undoableTypes = ['archive', 'move', 'delete', 'addTags', 'removeTags'] as const;
export type UndoableType = (typeof undoableTypes)[number];

export type ProjectChange =
  | { type: 'archive' | 'restore' | 'delete' }
  | { type: 'move'; destination: WorkspacePlace; name?: string | undefined }
  | { type: 'addTags' | 'removeTags'; tags: readonly string[] }
  /** reverts a change of this type, unless the same field was changed since */
  | { type: 'undo'; of: UndoableType; steps: ReadonlyMap<string, Step> };

export type Decision =
  | { kind: 'change'; snapshot: ProjectSnapshot; name: string }
  /** the project needs no change */
  | { kind: 'keep' }
  | { kind: 'refuse'; error: WorkError };

const MAX_TAGS = 100;

export const noSuchProject: WorkError = {
  code: 'NOT_FOUND',
  detail: 'project not found, or you have no access to it',
};
export const needsEditor: WorkError = {
  code: 'PERMISSION_DENIED',
  detail: 'this needs the editor role in the workspace; you are a viewer',
};
export const isArchived: WorkError = {
  code: 'PROJECT_ARCHIVED',
  detail: 'the project is archived; restore it first',
};

const refuse = (error: WorkError): Decision => ({ kind: 'refuse', error });
const conflict = (detail: string): Decision => refuse({ code: 'CONFLICT', detail });

/** Whether a change applies to projects in the trash. */
export const reachesTrash = (change: ProjectChange): boolean =>
  change.type === 'restore' || (change.type === 'undo' && change.of === 'delete');

export function readSnapshot(row: ProjectRow): ProjectSnapshot {
  return {
    state: row.state,
    stateBeforeDelete: row.stateBeforeDelete,
    archivedAt: row.archivedAt?.toISOString() ?? null,
    deletedAt: row.deletedAt?.toISOString() ?? null,
    workspaceId: row.workspaceId,
    organizationId: row.organizationId,
    tags: row.tags,
  };
}

const sameTags = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((tag, index) => tag === b[index]);

/**
 * @param row current row; undefined for an unknown project
 * @param now time of the change
 */
export function planChange(change: ProjectChange, row: ProjectRow | undefined, now: Date): Decision {
  if (!row || (row.state === 'deleted' && !reachesTrash(change))) return refuse(noSuchProject);
  const at = readSnapshot(row);
  const to = (snapshot: Partial<ProjectSnapshot>, name = row.name): Decision => ({
    kind: 'change',
    snapshot: { ...at, ...snapshot },
    name,
  });
  switch (change.type) {
    case 'archive':
      return at.state === 'archived'
        ? { kind: 'keep' }
        : to({ state: 'archived', archivedAt: now.toISOString() });
    case 'restore': {
      if (at.state === 'active') return { kind: 'keep' };
      const state = at.state === 'deleted' ? (at.stateBeforeDelete ?? 'active') : 'active';
      const archivedAt = state === 'archived' ? at.archivedAt : null;
      return to({ state, archivedAt, stateBeforeDelete: null, deletedAt: null });
    }
    case 'delete':
      return to({
        state: 'deleted',
        stateBeforeDelete: at.state === 'archived' ? 'archived' : 'active',
        deletedAt: now.toISOString(),
      });
    case 'move': {
      if (at.state === 'archived') return refuse(isArchived);
      const { destination, name } = change;
      if (at.workspaceId === destination.id && name === undefined) return { kind: 'keep' };
      return to({ workspaceId: destination.id, organizationId: destination.organizationId }, name);
    }
    case 'addTags':
    case 'removeTags': {
      if (at.state === 'archived') return refuse(isArchived);
      const tags =
        change.type === 'addTags'
          ? [...new Set([...at.tags, ...change.tags])]
          : at.tags.filter((tag) => !change.tags.includes(tag));
      if (tags.length > MAX_TAGS) {
        return conflict(`the project would have ${tags.length} tags; ${MAX_TAGS} are possible`);
      }
      return sameTags(tags, at.tags) ? { kind: 'keep' } : to({ tags });
    }
    case 'undo':
      return planUndo(change.of, at, change.steps.get(row.id), to);
  }
}

function planUndo(
  of: UndoableType,
  at: ProjectSnapshot,
  step: Step | undefined,
  to: (snapshot: Partial<ProjectSnapshot>) => Decision,
): Decision {
  if (!step) return { kind: 'keep' };
  const { before, after } = step;
  switch (of) {
    case 'archive':
      if (at.state !== 'archived' || at.archivedAt !== after.archivedAt)
        return conflict(`the project was restored or archived again since; it is ${at.state}`);
      return to({ state: before.state, archivedAt: before.archivedAt });
    case 'delete':
      if (at.state !== 'deleted' || at.deletedAt !== after.deletedAt)
        return conflict(`the project was restored or deleted again since; it is ${at.state}`);
      return to({
        state: before.state,
        archivedAt: before.archivedAt,
        stateBeforeDelete: before.stateBeforeDelete,
        deletedAt: before.deletedAt,
      });
    case 'move':
      if (at.state === 'archived') return refuse(isArchived);
      if (at.workspaceId !== after.workspaceId) return conflict('the project was moved elsewhere since');
      return to({ workspaceId: before.workspaceId, organizationId: before.organizationId });
    case 'addTags':
    case 'removeTags':
      if (at.state === 'archived') return refuse(isArchived);
      if (!sameTags(at.tags, after.tags)) return conflict('the tags of the project were changed since');
      return to({ tags: before.tags });
  }
}

/** The columns written by a decided change. */
export function listColumns(row: ProjectRow, snapshot: ProjectSnapshot, name: string) {
  const { nameSort, searchText } = projectTexts({ ...row, name });
  return { id: row.id, name, nameSort, searchText, ...snapshot };
}
