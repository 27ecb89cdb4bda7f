/** Internal data of the service. */
import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { belongsTo, moment } from './columns.ts';
import { users } from './schema-accounts.ts';

/** First response to a POST with an Idempotency-Key, replayed for repeated requests. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    userId: belongsTo('user_id', () => users.id),
    key: text('key').notNull(),
    /** SHA-256 of method, path and body; the same key with another request is a conflict */
    requestHash: text('request_hash').notNull(),
    /** null while the first request is running */
    responseStatus: integer('response_status'),
    responseBody: jsonb('response_body').$type<unknown>(),
    responseHeaders: jsonb('response_headers').$type<Record<string, string>>(),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.key] }), index('idempotency_keys_expires').on(t.expiresAt)],
);

/** Values created once per installation, such as the signing key of URLs. */
export const settings = pgTable('settings', {
  key: text('key').primaryKey(),
  value: jsonb('value').$type<unknown>().notNull(),
  createdAt: moment('created_at').notNull().defaultNow(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});
