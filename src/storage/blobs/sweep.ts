/**
 * Deletes unused blobs. A blob is registered before its first byte is written, and is in use as long as a row refers to it.
 * A blob without references after a grace period (crashed writer, purged project, replaced view) is deleted by the sweep,
 * its row first: if a reference was added meanwhile, PostgreSQL refuses because of the foreign key.
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
  /** the work that writes it; the blob is discarded if the work fails */
  writtenBy?: string;
  sizeBytes?: number;
  sha256?: string;
}

/** Registers a blob; must be committed before its first byte is written. */
export async function registerBlob(db: Executor, blob: BlobRegistration): Promise<void> {
  await db.insert(blobs).values(blob);
}

/** Stores size and hash of a blob after it was written. */
export async function describeBlob(
  db: Executor,
  key: string,
  known: { sizeBytes: number; sha256?: string },
): Promise<void> {
  await db.update(blobs).set(known).where(eq(blobs.key, key));
}

/** Keeps the blobs written by this work; unreferenced ones are left to the sweep. */
export async function keepWorkBlobs(tx: Executor, workId: string): Promise<void> {
  await tx.update(blobs).set({ writtenBy: null }).where(eq(blobs.writtenBy, workId));
}

/** Discards the blobs written by this work; the next `finishDeletions` deletes their bytes. */
export async function discardWorkBlobs(tx: Executor, workId: string): Promise<void> {
  const gone = await tx
    .delete(blobs)
    .where(eq(blobs.writtenBy, workId))
    .returning({ key: blobs.key, kind: blobs.kind });
  if (gone.length > 0) await tx.insert(blobDeletions).values(gone).onConflictDoNothing();
}

/** All columns with a foreign key to blobs, collected from the schema so that none is missed. */
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
 * Deletes unreferenced blobs.
 *
 * @param graceSeconds age up to which an unreferenced blob is kept; default: one day
 * @returns number of deleted blobs
 */
export async function sweepBlobs(db: Database, store: BlobStore, graceSeconds = 24 * 3600): Promise<number> {
  let count = await finishDeletions(db, store);
  for (;;) {
    const forgotten = await forget(db, graceSeconds);
    if (forgotten === 0) return count;
    count += await finishDeletions(db, store);
  }
}

/** Moves a batch of unused rows from `blobs` to `blob_deletions`; 0 when there are none, or one was referenced meanwhile. */
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

/** Deletes the bytes of all blobs whose rows were deleted. */
export async function finishDeletions(db: Database, store: BlobStore): Promise<number> {
  const rows = await db.select().from(blobDeletions);
  for (const { key, kind } of rows) {
    if (kind === 'volume') await store.deleteAll(`${key}/`);
    else await store.delete(key);
    await db.delete(blobDeletions).where(eq(blobDeletions.key, key));
  }
  return rows.length;
}
