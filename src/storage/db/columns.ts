/** Columns that many tables have. */
import { sql } from 'drizzle-orm';
import { type AnyPgColumn, timestamp, uuid } from 'drizzle-orm/pg-core';

export const id = () => uuid('id').primaryKey().default(sql`gen_random_uuid()`);

export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** The id of what a row belongs to: the row goes with it. */
export const belongsTo = (name: string, owner: () => AnyPgColumn) =>
  uuid(name).notNull().references(owner, { onDelete: 'cascade' });

/** The id of something that a row outlives. */
export const mayReferTo = (name: string, other: () => AnyPgColumn) =>
  uuid(name).references(other, { onDelete: 'set null' });
