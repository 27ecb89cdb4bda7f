import { useQueries } from '@tanstack/react-query';
import { unfinishedStatuses } from '#contract/shapes/primitives.ts';
import { listOperationsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import type { Operation } from '../../api/generated/types.gen.ts';

/** More than anybody reads; the count beyond it still comes from the service. */
const shownOfEach = 50;

export interface UnfinishedWork {
  /** the running first, then by age */
  operations: Operation[];
  /** all of them, those not listed included */
  count: number;
  error: Error | null;
  isPending: boolean;
  refetch: () => void;
}

const order: Record<string, number> = { processing: 0, cancelling: 1, pending: 2 };

/** Every operation that waits or runs, of all projects that the caller sees. */
export function useUnfinishedWork(): UnfinishedWork {
  return useQueries({
    queries: unfinishedStatuses.map((status) =>
      listOperationsOptions({ query: { status, page_size: shownOfEach } }),
    ),
    combine: (lists) => ({
      operations: lists
        .flatMap(({ data }) => data?.results ?? [])
        .toSorted(
          (a, b) => (order[a.status] ?? 3) - (order[b.status] ?? 3) || a.createdAt.localeCompare(b.createdAt),
        ),
      count: lists.reduce((sum, { data }) => sum + (data?.count ?? 0), 0),
      error: (lists.find(({ error }) => error !== null)?.error as Error | null | undefined) ?? null,
      isPending: lists.some(({ isPending }) => isPending),
      refetch: () => {
        for (const list of lists) void list.refetch();
      },
    }),
  });
}
