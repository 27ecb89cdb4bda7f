import type { RetryInput } from '#contract/shapes/operation.ts';
import { retryOperation } from '#web/api/generated/sdk.gen.ts';
import { useChange } from '#web/api/refresh.ts';

/** Continues an import that lacked information, without a new upload. */
export const useCompleteIngest = (projectId: string) =>
  useChange(
    ({ operationId, input }: { operationId: string; input: RetryInput }) =>
      retryOperation({ path: { id: operationId }, body: input }),
    'readOperation',
    { operation: 'listProjectOperations', path: { project_id: projectId } },
  );
