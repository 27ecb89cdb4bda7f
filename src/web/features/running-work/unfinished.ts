import { useQuery } from '@tanstack/react-query';
import { unfinishedStatuses } from '#contract/base/primitives.ts';
import {
  listBulkRequestsOptions,
  listExportsOptions,
  listOperationsOptions,
  listRecipeInvocationsOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts';
import type { Problem } from '../../api/generated/types.gen.ts';
import { gatherWork, type WorkRow } from './gather-work.ts';

/** More than anybody reads; the count beyond it still comes from the service. */
const shown = 100;

export interface UnfinishedWork {
  /** the running first, then by age */
  rows: WorkRow[];
  /** all of them, those not listed included */
  count: number;
  error: Problem | null;
  isPending: boolean;
  refetch: () => void;
}

/**
 * All work that waits or runs, of all projects that the caller sees. One list of each kind: of several, one for each
 * status, work that changes from one to the next is in neither for as long as the second is asked for.
 */
export function useUnfinishedWork(): UnfinishedWork {
  const query = { status: [...unfinishedStatuses], page_size: shown };
  const operations = useQuery(listOperationsOptions({ query: { ...query, ordering: 'status' } }));
  const runs = useQuery(listRecipeInvocationsOptions({ query }));
  const exports = useQuery(listExportsOptions({ query }));
  const bulkRequests = useQuery(listBulkRequestsOptions({ query }));
  const asked = [operations, runs, exports, bulkRequests];
  const { rows, count } = gatherWork({
    operations: operations.data,
    runs: runs.data,
    exports: exports.data,
    bulkRequests: bulkRequests.data,
  });
  return {
    rows: rows.slice(0, shown),
    count,
    error: asked.find(({ error }) => error !== null)?.error ?? null,
    isPending: asked.some(({ isPending }) => isPending),
    refetch: () => {
      for (const each of asked) void each.refetch();
    },
  };
}
