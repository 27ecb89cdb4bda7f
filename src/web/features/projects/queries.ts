import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  listProjectIdsOptions,
  listProjectsOptions,
  listWorkspacesOptions,
  readProjectQueryKey,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { readProject } from '#web/api/generated/sdk.gen.ts';
import type { Project } from '#web/api/generated/types.gen.ts';
import { chooseOrdering, type ProjectSearch, toFilters, toQuery } from './list-search.ts';

/** One page of the list; the previous page stays visible while the next one loads. */
export const projectPageOptions = (search: ProjectSearch, organizationId: string) => ({
  ...listProjectsOptions({ query: toQuery(search, organizationId) }),
  placeholderData: keepPreviousData,
});

/** Workspaces of the organization that the user can see, 200 at most. */
export const workspaceOptions = (organizationId: string) =>
  listWorkspacesOptions({ path: { id: organizationId }, query: { page_size: 200 } });

/** The number of projects without any filter, which determines the text of an empty list. */
export const anyProjectOptions = (organizationId: string) =>
  queryOptions({
    ...listProjectsOptions({ query: { organization: organizationId, page_size: 1 } }),
    staleTime: 60_000,
  });

/** The ids of all projects that the query finds, in the order of the list; used by “select all”. */
export const projectIdsOptions = (search: ProjectSearch, organizationId: string) => ({
  ...listProjectIdsOptions({
    query: { ...toFilters(search, organizationId), ordering: chooseOrdering(search) },
  }),
  staleTime: 0,
});

/** A project with its ETag, so that a change can be made conditional on the version read. */
export interface ReadProject {
  project: Project;
  /** null if the service sent none */
  etag: string | null;
}

/** The generated key with one more element, so that invalidating the generated key includes this query. */
export const projectOptions = (projectId: string) =>
  queryOptions({
    queryKey: [...readProjectQueryKey({ path: { id: projectId } }), 'with ETag'] as const,
    queryFn: async ({ signal }): Promise<ReadProject> => {
      const { data, response } = await readProject({ path: { id: projectId }, signal });
      return { project: data, etag: response.headers.get('ETag') };
    },
  });
