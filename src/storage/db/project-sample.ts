/** Estimates the number of matches of a filter and their density along an order, from a sample of one row in 64. */

import { type SQL, sql } from 'drizzle-orm';
import { among } from './among.ts';
import type { Executor } from './connection.ts';
import type { Slice } from './page.ts';
import {
  and,
  orderValues,
  type ProjectQuery,
  plainConditions,
  plainText,
  rangeCondition,
  sampledTags,
} from './project-filter.ts';
import { projects } from './schema-projects.ts';
import { takeRow } from './take-row.ts';

/** a representative sample, because ids are random; must match the expression of the index `projects_sample` */
const inSample = sql`get_byte(uuid_send(${projects.id}), 15) < 4 and octet_length(${projects.searchText}) < 800`;
const ROWS_EACH = 64;
const rows = (sampled: SQL): SQL => sql`(${sampled} * ${ROWS_EACH})::int`;

export interface Estimate {
  /** projects that match the whole filter */
  matches: number;
  /** matches of the filter without its search, and matches of the search alone */
  withoutSearch: number;
  ofSearch: number;
  /** entries of the order's index to walk until the slice is full */
  passed: number;
  /** entries to walk until the end of the list */
  left: number;
}

/** @param slice slice of a query that selects `sort_key` and `id` */
export async function estimateMatches(db: Executor, query: ProjectQuery, slice: Slice): Promise<Estimate> {
  const { filter, order } = query;
  const after = slice.after ?? sql`true`;
  const result = await db.execute<{ [Name in keyof Estimate]: number }>(sql`
    with sample as materialized (
      select ${orderValues[order].value} as sort_key, ${projects.id} as id,
        ${and(plainConditions(filter), sampledTags(filter))} as is_other, ${and(plainText(filter))} as is_found
      from ${projects}
      where ${among(projects.organizationId, filter.organizationIds)} and ${inSample}
        and ${and(rangeCondition(query))}),
    place as (
      select sort_key as place_key, id as place_id from sample where is_other and is_found and ${after}
      order by ${slice.orderBy} offset ${Math.floor((slice.offset + slice.limit) / ROWS_EACH) + 1} limit 1)
    select ${rows(sql`count(*) filter (where is_other and is_found)`)} as matches,
      ${rows(sql`count(*) filter (where is_other)`)} as "withoutSearch",
      ${rows(sql`count(*) filter (where is_found)`)} as "ofSearch",
      (select ${rows(sql`count(*)`)} from sample left join place on true where ${after} and (place_id is null
        or (sort_key, id) ${slice.isDescending ? sql`>=` : sql`<=`} (place_key, place_id))) as passed,
      (select ${rows(sql`count(*)`)} from sample where ${after}) as "left"
    from sample`);
  return takeRow(result.rows);
}
