/** Bookmarks and their comments in the database. */

import { and, count, eq, inArray, isNotNull, ne, or, sql } from 'drizzle-orm';
import type { z } from 'zod';
import {
  type Bookmark,
  type BookmarkComment,
  maxStoryBookmarks,
  type Story,
} from '#contract/shapes/bookmark.ts';
import { ViewState } from '#contract/shapes/view-state.ts';
import type { ProjectAccess } from '#storage/access/access.ts';
import { author, authorMembership } from '#storage/access/accounts.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import { newBlobKey } from '#storage/blobs/blob-store.ts';
import { describeBlob, registerBlob } from '#storage/blobs/sweep.ts';
import { among } from '#storage/db/among.ts';
import {
  type Database,
  type Executor,
  outsideOfTransaction,
  type Transaction,
} from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { byCreation, mapPage, type Page, type PageRequest, readPage } from '#storage/db/page.ts';
import { organizationMembers, users, workspaceMembers } from '#storage/db/schema-accounts.ts';
import { bookmarkComments, bookmarks } from '#storage/db/schema-collaboration.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { storyOrder } from '#storage/db/story-order.ts';
import { insertRow, takeRow } from '#storage/db/take-row.ts';
import { writeNotification } from '#storage/db/write-notification.ts';
import { invalidField, notFound } from '../../http/problem.ts';
import type { SignAddress } from '../../http/signed-address.ts';

export type BookmarkRow = typeof bookmarks.$inferSelect;
type Place = Pick<ProjectAccess, 'id' | 'organizationId' | 'workspaceId'>;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Decodes a PNG. @throws Problem VALIDATION_FAILED naming `field` for anything else */
export function decodePng(base64: string, field: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  if (!bytes.subarray(0, 8).equals(PNG_SIGNATURE) || bytes.toString('latin1', 12, 16) !== 'IHDR')
    throw invalidField(field, 'is not a PNG');
  return bytes;
}

/** Stores the picture and returns its key. @throws Problem VALIDATION_FAILED when it is not a PNG */
export async function keepPicture(
  db: Database,
  blobs: BlobStore,
  base64: string | undefined,
): Promise<string | undefined> {
  if (base64 === undefined) return undefined;
  return (await writePicture(db, blobs, decodePng(base64, 'thumbnailPng'))).key;
}

export function writePicture(db: Database, blobs: BlobStore, bytes: Buffer) {
  return outsideOfTransaction(async () => {
    const key = newBlobKey('thumbnails');
    await registerBlob(db, { key, kind: 'object' });
    const stored = await blobs.put(key, bytes, { mediaType: 'image/png' });
    await describeBlob(db, key, stored);
    return { key, sizeBytes: stored.sizeBytes };
  });
}

export async function announceBookmark(
  tx: Transaction,
  type: 'created' | 'updated' | 'deleted',
  place: Place,
  id: string,
): Promise<void> {
  const { id: projectId, organizationId, workspaceId } = place;
  await notify(tx, { type, resource: 'bookmark', id, projectId, organizationId, workspaceId });
}

export async function bookmarkShapes(
  db: Executor,
  sign: SignAddress,
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
  const countsById = new Map(counts.map((row) => [row.id, row.count]));
  const around = await db
    .select({ id: bookmarks.id, projectName: projects.name, author })
    .from(bookmarks)
    .innerJoin(projects, eq(projects.id, bookmarks.projectId))
    .leftJoin(users, eq(users.id, bookmarks.createdBy))
    .leftJoin(organizationMembers, authorMembership)
    .where(
      inArray(
        bookmarks.id,
        rows.map(({ id }) => id),
      ),
    );
  const aroundById = new Map(around.map((row) => [row.id, row]));
  const picture = { fileName: 'bookmark.png', mediaType: 'image/png', inline: true };
  return rows.map((row) => ({
    id: row.id,
    projectId: row.projectId,
    projectName: aroundById.get(row.id)?.projectName ?? '',
    name: row.name,
    description: row.description,
    viewState: ViewState.parse(row.viewState),
    thumbnailUrl:
      row.thumbnailKey === null
        ? null
        : sign({ key: row.thumbnailKey, ...picture }, { projectId: row.projectId }),
    commentCount: countsById.get(row.id) ?? 0,
    createdBy: row.createdBy,
    author: aroundById.get(row.id)?.author ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }));
}

/** Bookmarks in these workspaces, newest first. */
export function listBookmarks(
  db: Executor,
  workspaceIds: string[],
  filter: { project?: string; search?: string },
  page: PageRequest,
): Promise<Page<BookmarkRow>> {
  const wanted = (filter.search ?? '').trim().toLowerCase();
  const list = readPage(db, page, {
    rows: () =>
      db
        .select({ row: bookmarks })
        .from(bookmarks)
        .innerJoin(projects, eq(projects.id, bookmarks.projectId))
        .$dynamic(),
    where: and(
      among(projects.workspaceId, workspaceIds),
      ne(projects.state, 'deleted'),
      filter.project === undefined ? undefined : eq(bookmarks.projectId, filter.project),
      wanted === ''
        ? undefined
        : sql`position(${wanted} in lower(${bookmarks.name} || ' ' || ${bookmarks.description} || ' ' || ${projects.name})) > 0`,
    ),
    order: byCreation(bookmarks),
    keyed: ({ row }) => row,
  });
  return mapPage(list, (found) => found.map(({ row }) => row));
}

export async function readStory(db: Executor, sign: SignAddress, projectId: string): Promise<Story> {
  const ofProject = eq(bookmarks.projectId, projectId);
  const rows = await db
    .select()
    .from(bookmarks)
    .where(ofProject)
    .orderBy(...storyOrder)
    .limit(maxStoryBookmarks);
  const all = takeRow(await db.select({ count: count() }).from(bookmarks).where(ofProject));
  return { bookmarks: await bookmarkShapes(db, sign, rows), count: all.count };
}

/**
 * Puts these bookmarks first, in this order.
 *
 * @throws Problem VALIDATION_FAILED naming the first id that is repeated or is not a bookmark of the project
 */
export async function orderStory(tx: Transaction, projectId: string, ids: string[]): Promise<void> {
  const own = await tx
    .select({ id: bookmarks.id })
    .from(bookmarks)
    .where(eq(bookmarks.projectId, projectId))
    .for('update');
  const left = new Set(own.map(({ id }) => id));
  const wrong = ids.findIndex((id) => !left.delete(id.toLowerCase()));
  if (wrong >= 0)
    throw invalidField(`bookmarkIds.${wrong}`, 'is not a bookmark of this project, or is repeated');
  const place = sql`array_position(${sql.param(ids)}::uuid[], ${bookmarks.id})`;
  await tx.update(bookmarks).set({ position: place }).where(eq(bookmarks.projectId, projectId));
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
  const row = await insertRow(tx, bookmarks, values);
  return row;
}

export async function updateBookmark(
  tx: Transaction,
  id: string,
  values: Partial<typeof bookmarks.$inferInsert>,
): Promise<BookmarkRow> {
  const [row] = await tx
    .update(bookmarks)
    .set({ ...values, updatedAt: sql`now()` })
    .where(eq(bookmarks.id, id))
    .returning();
  if (!row) throw notFound('bookmark');
  return row;
}

export async function deleteBookmark(tx: Transaction, id: string): Promise<void> {
  await tx.delete(bookmarks).where(eq(bookmarks.id, id));
}

type Comment = z.infer<typeof BookmarkComment>;

/** Author shown for comments of a deleted account. */
const REMOVED_AUTHOR = { id: '00000000-0000-0000-0000-000000000000', email: '', name: 'Removed account' };

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
    author: author ?? REMOVED_AUTHOR,
    createdAt: comment.createdAt.toISOString(),
  };
}

/** Comments on a bookmark, oldest first. */
export const listComments = (db: Executor, bookmarkId: string, page: PageRequest): Promise<Page<Comment>> =>
  mapPage(
    readPage(db, page, {
      rows: () =>
        db
          .select({ comment: bookmarkComments, author })
          .from(bookmarkComments)
          .innerJoin(bookmarks, eq(bookmarks.id, bookmarkComments.bookmarkId))
          .innerJoin(projects, eq(projects.id, bookmarks.projectId))
          .leftJoin(users, eq(users.id, bookmarkComments.authorId))
          .leftJoin(organizationMembers, authorMembership)
          .$dynamic(),
      where: eq(bookmarkComments.bookmarkId, bookmarkId),
      order: byCreation(bookmarkComments, { isDescending: false }),
      keyed: ({ comment }) => comment,
    }),
    (rows) => rows.map(commentShape),
  );

export async function insertComment(
  tx: Transaction,
  bookmarkId: string,
  author: Comment['author'],
  text: string,
): Promise<Comment> {
  const comment = await insertRow(tx, bookmarkComments, { bookmarkId, authorId: author.id, text });
  return commentShape({ comment, author });
}

/** Notifies the bookmark's creator and all earlier commenters of a new comment, except its author. */
export async function announceComment(
  tx: Transaction,
  place: Place,
  bookmarkId: string,
  author: Comment['author'],
  text: string,
): Promise<void> {
  const bookmark = takeRow(await tx.select().from(bookmarks).where(eq(bookmarks.id, bookmarkId)));
  const readers = await tx
    .selectDistinct({ userId: workspaceMembers.userId })
    .from(workspaceMembers)
    .leftJoin(
      bookmarkComments,
      and(
        eq(bookmarkComments.authorId, workspaceMembers.userId),
        eq(bookmarkComments.bookmarkId, bookmarkId),
      ),
    )
    .where(
      and(
        eq(workspaceMembers.workspaceId, place.workspaceId),
        ne(workspaceMembers.userId, author.id),
        or(isNotNull(bookmarkComments.id), eq(workspaceMembers.userId, bookmark.createdBy ?? author.id)),
      ),
    );
  for (const { userId } of readers) {
    await writeNotification(tx, {
      userId,
      organizationId: place.organizationId,
      kind: 'bookmark.commented',
      title: `${author.name} commented on “${bookmark.name}”`,
      body: text.length > 200 ? `${text.slice(0, 199)}…` : text,
      subject: { resource: 'bookmark', id: bookmarkId, projectId: place.id },
    });
  }
}
