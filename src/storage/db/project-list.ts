/**
 * One page of projects, filtered and in order, and how many there are: within milliseconds for 100,000
 * projects, whatever the filter, the order and the page. The caller then fetches the rows with the ids.
 *
 * Of a large organization the answer comes from columns in memory (project-memory.ts says how they stay
 * true). Until they are read, and for small ones, PostgreSQL answers: without tags and search the count is a
 * sum over `project_counts`, which triggers keep, and the page is skipped to within the index of its order
 * alone (see schema-projects.ts); beyond the middle of the list from the other end, so that the last page
 * costs what the first one does. With tags or search it depends on how many rows PostgreSQL expects: few are
 * found once, by their own index, and counted and sorted in the same pass; many are counted, and the page is
 * again reached in the index of the order, where so many match.
 */

import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { among } from './among.ts';
import type { Executor } from './connection.ts';
import { pageOfColumns } from './project-columns.ts';
import {
  nearestWay,
  type PageQuery,
  type ProjectFilter,
  type ProjectOrder,
  type ProjectPage,
} from './project-filter.ts';
import { columnsInMemory, type MemoryOptions } from './project-memory.ts';
import { projectCounts, projects } from './schema-projects.ts';
import { normalizeForSearch, searchPattern } from './search-text.ts';

/** measured: beyond some 20,000 rows of 100,000 sorting takes longer than walking the index */
const MAX_SORTED = 20_000;

const orderColumns: Record<ProjectOrder, AnyPgColumn> = {
  name: projects.nameSort,
  createdAt: projects.createdAt,
  updatedAt: projects.updatedAt,
  state: projects.state,
  storageBytes: projects.storageBytes,
  verdict: projects.verdict,
};

/** An index gives an order after `=`, not after `any`. */
const oneOf = (column: AnyPgColumn, ids: string[]): SQL =>
  ids.length === 1 ? sql`${column} = ${ids[0]}` : among(column, ids);

const verdictIs = (column: AnyPgColumn, verdict: string): SQL =>
  verdict === 'none' ? sql`${column} is null` : sql`${column} = ${verdict}`;

function conditions(filter: ProjectFilter): SQL {
  const all: SQL[] = [
    oneOf(projects.organizationId, filter.organizationIds),
    filter.state === undefined
      ? sql`${projects.state} in ('active', 'archived')`
      : sql`${projects.state} = ${filter.state}`,
  ];
  if (filter.workspaceIds !== 'all') all.push(oneOf(projects.workspaceId, filter.workspaceIds));
  if (filter.ids) all.push(among(projects.id, filter.ids));
  if (filter.verdict !== undefined) all.push(verdictIs(projects.verdict, filter.verdict));
  if (filter.tags?.length) all.push(sql`${projects.tags} @> ${sql.param(filter.tags)}::text[]`);
  if (filter.search && normalizeForSearch(filter.search) !== '') {
    all.push(sql`${projects.searchText} like ${searchPattern(filter.search)}`);
  }
  return sql.join(all, sql` and `);
}

/** Whether the filter asks for nothing but what `project_counts` is kept by. */
const isCounted = (filter: ProjectFilter): boolean =>
  !filter.ids && !filter.tags?.length && normalizeForSearch(filter.search ?? '') === '';

/** How many projects the filter lets through. */
export async function countProjects(db: Executor, filter: ProjectFilter): Promise<number> {
  if (isEmpty(filter)) return 0;
  if (!isCounted(filter)) return countMatches(db, filter);
  const all: SQL[] = [
    oneOf(projectCounts.organizationId, filter.organizationIds),
    filter.state === undefined
      ? sql`${projectCounts.state} in ('active', 'archived')`
      : sql`${projectCounts.state} = ${filter.state}`,
  ];
  if (filter.workspaceIds !== 'all') all.push(oneOf(projectCounts.workspaceId, filter.workspaceIds));
  if (filter.verdict !== undefined) all.push(verdictIs(projectCounts.verdict, filter.verdict));
  const { rows } = await db.execute<{ count: number }>(
    sql`select coalesce(sum(${projectCounts.change}), 0)::int as count from ${projectCounts} where ${sql.join(all, sql` and `)}`,
  );
  return rows[0].count;
}

const isEmpty = (filter: ProjectFilter): boolean =>
  filter.organizationIds.length === 0 || filter.workspaceIds.length === 0;

export interface PageOptions extends MemoryOptions {
  /** matches of tags and search up to which they are sorted instead of met in their order */
  maxSorted?: number;
}

/** The ids of one page and the count of all. */
export async function pageOfProjects(
  db: Executor,
  query: PageQuery,
  options: PageOptions = {},
): Promise<ProjectPage> {
  const { filter, order } = query;
  if (isEmpty(filter)) return { count: 0, ids: [] };
  // By their key a few rows are found faster than any column is gone through.
  if (filter.ids) return pageOfMatches(db, query);
  const organizations = await columnsInMemory(db, filter.organizationIds, options);
  if (organizations !== undefined) return pageOfColumns(organizations, query);
  const { maxSorted = MAX_SORTED } = options;
  if (!isCounted(filter) && (await expectedMatches(db, filter)) <= maxSorted) {
    return pageOfMatches(db, query);
  }
  const count = await countProjects(db, filter);
  const { size, skip, isReversed, isBackwards } = nearestWay(query, count);
  if (size === 0) return { count, ids: [] };
  const direction = isBackwards ? sql`desc` : sql`asc`;
  const { rows } = await db.execute<{ id: string }>(
    sql`select ${projects.id} from ${projects} where ${conditions(filter)}
        order by ${orderColumns[order]} ${direction}, ${projects.id} ${direction}
        limit ${size} offset ${skip}`,
  );
  const ids = rows.map(({ id }) => id);
  return { count, ids: isReversed ? ids.reverse() : ids };
}

async function countMatches(db: Executor, filter: ProjectFilter): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from ${projects} where ${conditions(filter)}`,
  );
  return rows[0].count;
}

/** PostgreSQL's own estimate, which takes a fraction of a millisecond. */
async function expectedMatches(db: Executor, filter: ProjectFilter): Promise<number> {
  const { rows } = await db.execute<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
    sql`explain (format json) select 1 from ${projects} where ${conditions(filter)}`,
  );
  return rows[0]['QUERY PLAN'][0].Plan['Plan Rows'];
}

/** Finds once, counts and sorts what was found, and cuts the page out of it. */
async function pageOfMatches(
  db: Executor,
  { filter, order, isDescending, offset, limit }: PageQuery,
): Promise<ProjectPage> {
  const direction = isDescending ? sql`desc` : sql`asc`;
  const { rows } = await db.execute<{ count: number; ids: string[] | null }>(
    sql`select count(*)::int as count,
          (array_agg(${projects.id} order by ${orderColumns[order]} ${direction}, ${projects.id} ${direction}))
            [${offset + 1}::int : ${offset + limit}::int] as ids
        from ${projects} where ${conditions(filter)}`,
  );
  return { count: rows[0].count, ids: rows[0].ids ?? [] };
}
