/** Actions on projects of the list: how to perform each on one project, and how to undo it. */
import type { ProjectAction as Capability, Project, ProjectState } from '#contract/shapes/project.ts';
import {
  archiveProject,
  copyProject,
  deleteProject,
  moveProject,
  patchProject,
  readProject,
  restoreProject,
} from '#web/api/generated/sdk.gen.ts';

export type Undo = () => Promise<unknown>;

export interface ProjectAction {
  /** the capability of the contract that it requires */
  capability: Capability;
  /** label while it runs: `Archiving` */
  doing: string;
  /** label when done: `archived` */
  done: string;
  /** acts on one project; returns a function that undoes it, null if nothing changed */
  run: (project: Project) => Promise<Undo | null>;
}

const path = (project: { id: string }) => ({ path: { id: project.id } });

/** Returns a project to its previous state. */
async function restoreAt(project: Project, state: ProjectState): Promise<void> {
  if (state === 'deleted') {
    await deleteProject(path(project));
    return;
  }
  const { data } = await restoreProject(path(project));
  if (state === 'archived' && data.state === 'active') await archiveProject(path(project));
}

/** Reads the tags and writes the changed ones with If-Match, so that no concurrent change is lost. */
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
    return project.state === 'archived' ? null : () => restoreAt(project, project.state);
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
    return () => restoreAt(project, project.state);
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

/** `name`: the new name, if it is renamed. */
export const moveTo = (destinationWorkspaceId: string, name?: string): ProjectAction => ({
  capability: 'move',
  doing: 'Moving',
  done: 'moved',
  run: async (project) => {
    if (project.workspaceId === destinationWorkspaceId) return null;
    const isRenamed = name !== undefined && name !== project.name;
    const move = (to: string, as: string | undefined) =>
      moveProject({
        ...path(project),
        body: { destinationWorkspaceId: to, name: isRenamed ? as : undefined },
      });
    await move(destinationWorkspaceId, name);
    return () => move(project.workspaceId, project.name);
  },
});

/** `name`: of a single copy; otherwise the service chooses it. */
export const copyTo = (
  destinationWorkspaceId: string,
  name?: string,
  onCopied?: (copy: Project) => void,
): ProjectAction => ({
  capability: 'copy',
  doing: 'Copying',
  done: 'copied',
  run: async (project) => {
    const { data } = await copyProject({ ...path(project), body: { destinationWorkspaceId, name } });
    onCopied?.(data);
    return () => deleteProject(path(data));
  },
});
