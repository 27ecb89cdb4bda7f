/** Bookmarks with comments and renders, dispositions, measurements, notifications, the audit log. */
import { sql } from 'drizzle-orm';
import { bigint, index, inet, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { DispositionDecision } from '#contract/shapes/disposition.ts';
import type { Measurement, MeasurementKind, MeasurementResult } from '#contract/shapes/measurement.ts';
import { belongsTo, id, mayReferTo, moment } from './columns.ts';
import { organizations, users } from './schema-accounts.ts';
import { dataObjects } from './schema-data.ts';
import { blobs, projects } from './schema-projects.ts';
import { work } from './schema-work.ts';

/** Dispositions of a part: immutable, and the newest applies. */
export const dispositions = pgTable(
  'dispositions',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    decision: text('decision').$type<DispositionDecision>().notNull(),
    reason: text('reason').notNull(),
    createdBy: mayReferTo('created_by', () => users.id),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [index('dispositions_project').on(t.projectId, t.createdAt)],
);

export const bookmarks = pgTable(
  'bookmarks',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    name: text('name').notNull(),
    description: text('description').notNull().default(''),
    viewState: jsonb('view_state').$type<Record<string, unknown>>().notNull(),
    thumbnailKey: text('thumbnail_key').references(() => blobs.key),
    /** position in the story of the project; null: after those with a position */
    position: integer('position'),
    createdBy: mayReferTo('created_by', () => users.id),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('bookmarks_project').on(t.projectId, t.createdAt),
    index('bookmarks_thumbnail').on(t.thumbnailKey).where(sql`${t.thumbnailKey} is not null`),
  ],
);

export const bookmarkComments = pgTable(
  'bookmark_comments',
  {
    id: id(),
    bookmarkId: belongsTo('bookmark_id', () => bookmarks.id),
    text: text('text').notNull(),
    authorId: mayReferTo('author_id', () => users.id),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [index('bookmark_comments_bookmark').on(t.bookmarkId, t.createdAt)],
);

export const bookmarkRenders = pgTable(
  'bookmark_renders',
  {
    id: id(),
    bookmarkId: belongsTo('bookmark_id', () => bookmarks.id),
    ...work(),
    width: integer('width').notNull(),
    height: integer('height').notNull(),
    viewState: jsonb('view_state').$type<Record<string, unknown>>(),
    blobKey: text('blob_key').references(() => blobs.key),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
  },
  (t) => [
    index('bookmark_renders_bookmark').on(t.bookmarkId, t.createdAt),
    index('bookmark_renders_blob').on(t.blobKey).where(sql`${t.blobKey} is not null`),
  ],
);

/** Points placed by a user; the result is computed from them by the service only. */
export const measurements = pgTable(
  'measurements',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    dataObjectId: belongsTo('data_object_id', () => dataObjects.id),
    surfaceId: mayReferTo('surface_id', () => dataObjects.id),
    name: text('name').notNull(),
    kind: text('kind').$type<MeasurementKind>().notNull(),
    points: jsonb('points').$type<[number, number, number][]>().notNull(),
    featureIds: uuid('feature_ids').array().notNull(),
    placement: text('placement').$type<Measurement['placement']>().notNull(),
    result: jsonb('result').$type<MeasurementResult>().notNull(),
    createdBy: mayReferTo('created_by', () => users.id),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('measurements_project').on(t.projectId, t.createdAt),
    index('measurements_data_object').on(t.dataObjectId),
    index('measurements_surface').on(t.surfaceId).where(sql`${t.surfaceId} is not null`),
  ],
);

export const notifications = pgTable(
  'notifications',
  {
    id: id(),
    userId: belongsTo('user_id', () => users.id),
    kind: text('kind').notNull(),
    title: text('title').notNull(),
    body: text('body').notNull().default(''),
    /** subject it links to: { resource, id, projectId } */
    subject: jsonb('subject').$type<Record<string, string>>().notNull().default({}),
    createdAt: moment('created_at').notNull().defaultNow(),
    readAt: moment('read_at'),
  },
  (t) => [
    index('notifications_user').on(t.userId, t.createdAt),
    index('notifications_unread').on(t.userId).where(sql`${t.readAt} is null`),
  ],
);

/** Written in the same transaction as the change; immutable. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: id(),
    organizationId: uuid('organization_id').references(() => organizations.id, { onDelete: 'cascade' }),
    /** no foreign keys, because the entry outlives the user and the project */
    userId: uuid('user_id'),
    userEmail: text('user_email'),
    action: text('action').notNull(),
    resource: text('resource').notNull(),
    resourceId: uuid('resource_id'),
    projectId: uuid('project_id'),
    detail: jsonb('detail').$type<Record<string, unknown>>().notNull().default({}),
    address: inet('address'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('audit_log_organization').on(t.organizationId, t.createdAt, t.id),
    index('audit_log_project').on(t.projectId, t.createdAt),
  ],
);
