import { useMutation, useQueryClient } from '@tanstack/react-query';
import { patchProject } from '#web/api/generated/sdk.gen.ts';
import type { ProjectPatch } from '#web/api/generated/types.gen.ts';
import { refresh } from '#web/api/refresh.ts';
import { projectOptions, type ReadProject } from './queries.ts';

/**
 * Changes fields if nobody has changed the project since it was read (If-Match); otherwise fails with
 * PRECONDITION_FAILED and reads it again. The page shows the change at once.
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
    onSuccess: ({ data: project, response }) => {
      const read: ReadProject = { project, etag: response.headers.get('ETag') };
      queryClient.setQueryData(queryKey, read);
      void refresh(queryClient, 'listProjects', 'readProjectStatus');
    },
    onError: (_error, _patch, before) => {
      if (before) queryClient.setQueryData(queryKey, before);
      void queryClient.invalidateQueries({ queryKey });
    },
  });
}
