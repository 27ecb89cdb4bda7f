/** Uploads in the database; the last byte, the ingest and its job are one transaction. */

import { randomUUID } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { Upload } from '#contract/shapes/upload.ts';
import { afterSeconds } from '#storage/db/after.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { byCreation, type Page, type PageRequest, readPage } from '#storage/db/page.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations, uploads } from '#storage/db/schema-work.ts';
import { insertRow, takeRow } from '#storage/db/take-row.ts';
import { requestWork } from '#storage/work/life.ts';
import { notFound } from '../../http/problem.ts';
import type { UploadMetadata } from './metadata.ts';

const DAY_SECONDS = 86_400;

export type UploadRow = typeof uploads.$inferSelect;

export function uploadShape(row: UploadRow, arrivedBytes: number): Upload {
  return {
    id: row.id,
    projectId: row.projectId,
    fileName: row.fileName,
    sizeBytes: row.sizeBytes ?? 0,
    offset: row.status === 'completed' ? (row.sizeBytes ?? 0) : arrivedBytes,
    operationId: row.operationId,
    createdAt: row.createdAt.toISOString(),
  };
}

async function announceUpload(tx: Executor, type: 'created' | 'updated', id: string, projectId: string) {
  const [place] = await tx
    .select({ organizationId: projects.organizationId, workspaceId: projects.workspaceId })
    .from(projects)
    .where(eq(projects.id, projectId));
  if (place) await notify(tx, { type, resource: 'upload', id, projectId, ...place });
}

export async function insertUpload(
  tx: Transaction,
  userId: string,
  { projectId, fileName, mediaType, texts }: UploadMetadata,
  sizeBytes: number,
  uploadDays: number,
): Promise<string> {
  const { id } = await insertRow(tx, uploads, {
    projectId,
    fileName,
    mediaType,
    metadata: texts,
    sizeBytes,
    expiresAt: afterSeconds(uploadDays * DAY_SECONDS),
    createdBy: userId,
  });
  await announceUpload(tx, 'created', id, projectId);
  return id;
}

export async function readUpload(db: Executor, id: string): Promise<UploadRow> {
  const [row] = await db.select().from(uploads).where(eq(uploads.id, id));
  if (!row) throw notFound('upload');
  return row;
}

/**
 * Bytes that running uploads of all organizations will still need. Locks, so that no other upload can start before the
 * transaction ends. Uploads idle for an hour don't reserve space.
 */
export async function lockPromisedBytes(tx: Transaction): Promise<number> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('uploads under way'))`);
  const rows = await tx
    .select({ bytes: sql<number>`coalesce(sum(${uploads.sizeBytes} - ${uploads.offsetBytes}), 0)::float8` })
    .from(uploads)
    .where(and(eq(uploads.status, 'uploading'), sql`${uploads.updatedAt} > now() - interval '1 hour'`));
  return takeRow(rows).bytes;
}

/** Extends the lifetime of an upload whose client is active. */
export async function touchUpload(
  db: Executor,
  id: string,
  offsetBytes: number,
  uploadDays: number,
): Promise<void> {
  await db
    .update(uploads)
    .set({ offsetBytes, expiresAt: afterSeconds(uploadDays * DAY_SECONDS), updatedAt: sql`now()` })
    .where(and(eq(uploads.id, id), eq(uploads.status, 'uploading')));
}

/** Marks the upload as complete and requests its import; idempotent. */
export async function finishUpload(
  tx: Transaction,
  id: string,
  content: Pick<UploadRow, 'blobKey' | 'sha256'>,
): Promise<UploadRow> {
  const [row] = await tx.select().from(uploads).where(eq(uploads.id, id)).for('update');
  if (!row) throw notFound('upload');
  if (row.status !== 'uploading') return row;
  const project = takeRow(
    await tx.select().from(projects).where(eq(projects.id, row.projectId)).for('update'),
  );
  const operationId = randomUUID();
  const values = {
    id: operationId,
    projectId: row.projectId,
    organizationId: project.organizationId,
    operation: 'ingest',
    parameters: { fileName: row.fileName, sizeBytes: row.sizeBytes },
    uploadId: id,
    createdBy: row.createdBy,
  };
  const operation = await insertRow(tx, operations, values);
  await tx.update(projects).set({ latestOperationId: operationId }).where(eq(projects.id, row.projectId));
  const finished = takeRow(
    await tx
      .update(uploads)
      .set({
        status: 'completed',
        offsetBytes: row.sizeBytes ?? 0,
        operationId,
        ...content,
        completedAt: sql`now()`,
        updatedAt: sql`now()`,
      })
      .where(eq(uploads.id, id))
      .returning(),
  );
  await announceUpload(tx, 'updated', id, row.projectId);
  await requestWork(tx, 'operation', operation);
  return finished;
}

export async function cancelUpload(tx: Transaction, id: string): Promise<void> {
  const [row] = await tx
    .update(uploads)
    .set({ status: 'cancelled', updatedAt: sql`now()` })
    .where(and(eq(uploads.id, id), eq(uploads.status, 'uploading')))
    .returning();
  if (row) await announceUpload(tx, 'updated', id, row.projectId);
}

/** Incomplete uploads, newest first. */
export const listUnfinished = (
  db: Executor,
  projectId: string,
  page: PageRequest,
): Promise<Page<UploadRow>> =>
  readPage(db, page, {
    rows: () => db.select().from(uploads).$dynamic(),
    where: and(eq(uploads.projectId, projectId), eq(uploads.status, 'uploading')),
    order: byCreation(uploads),
    keyed: (row) => row,
  });

/** Uploads not marked as complete, whose last byte may nevertheless have arrived. */
export async function unfinishedUploads(db: Executor): Promise<{ id: string; sizeBytes: number | null }[]> {
  return db
    .select({ id: uploads.id, sizeBytes: uploads.sizeBytes })
    .from(uploads)
    .innerJoin(projects, eq(projects.id, uploads.projectId))
    .where(and(eq(uploads.status, 'uploading'), eq(projects.state, 'active')));
}
