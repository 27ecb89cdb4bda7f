import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RetryInput } from '#contract/shapes/operation.ts';
import { retryOperation } from '#web/api/generated/sdk.gen.ts';

/** Goes on with an ingest that lacked something, without a new upload. */
export function useCompleteIngest(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ operationId, input }: { operationId: string; input: RetryInput }) =>
      retryOperation({ path: { id: operationId }, body: input, throwOnError: true }),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: [{ _id: 'readOperation' }] }),
        queryClient.invalidateQueries({
          queryKey: [{ _id: 'listProjectOperations', path: { project_id: projectId } }],
        }),
      ]),
  });
}
