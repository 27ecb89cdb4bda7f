/** Pictures of bookmarks: brought by a viewer, or asked of the worker. */
import { count, desc, eq } from 'drizzle-orm';
import type { BookmarkRender } from '#contract/shapes/bookmark.ts';
import type { WorkError } from '#contract/shapes/primitives.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { Database, Executor, Transaction } from '#storage/db/connection.ts';
import { bookmarkRenders } from '#storage/db/schema-collaboration.ts';
import type { JobQueue } from '#storage/queue/queue.ts';
import { offsetOf, type PageRequest } from '../../http/page.ts';
import { invalidField } from '../../http/problem.ts';
import type { AddressSigner } from '../../http/signed-address.ts';
import { pngOf, writePicture } from './store.ts';

type RenderRow = typeof bookmarkRenders.$inferSelect;

/** Writes a picture that was made by a viewer. @throws Problem when it is no PNG, or not of the size that is said */
export async function keepRender(
  db: Database,
  blobs: BlobStore,
  base64: string,
  { width, height }: { width: number; height: number },
): Promise<{ key: string; sizeBytes: number }> {
  const bytes = pngOf(base64, 'png');
  const size = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (size[0] !== width || size[1] !== height)
    throw invalidField('png', `has ${size[0]} × ${size[1]} pixels, not ${width} × ${height}`);
  return writePicture(db, blobs, bytes);
}

/** A render that is there with its picture, or one that waits for the worker. */
export async function insertRender(
  tx: Transaction,
  queue: JobQueue,
  asked: typeof bookmarkRenders.$inferInsert,
  made: { key: string; sizeBytes: number } | null,
): Promise<RenderRow> {
  const outcome = made
    ? { status: 'completed' as const, blobKey: made.key, sizeBytes: made.sizeBytes }
    : { status: 'pending' as const };
  const [row] = await tx
    .insert(bookmarkRenders)
    .values({ ...asked, ...outcome })
    .returning();
  if (!made) await queue.send(tx, 'render', { renderId: row.id });
  return row;
}

/** Newest first. */
export async function listRenders(db: Executor, bookmarkId: string, page: PageRequest) {
  const condition = eq(bookmarkRenders.bookmarkId, bookmarkId);
  const [{ total }] = await db.select({ total: count() }).from(bookmarkRenders).where(condition);
  const rows = await db
    .select()
    .from(bookmarkRenders)
    .where(condition)
    .orderBy(desc(bookmarkRenders.createdAt), desc(bookmarkRenders.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, rows };
}

export function renderShape(addresses: AddressSigner, base: string, row: RenderRow): BookmarkRender {
  const { id, status, width, height, blobKey } = row;
  const fileName = `view_${width}x${height}.png`;
  return {
    id,
    status,
    width,
    height,
    url:
      status === 'completed' && blobKey !== null
        ? addresses.address(base, { key: blobKey, fileName, mediaType: 'image/png', inline: true })
        : null,
    error: row.error as WorkError | null,
    createdAt: row.createdAt.toISOString(),
  };
}
