/** Columns used in many tables. */
import { sql } from 'drizzle-orm';
import { type AnyPgColumn, timestamp, uuid } from 'drizzle-orm/pg-core';

export const id = () => uuid('id').primaryKey().default(sql`gen_random_uuid()`);

export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Foreign key to the owner of a row; the row is deleted with it. */
export const belongsTo = (name: string, owner: () => AnyPgColumn) =>
  uuid(name).notNull().references(owner, { onDelete: 'cascade' });

/** Foreign key that becomes null when the other row is deleted. */
export const mayReferTo = (name: string, other: () => AnyPgColumn) =>
  uuid(name).references(other, { onDelete: 'set null' });
