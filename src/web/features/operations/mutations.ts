import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { cancelOperation, retryOperation } from '#web/api/generated/sdk.gen.ts';
import type { RetryInput } from '#web/api/generated/types.gen.ts';

const invalidateWork = (queryClient: QueryClient, projectId: string) =>
  Promise.all([
    queryClient.invalidateQueries({
      queryKey: [{ _id: 'listProjectOperations', path: { project_id: projectId } }],
    }),
    queryClient.invalidateQueries({
      queryKey: [{ _id: 'readProjectStatus', path: { project_id: projectId } }],
    }),
    queryClient.invalidateQueries({ queryKey: [{ _id: 'listOperations' }] }),
    queryClient.invalidateQueries({ queryKey: [{ _id: 'readOperation' }] }),
  ]);

export function useCancelOperation(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (operationId: string) => cancelOperation({ path: { id: operationId }, throwOnError: true }),
    onSettled: () => invalidateWork(queryClient, projectId),
  });
}

/** Runs a failed or cancelled one again, with what it lacked. */
export function useRetryOperation(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ operationId, input }: { operationId: string; input?: RetryInput }) =>
      retryOperation({ path: { id: operationId }, body: input, throwOnError: true }),
    onSettled: () => invalidateWork(queryClient, projectId),
  });
}
