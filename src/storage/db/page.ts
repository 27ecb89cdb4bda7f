/**
 * Pages of a list, by number or by cursor. A cursor contains the sort values of the row next to the page, so that rows added
 * or deleted meanwhile cause neither duplicates nor gaps.
 */

import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgSelect } from 'drizzle-orm/pg-core';
import { maxExactCount } from '#contract/shapes/page.ts';
import { type Executor, sqlState } from './connection.ts';
import { takeRow } from './take-row.ts';

export interface PageRequest {
  page: number;
  page_size: number;
  cursor?: string | undefined;
}

export interface Page<Item> {
  count: number;
  /** only above `maxExactCount` */
  isEstimate: boolean;
  results: Item[];
  /** null at the end of the list */
  nextCursor: string | null;
  previousCursor: string | null;
}

/** Sort order of a list; all keys together are unique and never null. */
export interface Order {
  /** distinguishes cursors of different lists and orders */
  name: string;
  keys: { value: SQL | AnyPgColumn; type: string }[];
  isDescending: boolean;
}

export class InvalidCursor extends Error {
  override name = 'InvalidCursor';
}

interface Position {
  order: string;
  keys: string[];
  isBackwards: boolean;
}

const encode = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url');

function decode(cursor: string, order: Order): Position {
  try {
    const position = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Position;
    const { keys, isBackwards } = position;
    const isWhole =
      position.order === order.name &&
      Array.isArray(keys) &&
      keys.length === order.keys.length &&
      keys.every((key) => typeof key === 'string') &&
      typeof isBackwards === 'boolean';
    if (isWhole) return position;
  } catch {
    // not JSON
  }
  throw new InvalidCursor('is not a cursor of this list and ordering; begin without one');
}

/** The requested part of a list, as SQL. */
export interface Slice {
  /** undefined without a cursor */
  after: SQL | undefined;
  orderBy: SQL;
  offset: number;
  /** page size plus one, to detect whether there is a next page */
  limit: number;
  isBackwards: boolean;
  /** direction of the slice */
  isDescending: boolean;
}

/** @throws InvalidCursor */
export function makeSlice(request: PageRequest, order: Order): Slice {
  const position = request.cursor === undefined ? undefined : decode(request.cursor, order);
  const isBackwards = position?.isBackwards ?? false;
  const isDescending = order.isDescending !== isBackwards;
  const direction = isDescending ? sql`desc` : sql`asc`;
  const list = (parts: SQL[]): SQL => sql.join(parts, sql`, `);
  const values = order.keys.map(({ value }) => sql`${value}`);
  const keys = position && order.keys.map(({ type }, i) => sql`${position.keys[i]}::${sql.raw(type)}`);
  return {
    after: keys && sql`(${list(values)}) ${isDescending ? sql`<` : sql`>`} (${list(keys)})`,
    orderBy: list(values.map((value) => sql`${value} ${direction}`)),
    offset: position ? 0 : (request.page - 1) * request.page_size,
    limit: request.page_size + 1,
    isBackwards,
    isDescending,
  };
}

/**
 * @param rows rows of the slice, as found
 * @param readKeys returns the values of the order's keys, as PostgreSQL parses them
 */
export function cutPage<Row>(
  rows: Row[],
  request: PageRequest,
  order: Order,
  readKeys: (row: Row) => string[],
): Omit<Page<Row>, 'count' | 'isEstimate'> {
  const { isBackwards, offset } = makeSlice(request, order);
  const hasMore = rows.length > request.page_size;
  const results = rows.slice(0, request.page_size);
  if (isBackwards) results.reverse();
  const cursorAt = (row: Row | undefined, backwards: boolean): string | null =>
    row === undefined ? null : encode({ order: order.name, keys: readKeys(row), isBackwards: backwards });
  const isFirst = request.cursor === undefined ? offset === 0 : isBackwards && !hasMore;
  const isLast = isBackwards ? false : !hasMore;
  return {
    results,
    nextCursor: isLast ? null : cursorAt(results.at(-1), false),
    previousCursor: isFirst ? null : cursorAt(results[0], true),
  };
}

/** Runs the query of a slice. A cursor with keys that PostgreSQL can't parse is invalid. */
export async function withCursor<T>(request: PageRequest, query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (request.cursor !== undefined && sqlState(error)?.startsWith('22'))
      throw new InvalidCursor('was changed since it was given out; begin without one');
    throw error;
  }
}

/** An order whose keys can be read from each row. */
export interface RowOrder<Keyed> extends Order {
  /** returns the values of the keys, as PostgreSQL parses them */
  readKeys: (keyed: Keyed) => string[];
}

/** Order by `created_at` and id, newest first by default. */
export const byCreation = (
  { createdAt, id }: { createdAt: AnyPgColumn; id: AnyPgColumn },
  { isDescending = true } = {},
): RowOrder<{ createdAt: Date; id: string }> => ({
  name: `${isDescending ? '-' : ''}createdAt`,
  keys: [
    { value: createdAt, type: 'timestamptz' },
    { value: id, type: 'uuid' },
  ],
  isDescending,
  readKeys: (row) => [row.createdAt.toISOString(), row.id],
});

export const byName = ({
  name,
  id,
}: {
  name: SQL | AnyPgColumn;
  id: AnyPgColumn;
}): RowOrder<{ name: string; id: string }> => ({
  name: 'name',
  keys: [
    { value: name, type: 'text' },
    { value: id, type: 'uuid' },
  ],
  isDescending: false,
  readKeys: (row) => [row.name, row.id],
});

export interface List<Query extends PgSelect, Keyed> {
  /** query with all columns and joins, as `$dynamic()` */
  rows: () => Query;
  where: SQL | undefined;
  order: RowOrder<Keyed>;
  /** true: known to exceed the number of rows that are counted */
  isMany?: boolean;
  /** the part of a row that contains its sort keys */
  keyed: (row: Awaited<Query>[number]) => Keyed;
}

/** Converts the results of a page. */
export async function mapPage<Row, Item>(
  page: Page<Row> | Promise<Page<Row>>,
  shape: (rows: Row[]) => Item[] | Promise<Item[]>,
): Promise<Page<Item>> {
  const { results, ...rest } = await page;
  return { ...rest, results: await shape(results) };
}

/** A page of a computed list, which is not in the database, in its order. @throws InvalidCursor */
export function pageComputed<Item extends { id: string }>(
  items: readonly Item[],
  request: PageRequest,
  name: string,
): Page<Item> {
  const order = { name, keys: [{ value: sql`id`, type: 'text' }], isDescending: false };
  const { offset, limit, isBackwards } = makeSlice(request, order);
  const beside = request.cursor === undefined ? undefined : decode(request.cursor, order).keys[0];
  const at = beside === undefined ? -1 : items.findIndex(({ id }) => id === beside);
  if (beside !== undefined && at < 0)
    throw new InvalidCursor('names a result that is gone; begin without one');
  const from = beside === undefined ? offset : at + 1;
  const rows = isBackwards
    ? items.slice(Math.max(0, at - limit), at).toReversed()
    : items.slice(from, from + limit);
  return { ...cutPage(rows, request, order, ({ id }) => [id]), count: items.length, isEstimate: false };
}

/** Reads a page and the total count; must run within one snapshot. @throws InvalidCursor */
export async function readPage<Query extends PgSelect, Keyed>(
  db: Executor,
  request: PageRequest,
  { rows, where, order, keyed, isMany = false }: List<Query, Keyed>,
): Promise<Page<Awaited<Query>[number]>> {
  const { after, orderBy, offset, limit } = makeSlice(request, order);
  const found = (await withCursor(request, async () =>
    rows()
      .where(after ? sql`${where ?? sql`true`} and ${after}` : where)
      .orderBy(orderBy)
      .limit(limit)
      .offset(offset),
  )) as Awaited<Query>[number][];
  const page = cutPage(found, request, order, (row) => order.readKeys(keyed(row)));
  const isWhole = request.cursor === undefined && found.length < limit && (found.length > 0 || offset === 0);
  if (isWhole) return { ...page, count: offset + found.length, isEstimate: false };
  const query = () => rows().where(where);
  const count = isMany
    ? maxExactCount + 1
    : takeRow(
        (
          await db.execute<{ count: number }>(
            sql`select count(*)::int as count from (${query().limit(maxExactCount + 1)}) counted`,
          )
        ).rows,
      ).count;
  if (count <= maxExactCount) return { ...page, count, isEstimate: false };
  const expected = await expectedRows(db, sql`${query()}`);
  return { ...page, count: Math.max(expected, count, offset + found.length), isEstimate: true };
}

/** PostgreSQL's own estimate, which takes a fraction of a millisecond. */
async function expectedRows(db: Executor, query: SQL): Promise<number> {
  const { rows } = await db.execute<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
    sql`explain (format json) ${query}`,
  );
  return takeRow(rows)['QUERY PLAN'][0].Plan['Plan Rows'];
}
