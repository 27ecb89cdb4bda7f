/** Renders of bookmarks: uploaded by the viewer, or requested from the worker. */

import { and, eq } from 'drizzle-orm';
import type { WorkError } from '#contract/base/primitives.ts';
import type { BookmarkRender } from '#contract/shapes/bookmark.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { Database, Executor, Transaction } from '#storage/db/connection.ts';
import { byCreation, type Page, type PageRequest, readPage } from '#storage/db/page.ts';
import { bookmarkRenders } from '#storage/db/schema-collaboration.ts';
import { insertRow } from '#storage/db/take-row.ts';
import { cancelWork, requestWork, retryWork } from '#storage/work/life.ts';
import { invalidField, notFound, Problem } from '../../http/problem.ts';
import type { SignAddress } from '../../http/signed-address.ts';
import { decodePng, writePicture } from './store.ts';

type RenderRow = typeof bookmarkRenders.$inferSelect;

/** Stores a picture rendered by the viewer. @throws Problem when it is not a PNG, or not of the stated size */
export async function keepRender(
  db: Database,
  blobs: BlobStore,
  base64: string,
  { width, height }: { width: number; height: number },
): Promise<{ key: string; sizeBytes: number }> {
  const bytes = decodePng(base64, 'png');
  const size = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (size[0] !== width || size[1] !== height)
    throw invalidField('png', `has ${size[0]} × ${size[1]} pixels, not ${width} × ${height}`);
  return writePicture(db, blobs, bytes);
}

/** Inserts a render, either completed with its picture or pending for the worker. */
export async function insertRender(
  tx: Transaction,
  request: typeof bookmarkRenders.$inferInsert,
  made: { key: string; sizeBytes: number } | null,
): Promise<RenderRow> {
  const outcome = made
    ? {
        status: 'completed' as const,
        progress: 1,
        finishedAt: new Date(),
        blobKey: made.key,
        sizeBytes: made.sizeBytes,
      }
    : { status: 'pending' as const };
  const row = await insertRow(tx, bookmarkRenders, { ...request, ...outcome });
  if (!made) await requestWork(tx, 'render', row);
  return row;
}

/** Reads a render of the bookmark. @throws Problem NOT_FOUND */
async function readRender(tx: Transaction, bookmarkId: string, id: string): Promise<RenderRow> {
  const [row] = await tx
    .select()
    .from(bookmarkRenders)
    .where(and(eq(bookmarkRenders.id, id), eq(bookmarkRenders.bookmarkId, bookmarkId)));
  if (!row) throw notFound('render', 'renderId');
  return row;
}

/** @throws Problem NOT_FOUND, ALREADY_FINISHED */
export async function cancelRender(tx: Transaction, bookmarkId: string, id: string): Promise<RenderRow> {
  const before = await readRender(tx, bookmarkId, id);
  if (before.finishedAt !== null)
    throw new Problem('ALREADY_FINISHED', `the render is already ${before.status}`);
  return ((await cancelWork(tx, 'render', id)) as RenderRow | undefined) ?? before;
}

/** @throws Problem NOT_FOUND, CONFLICT */
export async function retryRender(tx: Transaction, bookmarkId: string, id: string): Promise<RenderRow> {
  const before = await readRender(tx, bookmarkId, id);
  const again = (await retryWork(tx, 'render', id)) as RenderRow | undefined;
  if (again) return again;
  throw new Problem(
    'CONFLICT',
    `only a failed or cancelled render can be made again; this one is ${before.status}`,
  );
}

/** Newest first. */
export const listRenders = (db: Executor, bookmarkId: string, page: PageRequest): Promise<Page<RenderRow>> =>
  readPage(db, page, {
    rows: () => db.select().from(bookmarkRenders).$dynamic(),
    where: eq(bookmarkRenders.bookmarkId, bookmarkId),
    order: byCreation(bookmarkRenders),
    keyed: (row) => row,
  });

export function renderShape(sign: SignAddress, projectId: string, row: RenderRow): BookmarkRender {
  const { id, status, width, height, blobKey } = row;
  const fileName = `view_${width}x${height}.png`;
  return {
    id,
    status,
    progress: row.progress,
    stage: row.stage,
    width,
    height,
    url:
      status === 'completed' && blobKey !== null
        ? sign({ key: blobKey, fileName, mediaType: 'image/png', inline: true }, { projectId })
        : null,
    error: row.error as WorkError | null,
    createdAt: row.createdAt.toISOString(),
  };
}
