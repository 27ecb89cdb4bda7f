/**
 * Blobs and projects.
 *
 * Blobs. Every stored object, and every volume (a prefix of many objects), has a row in `blobs` from before its first byte
 * is written until after its last one is deleted, and every user of the blob has a foreign key to that row. So PostgreSQL
 * itself refuses to delete the row of a blob in use, copies of a project share its bytes at no cost, and a crash in between
 * leaves a row that the sweep finds.
 *
 * List speed. A page of projects covers one organization (or a few) and a set of workspaces, optionally filtered by state,
 * tags, verdict and search text, in one of six orders. Each order has an index (organization, order column, id) that ends
 * with the filter columns, so that filtering and skipping to a late page read only the index; just the 25 rows of the page
 * are fetched. Tags and text have GIN indexes. Three columns are derived for this: `nameSort` (sort key of the name),
 * `searchText` (name, part and serial number, without case and accents) and `shortTags`. project-list.ts builds the queries.
 */
import { type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Verdict } from '#contract/metadata/verdict.ts';
import type { LeadingCharacteristic } from '#contract/shapes/characteristic.ts';
import { belongsTo, id, mayReferTo, moment } from './columns.ts';
import { organizations, users, workspaces } from './schema-accounts.ts';

/** Compared bytewise: fast, and independent of the server's locale. */
const plainText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

/**
 * KiB of pending changes of a GIN index. The change that fills the list has to merge all of them: with PostgreSQL's default
 * of 4 MiB, one change in some 20,000 takes 200 ms longer; with this value no change stands out, and the total is smaller.
 */
const sortedOften = { gin_pending_list_limit: 256 };

export const blobs = pgTable(
  'blobs',
  {
    /** key in the blob store; a prefix when kind is `volume` */
    key: text('key').primaryKey(),
    kind: text('kind').$type<'object' | 'volume'>().notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    sha256: text('sha256'),
    /** the work that writes it; null once that has succeeded */
    writtenBy: uuid('written_by'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('blobs_created').on(t.createdAt),
    index('blobs_written_by').on(t.writtenBy).where(sql`${t.writtenBy} is not null`),
  ],
);

/** Blobs whose row was deleted and whose bytes are still to be deleted; resumed after a crash. */
export const blobDeletions = pgTable('blob_deletions', {
  key: text('key').primaryKey(),
  kind: text('kind').$type<'object' | 'volume'>().notNull(),
  createdAt: moment('created_at').notNull().defaultNow(),
});

export const projects = pgTable(
  'projects',
  {
    id: id(),
    organizationId: belongsTo('organization_id', () => organizations.id),
    workspaceId: uuid('workspace_id')
      .notNull()
      .references(() => workspaces.id, { onDelete: 'restrict' }),
    name: text('name').notNull(),
    /** computed by `projectTexts` in search-text.ts from name, part number and serial number */
    nameSort: plainText('name_sort').notNull(),
    searchText: plainText('search_text').notNull(),
    description: text('description').notNull().default(''),
    state: text('state').$type<'active' | 'archived' | 'deleted'>().notNull().default('active'),
    /** state to restore, when the project was archived before it was deleted */
    stateBeforeDelete: text('state_before_delete').$type<'active' | 'archived'>(),
    tags: text('tags').array().notNull().default(sql`'{}'::text[]`),
    partNumber: text('part_number'),
    serialNumber: text('serial_number'),
    lot: text('lot'),
    /** this and the next two are written only by `recomputeVerdicts` */
    verdict: text('verdict').$type<Verdict>(),
    /** the worst of the current ones */
    leadingCharacteristic: jsonb('leading_characteristic').$type<LeadingCharacteristic>(),
    /** time of the newest scan or the newest measured characteristic */
    measuredAt: moment('measured_at'),
    thumbnailKey: text('thumbnail_key').references(() => blobs.key),
    storageBytes: bigint('storage_bytes', { mode: 'number' }).notNull().default(0),
    dataObjectCount: integer('data_object_count').notNull().default(0),
    /** no foreign key, because operations already refer to projects */
    latestOperationId: uuid('latest_operation_id'),
    copiedFromProjectId: uuid('copied_from_project_id'),
    /** increased with every change; the ETag */
    version: integer('version').notNull().default(1),
    createdBy: mayReferTo('created_by', () => users.id),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    archivedAt: moment('archived_at'),
    deletedAt: moment('deleted_at'),
    /** the tags, or null when they are too long for an index entry of 2,704 bytes */
    shortTags: text('short_tags').array().generatedAlwaysAs(sql`short_tags(tags)`),
  },
  (t) => {
    const filtered = [t.workspaceId, t.state, t.verdict, t.shortTags] as const;
    const byOrder = (name: string, column: AnyPgColumn | SQL) =>
      index(`projects_by_${name}`).on(t.organizationId, column, t.id, ...filtered);
    return [
      byOrder('created', t.createdAt),
      byOrder('updated', t.updatedAt),
      byOrder('name', t.nameSort),
      byOrder('storage', t.storageBytes),
      index('projects_by_state').on(t.organizationId, t.state, t.id, t.workspaceId, t.verdict, t.shortTags),
      byOrder('verdict', sql`coalesce(${t.verdict}, 'without')`),
      index('projects_by_workspace').on(t.workspaceId, t.state, t.verdict, t.id),
      // A representative sample of rows for the estimates of project-sample.ts, since ids are random. Selected by the end
      // of the id, because rows of one state or verdict are sorted by its beginning, and the sample has to cover the list.
      index('projects_sample')
        .on(
          t.organizationId,
          ...filtered,
          t.searchText,
          t.nameSort,
          t.createdAt,
          t.updatedAt,
          t.storageBytes,
          t.id,
        )
        .where(sql`get_byte(uuid_send(${t.id}), 15) < 4 and octet_length(${t.searchText}) < 800`),
      index('projects_tags').using('gin', t.tags).with(sortedOften),
      index('projects_search').using('gin', sql`ngrams(${t.searchText})`).with(sortedOften),
      index('projects_trash').on(t.deletedAt).where(sql`${t.state} = 'deleted'`),
      index('projects_thumbnail').on(t.thumbnailKey).where(sql`${t.thumbnailKey} is not null`),
    ];
  },
);
