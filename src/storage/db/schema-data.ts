/** What a project holds: data objects, their files, and the views made of volumes. */
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

/** By what data is found beside its project: its name and that of its file, without case. */
export const dataText = (t: { name: AnyPgColumn; metadata: AnyPgColumn }) =>
  sql`lower(${t.name} || E'\\n' || coalesce(${t.metadata}->>'sourceFileName', ''))`;

/** What another project's part can be compared with; in the words of the indexes, as the planner has to find it again. */
export const canBeForeign = (t: { kind: AnyPgColumn; status: AnyPgColumn }) =>
  sql`${t.kind} in (${sql.raw(foreignReferenceKinds.map((kind) => `'${kind}'`).join(', '))}) and ${t.status} = 'completed'`;

/**
 * Never changed once completed, but for its name and what is measured of a surface later; copies of a project have rows of
 * their own and share the blobs.
 */
export const dataObjects = pgTable(
  'data_objects',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    kind: text('kind').$type<DataObjectKind>().notNull(),
    name: text('name').notNull(),
    status: text('status').$type<WorkStatus>().notNull().default('completed'),
    /** of its kind: see `narrowRow` */
    metadata: jsonb('metadata').$type<DataContent['metadata']>().notNull(),
    warnings: jsonb('warnings').$type<Warning[]>().notNull().default([]),
    /** prefix of the chunked volume in the blob store */
    volumeKey: text('volume_key').references(() => blobs.key),
    /** bytes of the volume and the files together */
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull().default(0),
    createdByOperationId: uuid('created_by_operation_id'),
    /** of a copy: the data object that it was copied from */
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
/** A row whose kind is known, and with it what its metadata holds. */
export type RowOfKind<Kind extends DataObjectKind> = Omit<DataObjectRow, 'kind' | 'metadata'> &
  DataContent<Kind>;

/** The row as one of these kinds; undefined when it is of another. Kind and metadata are written together. */
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

/** Equal parameters of one data object are one row, found by their hash. */
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
    /** of the generator: a newer generator makes a new file for the same row */
    version: integer('version').notNull(),
    lastUsedAt: moment('last_used_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('data_views_parameters_key').on(t.dataObjectId, t.parametersHash),
    index('data_views_blob').on(t.blobKey).where(sql`${t.blobKey} is not null`),
    index('data_views_used').on(t.lastUsedAt),
  ],
);
