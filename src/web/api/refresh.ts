import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { OperationId } from '#contract/operations/all.ts';
import { keyMatches, type QueryMatch } from './live-event-queries.ts';

/** Queries of an operation; with a path, only those of that one. */
export type Stale = OperationId | QueryMatch;

/** Has these queries asked again, at once where they are shown. */
export const refresh = (queryClient: QueryClient, ...stale: readonly Stale[]): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey }) =>
      stale.some((each) => keyMatches(queryKey, typeof each === 'string' ? { operation: each } : each)),
  });

export function useRefresh(...stale: readonly Stale[]): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => refresh(queryClient, ...stale);
}

/** A change on the service; whatever comes of it, these queries are asked again. */
export const useChange = <Output, Input = void>(
  change: (input: Input) => Promise<Output>,
  ...stale: readonly Stale[]
) => useMutation({ mutationFn: change, onSettled: useRefresh(...stale) });
