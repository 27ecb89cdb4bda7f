import { cancelOperation, retryOperation } from '#web/api/generated/sdk.gen.ts';
import type { RetryInput } from '#web/api/generated/types.gen.ts';
import { type Stale, useChange } from '#web/api/refresh.ts';

const listStale = (projectId: string): Stale[] => [
  { operation: 'listProjectOperations', path: { project_id: projectId } },
  { operation: 'readProjectStatus', path: { project_id: projectId } },
  'listOperations',
  'readOperation',
];

export const useCancelOperation = (projectId: string) =>
  useChange((operationId: string) => cancelOperation({ path: { id: operationId } }), ...listStale(projectId));

/** Retries a failed or cancelled operation, with the information it lacked. */
export const useRetryOperation = (projectId: string) =>
  useChange(
    ({ operationId, input }: { operationId: string; input?: RetryInput }) =>
      retryOperation({ path: { id: operationId }, body: input }),
    ...listStale(projectId),
  );
