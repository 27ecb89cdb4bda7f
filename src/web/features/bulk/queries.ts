import { keepPreviousData } from '@tanstack/react-query';
import { z } from 'zod';
import { workStatuses } from '#contract/base/primitives.ts';
import { Verdict } from '#contract/metadata/verdict.ts';
import { bulkOperationTypes } from '#contract/shapes/bulk-request.ts';
import {
  listBulkItemsOptions,
  listBulkRequestsOptions,
  readBulkRequestOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { listSearch, pageQuery } from '#web/ui/list-page.tsx';

/** State of the list stored in its address. */
export const BulkListSearch = listSearch({
  status: z.enum(workStatuses).optional().catch(undefined),
  type: z.enum(bulkOperationTypes).optional().catch(undefined),
});
export type BulkListSearch = z.infer<typeof BulkListSearch>;

export const bulkListOptions = (search: BulkListSearch) => ({
  ...listBulkRequestsOptions({
    query: { ...pageQuery(search), status: search.status && [search.status], operationType: search.type },
  }),
  placeholderData: keepPreviousData,
});

/** State of a request's page stored in its address. */
export const BulkItemsSearch = listSearch({
  status: z.enum(workStatuses).optional().catch(undefined),
  /** verdict of the recipe run */
  verdict: Verdict.optional().catch(undefined),
});
export type BulkItemsSearch = z.infer<typeof BulkItemsSearch>;

export const bulkRequestOptions = (id: string) => readBulkRequestOptions({ path: { bulk_request_id: id } });
export const bulkItemsOptions = (id: string, search: BulkItemsSearch) => ({
  ...listBulkItemsOptions({
    path: { bulk_request_id: id },
    query: { ...pageQuery(search), status: search.status, verdict: search.verdict },
  }),
  placeholderData: keepPreviousData,
});
