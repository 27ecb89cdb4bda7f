/**
 * Finds one page of filtered, sorted project ids and the total count. The caller fetches the rows in the same snapshot.
 *
 * A sample of the rows estimates the number of matches. Few matches are found by the indexes of the filters, counted and
 * sorted. For many, the page is found by walking along the index of the order, and the count is an estimate; if the walk
 * takes longer than sorting would, as when all matches are at its end, the matches are sorted instead. Measurements are in
 * docs/operations.md.
 */

import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { among } from './among.ts';
import type { Executor } from './connection.ts';
import {
  cutPage,
  makeSlice,
  type Order,
  type Page,
  type PageRequest,
  type Slice,
  withCursor,
} from './page.ts';
import {
  and,
  hasSearch,
  indexedTags,
  indexedText,
  isOneValue,
  orderValues,
  type ProjectQuery,
  plainConditions,
  plainText,
  rangeCondition,
  walkedTags,
} from './project-filter.ts';
import { estimateMatches } from './project-sample.ts';
import { projects } from './schema-projects.ts';
import { takeRow } from './take-row.ts';

/** twice the guaranteed exact count; the estimate would have to be off by twelve standard deviations to miss it */
const MAX_FEW = 20_000;
/** entries walked in the time of fetching and sorting one row: in the index only, and including their rows */
const ENTRIES_PER_ROW = { inIndex: 6, withRows: 1 };
/** factor by which a walk may exceed its estimated length */
const PATIENCE = 2;

/** a project on the page: its sort value as text, and its id */
type Place = [key: string, id: string];

interface Found {
  places: Place[];
  count: number;
  isEstimate: boolean;
}

/** Planner settings that force one kind of plan, because the planner's choice depends on possibly outdated statistics. */
const byFilter = ['enable_seqscan', 'enable_indexscan', 'enable_indexonlyscan'];
const byOrder = ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'];

async function without<T>(db: Executor, settings: string[], query: () => Promise<T>): Promise<T> {
  const set = (value: string) =>
    sql.join(
      settings.map((name) => sql`set_config(${name}, ${value}, true)`),
      sql`, `,
    );
  // More memory for collecting and sorting ids; lossy bitmaps would have to recompute the n-grams of each row.
  await db.execute(sql`select ${set('off')}, set_config('work_mem', '64MB', true)`);
  const result = await query();
  await db.execute(sql`select ${set('on')}`);
  return result;
}

/**
 * Reads a page of ids and the total count; must run within one snapshot.
 *
 * @param maxFew maximum number of matches sorted without trying a walk; smaller values are for tests
 * @throws InvalidCursor
 */
export async function readProjectPage(
  db: Executor,
  query: ProjectQuery,
  request: PageRequest,
  maxFew = MAX_FEW,
): Promise<Page<string>> {
  const { order, isDescending } = query;
  const { value, type } = orderValues[order];
  const orderBy = (key: SQL | AnyPgColumn, id: SQL | AnyPgColumn): Order => ({
    name: `${isDescending ? '-' : ''}${order}`,
    keys: [
      { value: key, type },
      { value: id, type: 'uuid' },
    ],
    isDescending,
  });
  const inTable = orderBy(value, projects.id);
  const slices = {
    inTable: makeSlice(request, inTable),
    selected: makeSlice(request, orderBy(sql`sort_key`, sql`id`)),
  };
  const found = await withCursor(request, () => findPlaces(db, query, slices, maxFew));
  const { results, ...page } = cutPage(found.places, request, inTable, (place) => place);
  return { ...page, count: found.count, isEstimate: found.isEstimate, results: results.map(([, id]) => id) };
}

/** The same slice of the table, and of a query that selects `sort_key` and `id`. */
interface Slices {
  inTable: Slice;
  selected: Slice;
}

async function findPlaces(db: Executor, query: ProjectQuery, slices: Slices, maxFew: number): Promise<Found> {
  const { filter } = query;
  const { inTable, selected } = slices;
  if (filter.organizationIds.length === 0 || filter.workspaceIds.length === 0)
    return { places: [], count: 0, isEstimate: false };
  if (filter.ids) return sortMatches(db, query, selected, 'byOthers');
  const { matches, withoutSearch, ofSearch, passed, left } = await estimateMatches(db, query, selected);
  const way = withoutSearch < ofSearch ? 'byOthers' : 'bySearch';
  const perRow = hasSearch(filter) ? ENTRIES_PER_ROW.withRows : ENTRIES_PER_ROW.inIndex;
  if (matches < maxFew || passed > Math.min(withoutSearch, ofSearch) * perRow)
    return sortMatches(db, query, selected, way);
  // Without a limit, a walk detects the end of the list.
  const longest = passed * PATIENCE < left ? passed * PATIENCE : undefined;
  const places = await walk(db, query, slices, longest);
  const isEnd = places.length < inTable.limit;
  if (isEnd && longest !== undefined) return sortMatches(db, query, selected, way);
  const isCounted = isEnd && places.length > 0 && inTable.after === undefined;
  const least = inTable.offset + places.length;
  return { places, count: isCounted ? least : Math.max(matches, least), isEstimate: !isCounted };
}

/** Finds, counts and sorts all matches, and extracts the page. */
async function sortMatches(
  db: Executor,
  { filter, order }: ProjectQuery,
  { after, orderBy, limit, offset }: Slice,
  way: 'bySearch' | 'byOthers',
): Promise<Found> {
  const conditions = and(
    among(projects.organizationId, filter.organizationIds),
    filter.ids && among(projects.id, filter.ids),
    plainConditions(filter),
    indexedTags(filter),
    way === 'bySearch' ? indexedText(filter) : plainText(filter),
  );
  const { rows } = await without(db, byFilter, () =>
    db.execute<{ count: number; places: Place[] }>(
      sql`with found as materialized (
            select ${orderValues[order].value} as sort_key, ${projects.id} as id from ${projects} where ${conditions})
          select (select count(*)::int from found) as count, array(
            select array[sort_key::text, id::text] from found where ${and(after)}
            order by ${orderBy} limit ${limit} offset ${offset}) as places`,
    ),
  );
  return { ...takeRow(rows), isEstimate: false };
}

/**
 * Walks along the index of the order over all organizations, past at most `longest` entries. Entries are merged before the
 * limit is applied: with a limit per organization, entries of one that reaches its limit early would be missing before later
 * entries of the others.
 */
async function walk(
  db: Executor,
  query: ProjectQuery,
  { inTable, selected }: Slices,
  longest: number | undefined,
): Promise<Place[]> {
  const { filter, order } = query;
  const walks = filter.organizationIds.map(
    (organizationId) => sql`(
      select ${orderValues[order].value} as sort_key, id, workspace_id, state, verdict, short_tags, search_text
      from ${projects}
      where ${and(sql`${projects.organizationId} = ${organizationId}`, rangeCondition(query), inTable.after)}
      order by ${inTable.orderBy})`,
  );
  // The planner does not recognize a sort column with a single value, and would sort.
  const orderBy = isOneValue(query)
    ? sql`id ${selected.isDescending ? sql`desc` : sql`asc`}`
    : selected.orderBy;
  const passed = sql`
    select * from (${sql.join(walks, sql` union all `)}) walks
    order by ${orderBy} ${longest === undefined ? sql`` : sql`limit ${longest}`}`;
  const { rows } = await without(db, byOrder, () =>
    db.execute<{ key: string; id: string }>(
      sql`select sort_key::text as key, id from (${passed}) projects
          where ${and(plainConditions(filter), walkedTags(filter), plainText(filter))}
          order by ${orderBy} limit ${selected.limit} offset ${selected.offset}`,
    ),
  );
  return rows.map(({ key, id }) => [key, id]);
}
