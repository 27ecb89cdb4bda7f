import { asc, sql } from 'drizzle-orm';
import { bookmarks } from './schema-collaboration.ts';

/** Bookmarks that were put in order, then the others, the oldest first. */
export const storyOrder = [
  sql`${bookmarks.position} nulls last`,
  asc(bookmarks.createdAt),
  asc(bookmarks.id),
];
