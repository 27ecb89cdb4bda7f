import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCount } from '#contract/base/format-number.ts';
import page from '#web/ui/page.module.css';
import { PageHeader } from '#web/ui/page-header.tsx';
import { BookmarkFilter, BookmarksList } from './bookmarks-list.tsx';
import { type BookmarkSearch, bookmarkPageOptions } from './queries.ts';

interface BookmarksPageProps {
  search: BookmarkSearch;
  onSearch: (search: BookmarkSearch) => void;
}

/** Bookmarks of all projects. */
export function BookmarksPage({ search, onSearch }: BookmarksPageProps) {
  const count = useQuery(bookmarkPageOptions(search)).data?.count;
  return (
    <Stack gap={0} className={page.page}>
      <div className={page.head}>
        <PageHeader
          title="Bookmarks"
          aside={count === undefined ? undefined : formatCount(count)}
          actions={<BookmarkFilter search={search} onSearch={onSearch} />}
        />
      </div>
      <BookmarksList search={search} onSearch={onSearch} />
    </Stack>
  );
}
