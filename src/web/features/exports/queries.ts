import { keepPreviousData } from '@tanstack/react-query';
import { z } from 'zod';
import { workStatuses } from '#contract/base/primitives.ts';
import { listExportsOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { listSearch, pageQuery } from '#web/ui/list-page.tsx';

/** State of an export list stored in its address. */
export const ExportSearch = listSearch({ status: z.enum(workStatuses).optional().catch(undefined) });
export type ExportSearch = z.infer<typeof ExportSearch>;

/** @param project only exports of this project */
export const exportPageOptions = (search: ExportSearch, project?: string) => ({
  ...listExportsOptions({
    query: { ...pageQuery(search), status: search.status && [search.status], project },
  }),
  placeholderData: keepPreviousData,
});
