import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import type { ExportInput } from '#contract/shapes/export.ts';
import {
  cancelExport,
  requestProjectExport,
  requestProjectReport,
  retryExport,
} from '#web/api/generated/sdk.gen.ts';

const invalidateExports = (queryClient: QueryClient, projectId: string) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: [{ _id: 'listExports' }] }),
    queryClient.invalidateQueries({
      queryKey: [{ _id: 'readProjectStatus', path: { project_id: projectId } }],
    }),
  ]);

export function useRequestExport(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: z.infer<typeof ExportInput>) =>
      requestProjectExport({ path: { project_id: projectId }, body: input, throwOnError: true }),
    onSettled: () => invalidateExports(queryClient, projectId),
  });
}

/** An inspection report as PDF; it is listed with the exports. */
export function useRequestReport(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => requestProjectReport({ path: { id: projectId }, throwOnError: true }),
    onSettled: () => invalidateExports(queryClient, projectId),
  });
}

/** Stops an export, or asks once more for one that failed or was stopped. */
export function useChangeExport(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change }: { id: string; change: 'cancel' | 'retry' }) =>
      (change === 'cancel' ? cancelExport : retryExport)({ path: { id }, throwOnError: true }),
    onSettled: () => invalidateExports(queryClient, projectId),
  });
}
