/** What the service keeps for itself. */
import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { belongsTo, moment } from './columns.ts';
import { users } from './schema-accounts.ts';

/** The first answer to a POST with an Idempotency-Key, given again to a repeat. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    userId: belongsTo('user_id', () => users.id),
    key: text('key').notNull(),
    /** SHA-256 of method, path and body: the same key with another request is a conflict */
    requestHash: text('request_hash').notNull(),
    /** null while the first request is under way */
    responseStatus: integer('response_status'),
    responseBody: jsonb('response_body').$type<unknown>(),
    responseHeaders: jsonb('response_headers').$type<Record<string, string>>(),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.key] }), index('idempotency_keys_expires').on(t.expiresAt)],
);

/** Values made once for an installation, such as the key that signs addresses. */
export const settings = pgTable('settings', {
  key: text('key').primaryKey(),
  value: jsonb('value').$type<unknown>().notNull(),
  createdAt: moment('created_at').notNull().defaultNow(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});
