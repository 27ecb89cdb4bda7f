import { Box, Button } from '@mantine/core';
import { IconBookmark } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { formatCount } from '#contract/base/format-number.ts';
import { explain } from '#web/api/errors.ts';
import type { Bookmark } from '#web/api/generated/types.gen.ts';
import { addressOf } from '#web/api/session-token.ts';
import { DataTable, type DataTableColumn } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ListFoot } from '#web/ui/list-foot.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { SearchField } from '#web/ui/search-field.tsx';
import { useRowKeys } from '#web/ui/use-row-keys.ts';
import classes from './bookmarks.module.css';
import { type BookmarkSearch, bookmarkPageOptions, bookmarkPageSizes } from './queries.ts';

interface BookmarksListProps {
  /** only of this project; undefined = of all that one may see */
  projectId?: string;
  search: BookmarkSearch;
  onSearch: (search: BookmarkSearch) => void;
}

const none: Bookmark[] = [];

const pictureColumn: DataTableColumn<Bookmark> = {
  key: 'picture',
  title: 'Picture',
  titleHidden: true,
  width: 124,
  render: ({ thumbnailUrl }) =>
    thumbnailUrl === null ? null : (
      <img className={classes.picture} src={addressOf(thumbnailUrl)} alt="" loading="lazy" />
    ),
};

const columns: DataTableColumn<Bookmark>[] = [
  pictureColumn,
  {
    key: 'name',
    title: 'Name',
    render: ({ id, projectId, name }) => (
      <Link
        to="/projects/$projectId"
        params={{ projectId }}
        search={{ bookmark: id }}
        className={classes.link}
      >
        {name}
      </Link>
    ),
  },
  {
    key: 'description',
    title: 'What there is to see',
    room: 'wide',
    render: ({ description }) => description,
  },
  { key: 'project', title: 'Project', width: 220, render: ({ projectName }) => projectName },
  {
    key: 'comments',
    title: 'Comments',
    width: 90,
    align: 'right',
    render: ({ commentCount }) => <span className="numbers">{formatCount(commentCount)}</span>,
  },
  {
    key: 'author',
    title: 'Made by',
    width: 150,
    render: ({ author }) => author?.name || author?.email || '–',
  },
  {
    key: 'createdAt',
    title: 'Made',
    width: 120,
    render: ({ createdAt }) => <RelativeTime value={createdAt} />,
  },
];

/** Views that were kept, the newest first; a row opens its project with the view. */
export function BookmarksList({ projectId, search, onSearch }: BookmarksListProps) {
  const list = useQuery(bookmarkPageOptions(search, projectId));
  const navigate = useNavigate();
  const rows = list.data?.results ?? none;
  const count = list.data?.count ?? 0;
  const open = ({ id, projectId }: Bookmark) =>
    void navigate({ to: '/projects/$projectId', params: { projectId }, search: { bookmark: id } });
  const cursor = useRowKeys({ group: 'Bookmarks', rows, onOpen: open });
  if (list.isError && !list.data)
    return (
      <Box p="md" maw={720}>
        <ProblemAlert {...explain(list.error)} onRetry={() => list.refetch()} />
      </Box>
    );
  return (
    <>
      <DataTable
        caption="Bookmarks"
        columns={projectId === undefined ? columns : columns.filter(({ key }) => key !== 'project')}
        rows={list.data?.results}
        keyOf={({ id }) => id}
        cursor={cursor}
        onOpen={open}
        isStale={list.isPlaceholderData}
        empty={
          search.search === undefined ? (
            <EmptyState icon={<IconBookmark size={32} stroke={1.3} aria-hidden />} title="No bookmarks yet">
              A bookmark keeps exactly what the viewer shows, with comments and pictures. Open a project, find
              the place, and press Bookmark above the viewer.
            </EmptyState>
          ) : (
            <EmptyState
              title="No bookmark matches"
              action={
                <Button variant="default" onClick={() => onSearch({ size: search.size })}>
                  Show all
                </Button>
              }
            />
          )
        }
      />
      <ListFoot search={search} onSearch={onSearch} count={count} pageSizes={bookmarkPageSizes} />
    </>
  );
}

/** Searches bookmarks and the names of their projects; what is typed stands in the address. */
export const BookmarkFilter = ({ search, onSearch }: Omit<BookmarksListProps, 'projectId'>) => (
  <SearchField
    label="Search bookmarks"
    placeholder="Name, text or project"
    value={search.search}
    onValue={(value) => onSearch({ ...search, page: undefined, search: value })}
  />
);
