import { keepPreviousData } from '@tanstack/react-query';
import { z } from 'zod';
import { PageQuery } from '#contract/shapes/page.ts';
import {
  listBookmarkCommentsOptions,
  listBookmarkRendersOptions,
  listBookmarksOptions,
  readBookmarkOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { searchWords } from '#web/ui/search-field.tsx';

export const bookmarkPageSizes = [25, 50, 100] as const;

/** State of a list of bookmarks that stands in its address. */
export const BookmarkSearch = z.object({
  page: PageQuery.shape.page.unwrap().optional().catch(undefined),
  size: z
    .literal([...bookmarkPageSizes])
    .optional()
    .catch(undefined),
  search: z.unknown().transform(searchWords).optional(),
});
export type BookmarkSearch = z.infer<typeof BookmarkSearch>;

/** @param projectId only of this project */
export const bookmarkPageOptions = ({ page = 1, size = 50, search }: BookmarkSearch, projectId?: string) => ({
  ...listBookmarksOptions({ query: { page, page_size: size, search, project: projectId } }),
  placeholderData: keepPreviousData,
});

export const bookmarkOptions = (id: string) => readBookmarkOptions({ path: { id } });

/** Oldest first, as they are read. */
export const commentOptions = (id: string) =>
  listBookmarkCommentsOptions({ path: { id }, query: { page_size: 200 } });

export const renderOptions = (id: string) =>
  listBookmarkRendersOptions({ path: { id }, query: { page_size: 20 } });
