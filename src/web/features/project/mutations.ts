/** What can be done with one project. Each says what it makes stale. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  archiveProject,
  copyProject,
  deleteProject,
  moveProject,
  patchProject,
  restoreProject,
} from '#web/api/generated/sdk.gen.ts';
import type { Project, ProjectPatch } from '#web/api/generated/types.gen.ts';
import { refresh, useChange } from '#web/api/refresh.ts';
import { projectOptions, type ReadProject } from './queries.ts';

/** Keeps what came back of a change, as what is read of the project. */
function useKeep() {
  const queryClient = useQueryClient();
  return ({ data: project, response }: { data: Project; response: Response }) => {
    const read: ReadProject = { project, etag: response.headers.get('ETag') };
    queryClient.setQueryData(projectOptions(project.id).queryKey, read);
    void refresh(queryClient, 'listProjects', 'readProjectStatus');
  };
}

/**
 * Changes some fields if nobody changed the project since it was read (If-Match), else fails with
 * PRECONDITION_FAILED and reads again. The page shows the change at once.
 */
export function usePatchProject(projectId: string) {
  const queryClient = useQueryClient();
  const { queryKey } = projectOptions(projectId);
  return useMutation({
    mutationFn: async (patch: ProjectPatch) => {
      const etag = queryClient.getQueryData<ReadProject>(queryKey)?.etag ?? null;
      return patchProject({
        path: { id: projectId },
        body: patch,
        headers: etag === null ? {} : { 'If-Match': etag },
        throwOnError: true,
      });
    },
    onMutate: async (patch) => {
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData<ReadProject>(queryKey);
      if (before)
        queryClient.setQueryData<ReadProject>(queryKey, {
          ...before,
          project: { ...before.project, ...patch },
        });
      return before;
    },
    onSuccess: useKeep(),
    onError: (_error, _patch, before) => {
      if (before) queryClient.setQueryData(queryKey, before);
      void queryClient.invalidateQueries({ queryKey });
    },
  });
}

export const useArchiveProject = (id: string) =>
  useMutation({
    mutationFn: () => archiveProject({ path: { id }, throwOnError: true }),
    onSuccess: useKeep(),
  });

export const useRestoreProject = (id: string) =>
  useMutation({
    mutationFn: () => restoreProject({ path: { id }, throwOnError: true }),
    onSuccess: useKeep(),
  });

export const useDeleteProject = (id: string) =>
  useChange(() => deleteProject({ path: { id }, throwOnError: true }), 'listProjects');

interface DestinationInput {
  destinationWorkspaceId: string;
  name?: string;
}

export const useCopyProject = (id: string) =>
  useMutation({
    mutationFn: (body: DestinationInput) => copyProject({ path: { id }, body, throwOnError: true }),
    onSuccess: useKeep(),
  });

export const useMoveProject = (id: string) =>
  useMutation({
    mutationFn: (body: DestinationInput) => moveProject({ path: { id }, body, throwOnError: true }),
    onSuccess: useKeep(),
  });
