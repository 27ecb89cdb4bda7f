import type { PgInsertValue, PgTable } from 'drizzle-orm/pg-core';
import type { Executor } from './connection.ts';

/** The row of a statement that always returns one, such as a count or an insert with returning. @throws Error without any */
export function takeRow<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('the statement gave no row');
  return row;
}

/** Inserts one row and returns it with defaults filled in. */
export const insertRow = async <Into extends PgTable>(
  db: Executor,
  table: Into,
  values: PgInsertValue<Into>,
): Promise<Into['$inferSelect']> => takeRow(await db.insert(table).values(values).returning());
