/**
 * Blobs and projects.
 *
 * Blobs. Every stored object, and every volume (a prefix of many objects), has a row in `blobs` from before
 * its first byte is written until after its last one is deleted, and whatever uses it refers to that row by
 * a foreign key. So PostgreSQL itself refuses to forget a blob that some row still refers to, copies of a
 * project share its bytes at no cost, and a crash in the middle leaves a row that the sweep finds.
 *
 * List speed. A page of projects is one organization (or a few), a set of workspaces, perhaps a state, tags,
 * a verdict, a search text, in one of six orders. Each order has an index (organization, order column, id)
 * that ends in the columns which lists are filtered by, so that filtering and skipping to a late page read the
 * index alone; only the 25 rows of the page are fetched. Tags and text have GIN indexes. Three columns are
 * copies made for this: `nameSort` (what the name sorts by), `searchText` (name, part and serial number,
 * without case and accents) and `shortTags`. project-list.ts writes the queries.
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

/** Compared byte by byte: fast, and the same on every server, whatever its locale. */
const plainText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

/**
 * KiB of changes that wait to be sorted into a GIN index. Whoever fills the last of it sorts all: with PostgreSQL's
 * own 4 MiB one change in some 20,000 then takes 200 ms more; with this no change stands out, and all together take less.
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
    /** the work that writes it; null once that has ended well and something refers to the blob */
    writtenBy: uuid('written_by'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('blobs_created').on(t.createdAt),
    index('blobs_written_by').on(t.writtenBy).where(sql`${t.writtenBy} is not null`),
  ],
);

/** Blobs whose row is gone and whose bytes are about to go; a crash in between is taken up again. */
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
    /** made by `projectTexts` in search-text.ts from name, part number and serial number */
    nameSort: plainText('name_sort').notNull(),
    searchText: plainText('search_text').notNull(),
    description: text('description').notNull().default(''),
    state: text('state').$type<'active' | 'archived' | 'deleted'>().notNull().default('active'),
    /** what restore goes back to when the project was archived before it was deleted */
    stateBeforeDelete: text('state_before_delete').$type<'active' | 'archived'>(),
    tags: text('tags').array().notNull().default(sql`'{}'::text[]`),
    partNumber: text('part_number'),
    serialNumber: text('serial_number'),
    lot: text('lot'),
    /** this and the next two are written by `recomputeVerdicts` alone */
    verdict: text('verdict').$type<Verdict>(),
    /** the worst of those that count */
    leadingCharacteristic: jsonb('leading_characteristic').$type<LeadingCharacteristic>(),
    /** when the newest scan came, or the newest characteristic was measured */
    measuredAt: moment('measured_at'),
    thumbnailKey: text('thumbnail_key').references(() => blobs.key),
    storageBytes: bigint('storage_bytes', { mode: 'number' }).notNull().default(0),
    dataObjectCount: integer('data_object_count').notNull().default(0),
    /** no foreign key: operations refer to projects already */
    latestOperationId: uuid('latest_operation_id'),
    copiedFromProjectId: uuid('copied_from_project_id'),
    /** goes up with every change; the ETag */
    version: integer('version').notNull().default(1),
    createdBy: mayReferTo('created_by', () => users.id),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    archivedAt: moment('archived_at'),
    deletedAt: moment('deleted_at'),
    /** the tags, or null where they are too long for an index entry, which holds 2,704 bytes */
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
      // A part of the rows that stands for all, since ids are random; project-sample.ts estimates by it. Chosen by an
      // id's end: rows of one state or verdict are listed by its beginning, and the part has to lie all over the list.
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
