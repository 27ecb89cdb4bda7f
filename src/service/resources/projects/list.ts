/** Which projects a page holds, of those that the caller may see. */
import { count, sql } from 'drizzle-orm';
import type { ProjectListQuery } from '#contract/shapes/project.ts';
import type { WorkspaceAccess } from '#storage/access/access.ts';
import type { Executor } from '#storage/db/connection.ts';
import { prepared } from '#storage/db/prepared.ts';
import type { ProjectOrder, ProjectPage } from '#storage/db/project-filter.ts';
import { countProjects, pageOfProjects } from '#storage/db/project-list.ts';
import { workspaces } from '#storage/db/schema-accounts.ts';

/** what PostgreSQL takes as a place in an array */
const MAX_OFFSET = 2_000_000_000;

const numberOfWorkspaces = prepared((db) =>
  db
    .select({ total: count() })
    .from(workspaces)
    .where(sql`${workspaces.organizationId} = any(${sql.placeholder('organizationIds')}::uuid[])`)
    .prepare(''),
);

/** Whether these are all workspaces that their organizations have, which makes the search cheaper. */
async function areAll(db: Executor, organizationIds: string[], found: number): Promise<boolean> {
  const [{ total }] = await numberOfWorkspaces(db).execute({ organizationIds });
  return total === found;
}

/** Ids of one page in order, and how many there are on all pages. */
export async function findProjects(
  db: Executor,
  query: Omit<ProjectListQuery, 'page' | 'page_size'>,
  { offset, limit }: { offset: number; limit: number },
  visible: WorkspaceAccess[],
): Promise<ProjectPage> {
  const within = visible.filter(
    ({ id, organizationId }) =>
      (query.workspace === undefined || id === query.workspace.toLowerCase()) &&
      (query.organization === undefined || organizationId === query.organization.toLowerCase()),
  );
  if (within.length === 0) return { count: 0, ids: [] };
  const organizationIds = [...new Set(within.map(({ organizationId }) => organizationId))];
  const isAll = query.workspace === undefined && (await areAll(db, organizationIds, within.length));
  const filter = {
    organizationIds,
    workspaceIds: isAll ? ('all' as const) : within.map(({ id }) => id),
    ids: query.id,
    state: query.state,
    tags: query.tag,
    verdict: query.verdict,
    search: query.search,
  };
  if (offset > MAX_OFFSET) return { count: await countProjects(db, filter), ids: [] };
  const order = query.ordering.replace('-', '') as ProjectOrder;
  const isDescending = query.ordering.startsWith('-');
  return pageOfProjects(db, { filter, order, isDescending, offset, limit });
}
