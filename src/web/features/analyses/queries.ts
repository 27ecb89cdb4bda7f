import { infiniteQueryOptions } from '@tanstack/react-query';
import {
  listForeignReferencesOptions,
  readProjectStatusOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { listForeignReferences } from '#web/api/generated/sdk.gen.ts';
import type { ForeignReference } from '#web/api/generated/types.gen.ts';

/** The project's status, with the newest operation of each analysis. */
export const projectStatusOptions = (projectId: string) =>
  readProjectStatusOptions({ path: { project_id: projectId } });

/** References of one kind in the organization's other projects, page by page. */
export const foreignReferencesOptions = (projectId: string, kind: ForeignReference['kind'], search: string) =>
  infiniteQueryOptions({
    queryKey: [{ _id: 'listForeignReferences', path: { id: projectId }, kind, search }],
    queryFn: async ({ pageParam, signal }) => {
      const query = { kind, page_size: 25, cursor: pageParam, ...(search === '' ? {} : { search }) };
      return (await listForeignReferences({ path: { id: projectId }, query, signal })).data;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** A single reference of another project; empty if it is the project's own, or deleted. */
export const foreignReferenceOptions = (projectId: string, id: string) =>
  listForeignReferencesOptions({ path: { id: projectId }, query: { id } });
