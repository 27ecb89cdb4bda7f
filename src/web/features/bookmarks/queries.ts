import { keepPreviousData } from '@tanstack/react-query';
import { z } from 'zod';
import {
  listBookmarkCommentsOptions,
  listBookmarkRendersOptions,
  listBookmarksOptions,
  readBookmarkOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { listSearch, pageQuery } from '#web/ui/list-page.tsx';
import { searchWords } from '#web/ui/search-field.tsx';

/** State of a bookmark list stored in its address. */
export const BookmarkSearch = listSearch({ search: z.unknown().transform(searchWords).optional() });
export type BookmarkSearch = z.infer<typeof BookmarkSearch>;

/** @param projectId only bookmarks of this project */
export const bookmarkPageOptions = (search: BookmarkSearch, projectId?: string) => ({
  ...listBookmarksOptions({ query: { ...pageQuery(search), search: search.search, project: projectId } }),
  placeholderData: keepPreviousData,
});

export const bookmarkOptions = (id: string) => readBookmarkOptions({ path: { id } });

/** Oldest first, in reading order. */
export const commentOptions = (id: string) =>
  listBookmarkCommentsOptions({ path: { id }, query: { page_size: 200 } });

export const renderOptions = (id: string) =>
  listBookmarkRendersOptions({ path: { id }, query: { page_size: 20 } });
