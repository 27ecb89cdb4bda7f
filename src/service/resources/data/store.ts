/** Data objects, their files and views in the database. */
import { createHash } from 'node:crypto';
import { and, asc, count, desc, eq, inArray, sql } from 'drizzle-orm';
import { dataObjectKinds } from '#contract/analyses/kinds.ts';
import type { DataObject, VolumeViewQuery } from '#contract/shapes/data-object.ts';
import { type Database, type Executor, inTransaction } from '#storage/db/connection.ts';
import { dataObjectFiles, dataObjects, dataViews } from '#storage/db/schema-data.ts';
import type { JobQueue } from '#storage/queue/queue.ts';
import { priorities } from '#storage/queue/queues.ts';
import { offsetOf, type PageRequest } from '../../http/page.ts';
import { notFound } from '../../http/problem.ts';

export type DataObjectRow = typeof dataObjects.$inferSelect;
type FileRow = typeof dataObjectFiles.$inferSelect;
export type ViewRow = typeof dataViews.$inferSelect;

function shapeOf(row: DataObjectRow, files: FileRow[]): DataObject {
  return {
    id: row.id,
    projectId: row.projectId,
    kind: row.kind,
    name: row.name,
    status: row.status,
    files: files.map(({ fileName, mediaType, sizeBytes, sha256 }) => ({
      fileName,
      mediaType,
      sizeBytes,
      sha256,
    })),
    metadata: row.metadata,
    createdByOperation: row.createdByOperationId,
    createdAt: row.createdAt.toISOString(),
  };
}

async function shapesOf(db: Executor, rows: DataObjectRow[]): Promise<DataObject[]> {
  if (rows.length === 0) return [];
  const files = await db
    .select()
    .from(dataObjectFiles)
    .where(
      inArray(
        dataObjectFiles.dataObjectId,
        rows.map(({ id }) => id),
      ),
    )
    .orderBy(asc(dataObjectFiles.fileName));
  const byObject = Map.groupBy(files, ({ dataObjectId }) => dataObjectId);
  return rows.map((row) => shapeOf(row, byObject.get(row.id) ?? []));
}

export async function readRow(db: Executor, id: string): Promise<DataObjectRow> {
  const [row] = await db.select().from(dataObjects).where(eq(dataObjects.id, id));
  if (!row) throw notFound('data object');
  return row;
}

export async function readDataObject(db: Executor, id: string): Promise<DataObject> {
  const [shape] = await shapesOf(db, [await readRow(db, id)]);
  return shape;
}

export async function listData(db: Executor, projectId: string, kind: string | undefined, page: PageRequest) {
  const known = dataObjectKinds.find((name) => name === kind);
  if (kind !== undefined && known === undefined) return { count: 0, results: [] };
  const condition = and(
    eq(dataObjects.projectId, projectId),
    known === undefined ? undefined : eq(dataObjects.kind, known),
  );
  const [{ total }] = await db.select({ total: count() }).from(dataObjects).where(condition);
  const rows = await db
    .select()
    .from(dataObjects)
    .where(condition)
    .orderBy(desc(dataObjects.createdAt), desc(dataObjects.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, results: await shapesOf(db, rows) };
}

/** @throws Problem NOT_FOUND */
export async function readFile(db: Executor, dataObjectId: string, fileName: string): Promise<FileRow> {
  const [row] = await db
    .select()
    .from(dataObjectFiles)
    .where(and(eq(dataObjectFiles.dataObjectId, dataObjectId), eq(dataObjectFiles.fileName, fileName)));
  if (!row) throw notFound('file in this data object', 'fileName');
  return row;
}

/** Equal parameters give equal text, whatever the order of their names. */
export function hashOfParameters(parameters: VolumeViewQuery): string {
  const names = Object.entries(parameters).filter(([, value]) => value !== undefined);
  names.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(names)).digest('hex');
}

/** The view with these parameters; asked of the worker when it is not there or failed before. */
export async function requestView(
  db: Database,
  queue: JobQueue,
  dataObjectId: string,
  parameters: VolumeViewQuery,
): Promise<ViewRow> {
  const parametersHash = hashOfParameters(parameters);
  return inTransaction(db, async (tx) => {
    await tx
      .insert(dataViews)
      .values({ dataObjectId, parametersHash, parameters, version: 1, status: 'failed' })
      .onConflictDoNothing();
    const [row] = await tx
      .select()
      .from(dataViews)
      .where(and(eq(dataViews.dataObjectId, dataObjectId), eq(dataViews.parametersHash, parametersHash)))
      .for('update');
    const isThere = row.status === 'completed' && row.blobKey !== null;
    if (isThere || row.status === 'pending' || row.status === 'processing') {
      await tx.update(dataViews).set({ lastUsedAt: sql`now()` }).where(eq(dataViews.id, row.id));
      return row;
    }
    const [pending] = await tx
      .update(dataViews)
      .set({ status: 'pending', error: null, progress: 0, blobKey: null, lastUsedAt: sql`now()` })
      .where(eq(dataViews.id, row.id))
      .returning();
    const options = { priority: priorities.interactive, singletonKey: row.id };
    await queue.send(tx, 'view', { viewId: row.id }, options);
    return pending;
  });
}

export async function readView(db: Executor, id: string): Promise<ViewRow | undefined> {
  const [row] = await db.select().from(dataViews).where(eq(dataViews.id, id));
  return row;
}
