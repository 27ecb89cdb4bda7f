/** Selects the projects of a page among those that the caller may see. */
import type { ProjectListQuery } from '#contract/shapes/project.ts';
import type { WorkspaceAccess } from '#storage/access/access.ts';
import type { Executor } from '#storage/db/connection.ts';
import type { Page, PageRequest } from '#storage/db/page.ts';
import type { ProjectOrder } from '#storage/db/project-filter.ts';
import { readProjectPage } from '#storage/db/project-list.ts';

/** Ids of the projects on one page, in order. */
export function findProjects(
  db: Executor,
  query: Omit<ProjectListQuery, keyof PageRequest>,
  page: PageRequest,
  visible: WorkspaceAccess[],
): Promise<Page<string>> {
  const within = visible.filter(
    ({ id, organizationId }) =>
      (query.workspace === undefined || id === query.workspace.toLowerCase()) &&
      (query.organization === undefined || organizationId === query.organization.toLowerCase()),
  );
  const filter = {
    organizationIds: [...new Set(within.map(({ organizationId }) => organizationId))],
    workspaceIds: within.map(({ id }) => id),
    ids: query.id,
    state: query.state,
    tags: query.tag,
    verdict: query.verdict,
    search: query.search,
  };
  const order = query.ordering.replace('-', '') as ProjectOrder;
  return readProjectPage(db, { filter, order, isDescending: query.ordering.startsWith('-') }, page);
}
