import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';

/**
 * The column holds one of these ids. One parameter, whatever their number: with one each, putting the statement
 * together takes longer than carrying it out from a hundred ids on.
 */
export const among = (column: AnyPgColumn, ids: readonly string[]): SQL =>
  sql`${column} = any(${sql.param([...ids])}::uuid[])`;
