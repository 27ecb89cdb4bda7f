/** What can be done with one project. Each says what it makes stale. */
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import {
  archiveProject,
  copyProject,
  deleteProject,
  moveProject,
  patchProject,
  restoreProject,
} from '#web/api/generated/sdk.gen.ts';
import type { Project, ProjectPatch } from '#web/api/generated/types.gen.ts';
import { projectOptions, type ReadProject } from './queries.ts';

const invalidateLists = (queryClient: QueryClient) =>
  queryClient.invalidateQueries({ queryKey: [{ _id: 'listProjects' }] });

function useStore() {
  const queryClient = useQueryClient();
  return {
    queryClient,
    keep: (project: Project, response: Response) => {
      queryClient.setQueryData<ReadProject>(projectOptions(project.id).queryKey, {
        project,
        etag: response.headers.get('ETag'),
      });
      void invalidateLists(queryClient);
      void queryClient.invalidateQueries({ queryKey: [{ _id: 'readProjectStatus' }] });
    },
  };
}

/**
 * Changes some fields if nobody changed the project since it was read (If-Match), else fails with
 * PRECONDITION_FAILED and reads again. The page shows the change at once.
 */
export function usePatchProject(projectId: string) {
  const { queryClient, keep } = useStore();
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
    onSuccess: ({ data, response }) => keep(data, response),
    onError: (_error, _patch, before) => {
      if (before) queryClient.setQueryData(queryKey, before);
      void queryClient.invalidateQueries({ queryKey });
    },
  });
}

export function useArchiveProject(projectId: string) {
  const { keep } = useStore();
  return useMutation({
    mutationFn: () => archiveProject({ path: { id: projectId }, throwOnError: true }),
    onSuccess: ({ data, response }) => keep(data, response),
  });
}

export function useRestoreProject(projectId: string) {
  const { keep } = useStore();
  return useMutation({
    mutationFn: () => restoreProject({ path: { id: projectId }, throwOnError: true }),
    onSuccess: ({ data, response }) => keep(data, response),
  });
}

export function useDeleteProject(projectId: string) {
  const { queryClient } = useStore();
  return useMutation({
    mutationFn: () => deleteProject({ path: { id: projectId }, throwOnError: true }),
    onSuccess: () => invalidateLists(queryClient),
  });
}

interface DestinationInput {
  destinationWorkspaceId: string;
  name?: string;
}

export function useCopyProject(projectId: string) {
  const { keep } = useStore();
  return useMutation({
    mutationFn: (body: DestinationInput) =>
      copyProject({ path: { id: projectId }, body, throwOnError: true }),
    onSuccess: ({ data, response }) => keep(data, response),
  });
}

export function useMoveProject(projectId: string) {
  const { keep } = useStore();
  return useMutation({
    mutationFn: (body: DestinationInput) =>
      moveProject({ path: { id: projectId }, body, throwOnError: true }),
    onSuccess: ({ data, response }) => keep(data, response),
  });
}
