import { useQuery } from '@tanstack/react-query';
import { unfinishedStatuses } from '#contract/base/primitives.ts';
import { listOperationsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import type { Operation, Problem } from '../../api/generated/types.gen.ts';

/** More than anybody reads; the count beyond it still comes from the service. */
const shown = 100;

export interface UnfinishedWork {
  /** the running first, then by age */
  operations: Operation[];
  /** all of them, those not listed included */
  count: number;
  error: Problem | null;
  isPending: boolean;
  refetch: () => unknown;
}

/**
 * Every operation that waits or runs, of all projects that the caller sees. One list: of several, one for each
 * status, an operation that changes from one to the next is in neither for as long as the second is asked for.
 */
export function useUnfinishedWork(): UnfinishedWork {
  const { data, error, isPending, refetch } = useQuery(
    listOperationsOptions({
      query: { status: [...unfinishedStatuses], ordering: 'status', page_size: shown },
    }),
  );
  return { operations: data?.results ?? [], count: data?.count ?? 0, error, isPending, refetch };
}
