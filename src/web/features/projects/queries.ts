import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  listProjectIdsOptions,
  listProjectsOptions,
  listWorkspacesOptions,
  readProjectQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts';
import { readProject } from '../../api/generated/sdk.gen.ts';
import type { Project } from '../../api/generated/types.gen.ts';
import { chooseOrdering, type ProjectSearch, toFilters, toQuery } from './list-search.ts';

/** One page of the list; while the next one comes, the one before stays. */
export const projectPageOptions = (search: ProjectSearch, organizationId: string) => ({
  ...listProjectsOptions({ query: toQuery(search, organizationId) }),
  placeholderData: keepPreviousData,
});

/** Workspaces of the organization that the caller sees, 200 at most. */
export const workspaceOptions = (organizationId: string) =>
  listWorkspacesOptions({ path: { id: organizationId }, query: { page_size: 200 } });

/** How many projects there are without any filter: decides which words an empty list has. */
export const anyProjectOptions = (organizationId: string) =>
  queryOptions({
    ...listProjectsOptions({ query: { organization: organizationId, page_size: 1 } }),
    staleTime: 60_000,
  });

/** The ids of every project that the question finds, in the order of the list: what “select all” selects. */
export const projectIdsOptions = (search: ProjectSearch, organizationId: string) => ({
  ...listProjectIdsOptions({
    query: { ...toFilters(search, organizationId), ordering: chooseOrdering(search) },
  }),
  staleTime: 0,
});

/** A project with the ETag of what was read, so that a change can say what it was made on. */
export interface ReadProject {
  project: Project;
  /** null when the service gave none */
  etag: string | null;
}

/** Under the generated key with one word more, so that what makes the generated one stale reaches this too. */
export const projectOptions = (projectId: string) =>
  queryOptions({
    queryKey: [...readProjectQueryKey({ path: { id: projectId } }), 'with ETag'] as const,
    queryFn: async ({ signal }): Promise<ReadProject> => {
      const { data, response } = await readProject({ path: { id: projectId }, signal, throwOnError: true });
      return { project: data, etag: response.headers.get('ETag') };
    },
  });
