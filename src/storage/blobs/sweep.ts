/**
 * Which blobs are in use. A blob is registered before its first byte is written; from then on it belongs to
 * whatever rows refer to it. One that no row refers to after a grace period (a crashed writer, a purged
 * project, a replaced view) is deleted by the sweep, row first: the foreign keys make PostgreSQL refuse that
 * when a reference came in meanwhile.
 */
import { eq, getTableColumns, is, sql } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { type Database, type Executor, sqlState } from '../db/connection.ts';
import * as collaboration from '../db/schema-collaboration.ts';
import * as data from '../db/schema-data.ts';
import * as projects from '../db/schema-projects.ts';
import * as work from '../db/schema-work.ts';
import type { BlobStore } from './blob-store.ts';

const { blobs, blobDeletions } = projects;
const BATCH = 200;

export interface BlobRegistration {
  key: string;
  /** volume: the key is a prefix of many blobs */
  kind: 'object' | 'volume';
  /** the work that writes it: when that does not end well the blob goes */
  writtenBy?: string;
  sizeBytes?: number;
  sha256?: string;
}

/** To be called, and committed, before the first byte of the blob is written. */
export async function registerBlob(db: Executor, blob: BlobRegistration): Promise<void> {
  await db.insert(blobs).values(blob);
}

/** What is known of a blob once it is written. */
export async function describeBlob(
  db: Executor,
  key: string,
  known: { sizeBytes: number; sha256?: string },
): Promise<void> {
  await db.update(blobs).set(known).where(eq(blobs.key, key));
}

/** What this work has written is in use now, or is left to the sweep. */
export async function keepWorkBlobs(tx: Executor, workId: string): Promise<void> {
  await tx.update(blobs).set({ writtenBy: null }).where(eq(blobs.writtenBy, workId));
}

/** What this work has written is of no use; its bytes go with the next `finishDeletions`. */
export async function discardWorkBlobs(tx: Executor, workId: string): Promise<void> {
  const gone = await tx
    .delete(blobs)
    .where(eq(blobs.writtenBy, workId))
    .returning({ key: blobs.key, kind: blobs.kind });
  if (gone.length > 0) await tx.insert(blobDeletions).values(gone).onConflictDoNothing();
}

/** Every column with a foreign key to blobs, read from the schema, so that none can be forgotten. */
const references = [projects, data, work, collaboration]
  .flatMap((module) => Object.values(module))
  .filter((value) => is(value, PgTable))
  .flatMap((table) => {
    const { name, foreignKeys } = getTableConfig(table);
    return foreignKeys
      .map((key) => key.reference())
      .filter(({ foreignColumns }) => foreignColumns[0] === getTableColumns(blobs).key)
      .flatMap(({ columns: [column] }) => (column ? { table: name, column: column.name } : []));
  });

/**
 * Deletes blobs that nothing refers to.
 *
 * @param graceSeconds age up to which a blob may still be waiting for its first reference; a day by default
 * @returns how many were deleted
 */
export async function sweepBlobs(db: Database, store: BlobStore, graceSeconds = 24 * 3600): Promise<number> {
  let count = await finishDeletions(db, store);
  for (;;) {
    const forgotten = await forget(db, graceSeconds);
    if (forgotten === 0) return count;
    count += await finishDeletions(db, store);
  }
}

/** Moves one batch of unused rows from `blobs` to `blob_deletions`; 0 when there is none or one came into use. */
async function forget(db: Database, graceSeconds: number): Promise<number> {
  const unused = references.map(
    ({ table, column }) =>
      sql`not exists (select 1 from ${sql.identifier(table)} r where r.${sql.identifier(column)} = b.key)`,
  );
  try {
    const { rowCount } = await db.execute(sql`
      with unused as (
        select key from blobs b
        where created_at < now() - make_interval(secs => ${graceSeconds}) and ${sql.join(unused, sql` and `)}
        limit ${BATCH} for update skip locked
      ), gone as (
        delete from blobs where key in (select key from unused) returning key, kind
      )
      insert into blob_deletions (key, kind) select key, kind from gone`);
    return rowCount ?? 0;
  } catch (error) {
    const isReferred = sqlState(error) === '23503';
    if (isReferred) return 0;
    throw error;
  }
}

/** Deletes the bytes of all blobs whose rows are gone. */
export async function finishDeletions(db: Database, store: BlobStore): Promise<number> {
  const rows = await db.select().from(blobDeletions);
  for (const { key, kind } of rows) {
    if (kind === 'volume') await store.deleteAll(`${key}/`);
    else await store.delete(key);
    await db.delete(blobDeletions).where(eq(blobDeletions.key, key));
  }
  return rows.length;
}
