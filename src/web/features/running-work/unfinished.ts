import { useQuery } from '@tanstack/react-query';
import { unfinishedStatuses } from '#contract/base/primitives.ts';
import {
  listBulkRequestsOptions,
  listExportsOptions,
  listOperationsOptions,
  listRecipeInvocationsOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { Problem } from '#web/api/generated/types.gen.ts';
import { gatherWork, type WorkRow } from './gather-work.ts';

/** More rows than anybody reads; the total count still comes from the service. */
const shown = 100;

export interface UnfinishedWork {
  /** running first, then by age */
  rows: WorkRow[];
  /** number of all of them, including those not listed */
  count: number;
  error: Problem | null;
  isPending: boolean;
  refetch: () => void;
}

/**
 * All waiting and running work in projects that the user can see. One request per kind covers all statuses: with one
 * request per status, work whose status changes between the two would be in neither.
 */
export function useUnfinishedWork(): UnfinishedWork {
  const query = { status: [...unfinishedStatuses], page_size: shown };
  const operations = useQuery(listOperationsOptions({ query: { ...query, ordering: 'status' } }));
  const runs = useQuery(listRecipeInvocationsOptions({ query }));
  const exports = useQuery(listExportsOptions({ query }));
  const bulkRequests = useQuery(listBulkRequestsOptions({ query }));
  const queries = [operations, runs, exports, bulkRequests];
  const { rows, count } = gatherWork({
    operations: operations.data,
    runs: runs.data,
    exports: exports.data,
    bulkRequests: bulkRequests.data,
  });
  return {
    rows: rows.slice(0, shown),
    count,
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    isPending: queries.some(({ isPending }) => isPending),
    refetch: () => {
      for (const each of queries) void each.refetch();
    },
  };
}
