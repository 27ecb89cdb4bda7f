/** Bookmarks and their comments in the database. */
import { and, asc, count, desc, eq, inArray, ne, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Bookmark, BookmarkComment } from '#contract/shapes/bookmark.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { ProjectAccess } from '#storage/access/access.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import { newBlobKey } from '#storage/blobs/blob-store.ts';
import { describeBlob, registerBlob } from '#storage/blobs/sweep.ts';
import type { Database, Executor, Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { bookmarkComments, bookmarks } from '#storage/db/schema-collaboration.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { offsetOf, type PageRequest } from '../../http/page.ts';
import { invalidField, notFound } from '../../http/problem.ts';
import type { AddressSigner } from '../../http/signed-address.ts';

type BookmarkRow = typeof bookmarks.$inferSelect;
type Place = Pick<ProjectAccess, 'id' | 'organizationId' | 'workspaceId'>;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Writes the picture and returns its key. @throws Problem VALIDATION_FAILED for what is no PNG */
export async function keepPicture(
  db: Database,
  blobs: BlobStore,
  base64: string | undefined,
): Promise<string | undefined> {
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (!bytes.subarray(0, 8).equals(PNG_SIGNATURE)) throw invalidField('thumbnailPng', 'is not a PNG');
  const key = newBlobKey('thumbnails');
  await registerBlob(db, { key, kind: 'object' });
  await describeBlob(db, key, await blobs.put(key, bytes, { mediaType: 'image/png' }));
  return key;
}

export async function tell(
  tx: Transaction,
  type: 'created' | 'updated' | 'deleted',
  place: Place,
  id: string,
): Promise<void> {
  const { id: projectId, organizationId, workspaceId } = place;
  await notify(tx, { type, resource: 'bookmark', id, projectId, organizationId, workspaceId });
}

export async function shapesOf(
  db: Executor,
  addresses: AddressSigner,
  base: string,
  rows: BookmarkRow[],
): Promise<Bookmark[]> {
  if (rows.length === 0) return [];
  const counts = await db
    .select({ id: bookmarkComments.bookmarkId, count: count() })
    .from(bookmarkComments)
    .where(
      inArray(
        bookmarkComments.bookmarkId,
        rows.map(({ id }) => id),
      ),
    )
    .groupBy(bookmarkComments.bookmarkId);
  const countOf = new Map(counts.map((row) => [row.id, row.count]));
  const picture = { fileName: 'bookmark.png', mediaType: 'image/png', inline: true };
  return rows.map((row) => ({
    id: row.id,
    projectId: row.projectId,
    name: row.name,
    description: row.description,
    viewState: row.viewState as ViewState,
    thumbnailUrl:
      row.thumbnailKey === null ? null : addresses.address(base, { key: row.thumbnailKey, ...picture }),
    commentCount: countOf.get(row.id) ?? 0,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }));
}

/** Newest first, in the workspaces that the caller sees. */
export async function listBookmarks(
  db: Executor,
  workspaceIds: string[],
  filter: { project?: string; search?: string },
  page: PageRequest,
): Promise<{ count: number; rows: BookmarkRow[] }> {
  if (workspaceIds.length === 0) return { count: 0, rows: [] };
  const wanted = (filter.search ?? '').trim().toLowerCase();
  const condition = and(
    inArray(projects.workspaceId, workspaceIds),
    ne(projects.state, 'deleted'),
    filter.project === undefined ? undefined : eq(bookmarks.projectId, filter.project),
    wanted === '' ? undefined : sql`position(${wanted} in lower(${bookmarks.name})) > 0`,
  );
  const joined = eq(projects.id, bookmarks.projectId);
  const [{ total }] = await db
    .select({ total: count() })
    .from(bookmarks)
    .innerJoin(projects, joined)
    .where(condition);
  const rows = await db
    .select({ row: bookmarks })
    .from(bookmarks)
    .innerJoin(projects, joined)
    .where(condition)
    .orderBy(desc(bookmarks.createdAt), desc(bookmarks.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, rows: rows.map(({ row }) => row) };
}

export async function readBookmark(db: Executor, id: string): Promise<BookmarkRow> {
  const [row] = await db.select().from(bookmarks).where(eq(bookmarks.id, id));
  if (!row) throw notFound('bookmark');
  return row;
}

export async function insertBookmark(
  tx: Transaction,
  values: typeof bookmarks.$inferInsert,
): Promise<BookmarkRow> {
  const [row] = await tx.insert(bookmarks).values(values).returning();
  return row;
}

export async function updateBookmark(
  tx: Transaction,
  id: string,
  values: Partial<typeof bookmarks.$inferInsert>,
): Promise<BookmarkRow> {
  const [row] = await tx
    .update(bookmarks)
    .set({ ...values, updatedAt: new Date() })
    .where(eq(bookmarks.id, id))
    .returning();
  if (!row) throw notFound('bookmark');
  return row;
}

export async function deleteBookmark(tx: Transaction, id: string): Promise<void> {
  await tx.delete(bookmarks).where(eq(bookmarks.id, id));
}

type Comment = z.infer<typeof BookmarkComment>;

/** Who wrote an account that is gone is shown as nobody. */
const NOBODY = { id: '00000000-0000-0000-0000-000000000000', email: '', name: 'Removed account' };

const commentColumns = {
  comment: bookmarkComments,
  author: { id: users.id, email: users.email, name: users.name },
};

function commentShape({
  comment,
  author,
}: {
  comment: typeof bookmarkComments.$inferSelect;
  author: Comment['author'] | null;
}): Comment {
  return {
    id: comment.id,
    text: comment.text,
    author: author ?? NOBODY,
    createdAt: comment.createdAt.toISOString(),
  };
}

/** Oldest first, as they are read. */
export async function listComments(db: Executor, bookmarkId: string, page: PageRequest) {
  const condition = eq(bookmarkComments.bookmarkId, bookmarkId);
  const [{ total }] = await db.select({ total: count() }).from(bookmarkComments).where(condition);
  const rows = await db
    .select(commentColumns)
    .from(bookmarkComments)
    .leftJoin(users, eq(users.id, bookmarkComments.authorId))
    .where(condition)
    .orderBy(asc(bookmarkComments.createdAt), asc(bookmarkComments.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, results: rows.map(commentShape) };
}

export async function insertComment(
  tx: Transaction,
  bookmarkId: string,
  author: Comment['author'],
  text: string,
): Promise<Comment> {
  const [comment] = await tx
    .insert(bookmarkComments)
    .values({ bookmarkId, authorId: author.id, text })
    .returning();
  return commentShape({ comment, author });
}
