/** Filters and orders of the project list, as SQL. */
import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { among } from './among.ts';
import { projects } from './schema-projects.ts';
import { indexedTextContains, normalizeForSearch, textContains } from './search-text.ts';

export interface ProjectFilter {
  organizationIds: string[];
  /** the workspaces that the caller may see, or the requested one */
  workspaceIds: string[];
  /** only these projects */
  ids?: string[] | undefined;
  /** any text; an unknown state matches nothing; default: active and archived */
  state?: string | undefined;
  /** all must match */
  tags?: string[] | undefined;
  /** any text; `none`: projects without a verdict */
  verdict?: string | undefined;
  /** text in name, part number or serial number, ignoring case and accents */
  search?: string | undefined;
}

export type ProjectOrder = 'name' | 'createdAt' | 'updatedAt' | 'state' | 'storageBytes' | 'verdict';

export interface ProjectQuery {
  filter: ProjectFilter;
  order: ProjectOrder;
  /** reverses the whole order, including the tie-break by id */
  isDescending: boolean;
}

/** sort value of a missing verdict, after all verdicts */
const WITHOUT = 'without';

/** Sort expressions, never null because cursors contain them. They must match the expressions of the indexes exactly. */
export const orderValues: Record<ProjectOrder, { value: SQL | AnyPgColumn; type: string }> = {
  name: { value: projects.nameSort, type: 'text' },
  createdAt: { value: projects.createdAt, type: 'timestamptz' },
  updatedAt: { value: projects.updatedAt, type: 'timestamptz' },
  state: { value: projects.state, type: 'text' },
  storageBytes: { value: projects.storageBytes, type: 'bigint' },
  verdict: { value: sql`coalesce(${projects.verdict}, ${sql.raw(`'${WITHOUT}'`)})`, type: 'text' },
};

/** Whether the filter allows only one value of the sort column, so that rows are sorted by id. */
export const isOneValue = ({ order, filter }: ProjectQuery): boolean =>
  (order === 'state' || order === 'verdict') && filter[order] !== undefined;

/** Conjunction of the conditions; true when there are none. */
export const and = (...conditions: (SQL | undefined)[]): SQL =>
  sql.join([sql`true`, ...conditions.filter((condition) => condition !== undefined)], sql` and `);

export const hasSearch = ({ search }: ProjectFilter): boolean => normalizeForSearch(search ?? '') !== '';

/** The state filter; the default states form one range of an index. */
const stateInRange = (state: string | undefined): SQL =>
  state === undefined ? sql`${projects.state} < 'deleted'` : sql`${projects.state} = ${state}`;

/** The state filter; the default states as separate values, so that an index continuing with the verdict is read selectively. */
const stateIs = (state: string | undefined): SQL =>
  state === undefined ? sql`${projects.state} = any('{active,archived}')` : stateInRange(state);

const verdictIs = (verdict: string): SQL =>
  verdict === 'none' ? sql`${projects.verdict} is null` : sql`${projects.verdict} = ${verdict}`;

export const plainConditions = ({ workspaceIds, state, verdict }: ProjectFilter): SQL =>
  and(
    among(projects.workspaceId, workspaceIds),
    stateIs(state),
    verdict === undefined ? undefined : verdictIs(verdict),
  );

/** The condition on the sort column, which limits a walk along its index. */
export function rangeCondition({ order, filter }: ProjectQuery): SQL | undefined {
  if (order === 'state') return stateInRange(filter.state);
  if (order !== 'verdict' || filter.verdict === undefined) return undefined;
  return sql`${orderValues.verdict.value} = ${filter.verdict === 'none' ? WITHOUT : filter.verdict}`;
}

function tagsAmong(column: AnyPgColumn, { tags }: ProjectFilter): SQL | undefined {
  return tags?.length ? sql`${column} @> ${sql.param(tags)}::text[]` : undefined;
}

/** The tag filter in the form that the index supports. */
export const indexedTags = (filter: ProjectFilter): SQL | undefined => tagsAmong(projects.tags, filter);

/** The tag filter for estimates, which ignores projects with too many tags for an index entry. */
export const sampledTags = (filter: ProjectFilter): SQL | undefined => tagsAmong(projects.shortTags, filter);

/** The tag filter for an index walk; the few projects whose tags are not in the index are looked up. */
export function walkedTags(filter: ProjectFilter): SQL | undefined {
  const short = sampledTags(filter);
  return (
    short &&
    sql`(${short} or ${projects.shortTags} is null and exists (
      select 1 from projects long where long.id = projects.id and long.tags @> ${sql.param(filter.tags)}::text[]))`
  );
}

/** The search filter for an already fetched row, and in the form that the index supports. */
export const plainText = (filter: ProjectFilter): SQL | undefined =>
  hasSearch(filter) ? textContains(filter.search ?? '') : undefined;
export const indexedText = (filter: ProjectFilter): SQL | undefined =>
  hasSearch(filter) ? indexedTextContains(filter.search ?? '') : undefined;
