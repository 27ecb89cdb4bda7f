/** What a list of projects is asked for, and as SQL. */
import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { among } from './among.ts';
import { projects } from './schema-projects.ts';
import { indexedTextContains, normalizeForSearch, textContains } from './search-text.ts';

export interface ProjectFilter {
  organizationIds: string[];
  /** the workspaces that the caller may see, or the one asked for */
  workspaceIds: string[];
  /** only of these */
  ids?: string[] | undefined;
  /** any text: an unknown one gives an empty list; active and archived when not given */
  state?: string | undefined;
  /** all of them must be there */
  tags?: string[] | undefined;
  /** any text; `none` for those without one */
  verdict?: string | undefined;
  /** in name, part or serial number, without case and accents */
  search?: string | undefined;
}

export type ProjectOrder = 'name' | 'createdAt' | 'updatedAt' | 'state' | 'storageBytes' | 'verdict';

export interface ProjectQuery {
  filter: ProjectFilter;
  order: ProjectOrder;
  /** turns the whole order round, the tie-break by id too */
  isDescending: boolean;
}

/** what having no verdict sorts as: behind all verdicts */
const WITHOUT = 'without';

/** Never null, as a cursor needs it. The indexes are on these, so what stands in them stands there as it is. */
export const orderValues: Record<ProjectOrder, { value: SQL | AnyPgColumn; type: string }> = {
  name: { value: projects.nameSort, type: 'text' },
  createdAt: { value: projects.createdAt, type: 'timestamptz' },
  updatedAt: { value: projects.updatedAt, type: 'timestamptz' },
  state: { value: projects.state, type: 'text' },
  storageBytes: { value: projects.storageBytes, type: 'bigint' },
  verdict: { value: sql`coalesce(${projects.verdict}, ${sql.raw(`'${WITHOUT}'`)})`, type: 'text' },
};

/** Whether the filter lets one value of the order's column through, so that the order is by id. */
export const isOneValue = ({ order, filter }: ProjectQuery): boolean =>
  (order === 'state' || order === 'verdict') && filter[order] !== undefined;

/** All of them, and true of none. */
export const and = (...conditions: (SQL | undefined)[]): SQL =>
  sql.join([sql`true`, ...conditions.filter((condition) => condition !== undefined)], sql` and `);

export const hasSearch = ({ search }: ProjectFilter): boolean => normalizeForSearch(search ?? '') !== '';

/** Where none is asked for, as one range of an index. */
const stateInRange = (state: string | undefined): SQL =>
  state === undefined ? sql`${projects.state} < 'deleted'` : sql`${projects.state} = ${state}`;

/** Where none is asked for, by each of its values: an index that goes on with the verdict is read at few places only. */
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

/** The condition on the order's own column, beyond which a walk along the order need not go. */
export function rangeCondition({ order, filter }: ProjectQuery): SQL | undefined {
  if (order === 'state') return stateInRange(filter.state);
  if (order !== 'verdict' || filter.verdict === undefined) return undefined;
  return sql`${orderValues.verdict.value} = ${filter.verdict === 'none' ? WITHOUT : filter.verdict}`;
}

function tagsAmong(column: AnyPgColumn, { tags }: ProjectFilter): SQL | undefined {
  return tags?.length ? sql`${column} @> ${sql.param(tags)}::text[]` : undefined;
}

/** Of the tags, as an index finds them. */
export const indexedTags = (filter: ProjectFilter): SQL | undefined => tagsAmong(projects.tags, filter);

/** For an estimate: without projects that have too many tags for an index. */
export const sampledTags = (filter: ProjectFilter): SQL | undefined => tagsAmong(projects.shortTags, filter);

/** For a walk in an index, which holds the tags of all but a few projects; theirs are looked up. */
export function walkedTags(filter: ProjectFilter): SQL | undefined {
  const short = sampledTags(filter);
  return (
    short &&
    sql`(${short} or ${projects.shortTags} is null and exists (
      select 1 from projects long where long.id = projects.id and long.tags @> ${sql.param(filter.tags)}::text[]))`
  );
}

/** The search, of a row that is there already or as an index finds it. */
export const plainText = (filter: ProjectFilter): SQL | undefined =>
  hasSearch(filter) ? textContains(filter.search ?? '') : undefined;
export const indexedText = (filter: ProjectFilter): SQL | undefined =>
  hasSearch(filter) ? indexedTextContains(filter.search ?? '') : undefined;
