import { asc, sql } from 'drizzle-orm';
import { bookmarks } from './schema-collaboration.ts';

/** Bookmarks with a position first, then the others, oldest first. */
export const storyOrder = [
  sql`${bookmarks.position} nulls last`,
  asc(bookmarks.createdAt),
  asc(bookmarks.id),
];
