import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Project } from '#contract/shapes/project.ts';
import { listProjectsOptions, listWorkspacesOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { listProjects } from '../../api/generated/sdk.gen.ts';
import { filtersOf, type ProjectSearch, queryOf } from './list-search.ts';

/** One page of the list; while the next one comes, the one before stays. */
export const projectPageOptions = (search: ProjectSearch, organizationId: string) => ({
  ...listProjectsOptions({ query: queryOf(search, organizationId) }),
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

const collectPageSize = 200;

/** Every project that the question finds, but those left out; page by page, the oldest first. */
export async function collectProjects(
  search: ProjectSearch,
  organizationId: string,
  without: ReadonlySet<string>,
): Promise<Project[]> {
  const found = new Map<string, Project>();
  for (let page = 1; ; page++) {
    const { data } = await listProjects({
      query: {
        ...filtersOf(search, organizationId),
        ordering: 'createdAt',
        page,
        page_size: collectPageSize,
      },
    });
    for (const project of data.results) if (!without.has(project.id)) found.set(project.id, project);
    if (data.next === null) return [...found.values()];
  }
}
