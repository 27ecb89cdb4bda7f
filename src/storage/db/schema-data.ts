/** Data objects of projects, their files, and views made from volumes. */
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { DataObjectKind } from '#contract/analyses/data-kinds.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import { type DataContent, foreignReferenceKinds } from '#contract/shapes/data-object.ts';
import { belongsTo, id, moment } from './columns.ts';
import { blobs, projects } from './schema-projects.ts';
import { type WorkStatus, work } from './schema-work.ts';

/** Searchable text of data: its name and that of its source file, in lower case. */
export const dataText = (t: { name: AnyPgColumn; metadata: AnyPgColumn }) =>
  sql`lower(${t.name} || E'\\n' || coalesce(${t.metadata}->>'sourceFileName', ''))`;

/** Data usable as a reference in other projects; must match the expression of the indexes, so that the planner uses them. */
export const canBeForeign = (t: { kind: AnyPgColumn; status: AnyPgColumn }) =>
  sql`${t.kind} in (${sql.raw(foreignReferenceKinds.map((kind) => `'${kind}'`).join(', '))}) and ${t.status} = 'completed'`;

/**
 * Immutable once completed, except for its name and for measures added to a surface later. Copies of a project have their own
 * rows and share the blobs.
 */
export const dataObjects = pgTable(
  'data_objects',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    kind: text('kind').$type<DataObjectKind>().notNull(),
    name: text('name').notNull(),
    status: text('status').$type<WorkStatus>().notNull().default('completed'),
    /** shape depends on the kind; see `narrowRow` */
    metadata: jsonb('metadata').$type<DataContent['metadata']>().notNull(),
    warnings: jsonb('warnings').$type<Warning[]>().notNull().default([]),
    /** prefix of the chunked volume in the blob store */
    volumeKey: text('volume_key').references(() => blobs.key),
    /** total bytes of volume and files */
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull().default(0),
    createdByOperationId: uuid('created_by_operation_id'),
    /** original of a copy */
    copiedFromDataObjectId: uuid('copied_from_data_object_id'),
    version: integer('version').notNull().default(1),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('data_objects_project').on(t.projectId, t.createdAt, t.id),
    index('data_objects_kind').on(t.projectId, t.kind, t.createdAt),
    index('data_objects_operation').on(t.createdByOperationId),
    index('data_objects_foreign').on(t.kind, t.createdAt, t.id).where(canBeForeign(t)),
    index('data_objects_foreign_search')
      .using('gin', sql`ngrams(${dataText(t)})`)
      .where(canBeForeign(t)),
    index('data_objects_volume').on(t.volumeKey).where(sql`${t.volumeKey} is not null`),
  ],
);

export type DataObjectRow = typeof dataObjects.$inferSelect;
export type FileRow = typeof dataObjectFiles.$inferSelect;
/** A row of a known kind, with the metadata of that kind. */
export type RowOfKind<Kind extends DataObjectKind> = Omit<DataObjectRow, 'kind' | 'metadata'> &
  DataContent<Kind>;

/** The row narrowed to these kinds; undefined for another kind. Kind and metadata are always written together. */
export const narrowRow = <Kind extends DataObjectKind>(
  row: DataObjectRow,
  ...kinds: Kind[]
): RowOfKind<Kind> | undefined =>
  (kinds as DataObjectKind[]).includes(row.kind) ? (row as unknown as RowOfKind<Kind>) : undefined;

/** Kind and metadata of a row as the contract's union. */
export const readContent = ({ kind, metadata }: DataObjectRow): DataContent =>
  ({ kind, metadata }) as DataContent;

export const dataObjectFiles = pgTable(
  'data_object_files',
  {
    id: id(),
    dataObjectId: belongsTo('data_object_id', () => dataObjects.id),
    fileName: text('file_name').notNull(),
    mediaType: text('media_type').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    sha256: text('sha256').notNull(),
    blobKey: text('blob_key')
      .notNull()
      .references(() => blobs.key),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('data_object_files_name_key').on(t.dataObjectId, t.fileName),
    index('data_object_files_blob').on(t.blobKey),
  ],
);

/** One row per data object and parameters, identified by the parameters' hash. */
export const dataViews = pgTable(
  'data_views',
  {
    id: id(),
    dataObjectId: belongsTo('data_object_id', () => dataObjects.id),
    parametersHash: text('parameters_hash').notNull(),
    parameters: jsonb('parameters').$type<Record<string, unknown>>().notNull(),
    ...work(),
    fileName: text('file_name'),
    mediaType: text('media_type'),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    sha256: text('sha256'),
    blobKey: text('blob_key').references(() => blobs.key),
    /** version of the generator; a newer generator creates a new file for the same row */
    version: integer('version').notNull(),
    lastUsedAt: moment('last_used_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('data_views_parameters_key').on(t.dataObjectId, t.parametersHash),
    index('data_views_blob').on(t.blobKey).where(sql`${t.blobKey} is not null`),
    index('data_views_used').on(t.lastUsedAt),
  ],
);
