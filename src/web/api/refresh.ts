import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { OperationId } from '#contract/operations/all.ts';
import { keyMatches, type QueryMatch } from './live-event-queries.ts';

/** All queries of an operation, or those with the given path. */
export type Stale = OperationId | QueryMatch;

/** Invalidates these queries; active ones refetch at once. */
export const refresh = (queryClient: QueryClient, ...stale: readonly Stale[]): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey }) =>
      stale.some((each) => keyMatches(queryKey, typeof each === 'string' ? { operation: each } : each)),
  });

export function useRefresh(...stale: readonly Stale[]): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => refresh(queryClient, ...stale);
}

/** A mutation that invalidates these queries when it has succeeded or failed. */
export const useChange = <Output, Input = void>(
  change: (input: Input) => Promise<Output>,
  ...stale: readonly Stale[]
) => useMutation({ mutationFn: change, onSettled: useRefresh(...stale) });
