/** What can be done with a project from the list: each action for one project, and how to undo it. */
import type { ProjectAction as Capability, Project, ProjectState } from '#contract/shapes/project.ts';
import {
  archiveProject,
  copyProject,
  deleteProject,
  moveProject,
  patchProject,
  readProject,
  restoreProject,
} from '../../api/generated/sdk.gen.ts';

export type Undo = () => Promise<unknown>;

export interface ProjectAction {
  /** right of the contract that it needs */
  capability: Capability;
  /** while it runs: `Archiving` */
  doing: string;
  /** after it ran: `archived` */
  done: string;
  /** for one project; gives what undoes it, null where nothing was changed */
  run: (project: Project) => Promise<Undo | null>;
}

const path = (project: { id: string }) => ({ path: { id: project.id } });

/** Brings a project back into the state that it was in. */
async function bringBack(project: Project, state: ProjectState): Promise<void> {
  if (state === 'deleted') {
    await deleteProject(path(project));
    return;
  }
  const { data } = await restoreProject(path(project));
  if (state === 'archived' && data.state === 'active') await archiveProject(path(project));
}

/** Reads, changes and writes the tags against the state that was read, so that nobody's change is lost. */
async function changeTags(project: { id: string }, change: (tags: string[]) => string[]): Promise<boolean> {
  const { data, response } = await readProject(path(project));
  const tags = change(data.tags);
  if (tags.length === data.tags.length && tags.every((tag, index) => tag === data.tags[index])) return false;
  const etag = response.headers.get('ETag');
  await patchProject({
    ...path(project),
    body: { tags },
    headers: etag === null ? {} : { 'If-Match': etag },
  });
  return true;
}

export const archive: ProjectAction = {
  capability: 'archive',
  doing: 'Archiving',
  done: 'archived',
  run: async (project) => {
    await archiveProject(path(project));
    return project.state === 'archived' ? null : () => bringBack(project, project.state);
  },
};

export const restore: ProjectAction = {
  capability: 'restore',
  doing: 'Restoring',
  done: 'restored',
  run: async (project) => {
    await restoreProject(path(project));
    if (project.state === 'active') return null;
    return project.state === 'deleted'
      ? () => deleteProject(path(project))
      : () => archiveProject(path(project));
  },
};

export const remove: ProjectAction = {
  capability: 'delete',
  doing: 'Deleting',
  done: 'moved to the trash',
  run: async (project) => {
    await deleteProject(path(project));
    return () => bringBack(project, project.state);
  },
};

export const addTags = (tags: readonly string[]): ProjectAction => ({
  capability: 'edit',
  doing: 'Tagging',
  done: 'tagged',
  run: async (project) => {
    const added = tags.filter((tag) => !project.tags.includes(tag));
    const hasChanged = await changeTags(project, (present) => [...new Set([...present, ...tags])]);
    return hasChanged
      ? () => changeTags(project, (present) => present.filter((tag) => !added.includes(tag)))
      : null;
  },
});

export const removeTags = (tags: readonly string[]): ProjectAction => ({
  capability: 'edit',
  doing: 'Untagging',
  done: 'untagged',
  run: async (project) => {
    const removed = tags.filter((tag) => project.tags.includes(tag));
    const hasChanged = await changeTags(project, (present) => present.filter((tag) => !tags.includes(tag)));
    return hasChanged ? () => changeTags(project, (present) => [...new Set([...present, ...removed])]) : null;
  },
});

export const moveTo = (destinationWorkspaceId: string): ProjectAction => ({
  capability: 'move',
  doing: 'Moving',
  done: 'moved',
  run: async (project) => {
    if (project.workspaceId === destinationWorkspaceId) return null;
    await moveProject({ ...path(project), body: { destinationWorkspaceId } });
    return () => moveProject({ ...path(project), body: { destinationWorkspaceId: project.workspaceId } });
  },
});

/** `name`: of the copy, for a single one; else the service names it. */
export const copyTo = (destinationWorkspaceId: string, name?: string): ProjectAction => ({
  capability: 'copy',
  doing: 'Copying',
  done: 'copied',
  run: async (project) => {
    const { data } = await copyProject({ ...path(project), body: { destinationWorkspaceId, name } });
    return () => deleteProject(path(data));
  },
});

/** Whether the caller may do it with the project, and why not. */
export function rightTo(project: Project, action: Capability): { allowed: boolean; reason: string | null } {
  const capability = project.capabilities.find((each) => each.action === action);
  if (capability === undefined) return { allowed: false, reason: 'You don’t have permission to do this' };
  return { allowed: capability.allowed, reason: capability.allowed ? null : capability.reason };
}

/**
 * For several: how many allow it, and the reason most often given where none does.
 * Some is enough: those that don't allow it answer for themselves.
 */
export function rightToEach(
  projects: readonly Project[],
  action: Capability,
): { count: number; reason: string | null } {
  const rights = projects.map((project) => rightTo(project, action));
  const count = rights.filter(({ allowed }) => allowed).length;
  if (count > 0 || projects.length === 0) return { count, reason: null };
  const reasons = Map.groupBy(rights, ({ reason }) => reason ?? 'not allowed');
  const [most] = [...reasons].toSorted(([, a], [, b]) => b.length - a.length);
  return { count, reason: most?.[0] ?? null };
}
