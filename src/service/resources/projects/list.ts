/** Which projects a page holds. The ids are found in an index alone; only their rows are fetched. */
import { and, arrayContains, asc, count, desc, eq, inArray, isNull, like, type SQL } from 'drizzle-orm';
import type { ProjectListQuery, ProjectOrdering } from '#contract/shapes/project.ts';
import type { Executor } from '#storage/db/connection.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { searchPattern } from '#storage/db/search-text.ts';
import type { WorkspaceAccess } from '../../access/access.ts';
import { offsetOf } from '../../http/page.ts';

const orderColumns = {
  name: projects.nameSort,
  createdAt: projects.createdAt,
  updatedAt: projects.updatedAt,
  state: projects.state,
  storageBytes: projects.storageBytes,
  verdict: projects.verdict,
} as const satisfies Record<ProjectOrdering, unknown>;

const states = ['active', 'archived', 'deleted'] as const;
const verdicts = ['pass', 'fail', 'indeterminate'] as const;
const isOneOf = <Text extends string>(texts: readonly Text[], text: string): text is Text =>
  (texts as readonly string[]).includes(text);

/** Undefined when nothing can match. */
function conditionOf(query: ProjectListQuery, visible: WorkspaceAccess[]): SQL | undefined {
  const { state, verdict, workspace, organization } = query;
  const within = visible.filter(
    ({ id, organizationId }) =>
      (workspace === undefined || id === workspace.toLowerCase()) &&
      (organization === undefined || organizationId === organization.toLowerCase()),
  );
  if (within.length === 0) return undefined;
  if (state !== undefined && !isOneOf(states, state)) return undefined;
  if (verdict !== undefined && verdict !== 'none' && !isOneOf(verdicts, verdict)) return undefined;
  const organizationIds = [...new Set(within.map(({ organizationId }) => organizationId))];
  const workspaceIds = within.map(({ id }) => id);
  return and(
    organizationIds.length === 1
      ? eq(projects.organizationId, organizationIds[0])
      : inArray(projects.organizationId, organizationIds),
    workspaceIds.length === 1
      ? eq(projects.workspaceId, workspaceIds[0])
      : inArray(projects.workspaceId, workspaceIds),
    state === undefined ? inArray(projects.state, ['active', 'archived']) : eq(projects.state, state),
    verdict === undefined
      ? undefined
      : verdict === 'none'
        ? isNull(projects.verdict)
        : eq(projects.verdict, verdict),
    query.tag === undefined || query.tag.length === 0 ? undefined : arrayContains(projects.tags, query.tag),
    query.search === undefined || query.search.trim() === ''
      ? undefined
      : like(projects.searchText, searchPattern(query.search)),
  );
}

/** Ids of one page in order, and how many there are on all pages. */
export async function findProjects(
  db: Executor,
  query: ProjectListQuery,
  visible: WorkspaceAccess[],
): Promise<{ count: number; ids: string[] }> {
  const condition = conditionOf(query, visible);
  if (condition === undefined) return { count: 0, ids: [] };
  const descending = query.ordering.startsWith('-');
  const column = orderColumns[query.ordering.replace('-', '') as ProjectOrdering];
  const direction = descending ? desc : asc;
  const [[{ total }], rows] = await Promise.all([
    db.select({ total: count() }).from(projects).where(condition),
    db
      .select({ id: projects.id })
      .from(projects)
      .where(condition)
      .orderBy(direction(column), direction(projects.id))
      .limit(query.page_size)
      .offset(offsetOf(query)),
  ]);
  return { count: total, ids: rows.map(({ id }) => id) };
}
