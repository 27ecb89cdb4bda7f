import { IconBookmark } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { formatCount } from '#contract/base/format-number.ts';
import type { Bookmark } from '#web/api/generated/types.gen.ts';
import { resolveAddress } from '#web/api/session-token.ts';
import { createdColumn } from '#web/ui/created-column.tsx';
import { type DataTableColumn, linkClass } from '#web/ui/data-table.tsx';
import { List, ListPage } from '#web/ui/list-page.tsx';
import classes from './bookmarks.module.css';
import { type BookmarkSearch, bookmarkPageOptions } from './queries.ts';

interface BookmarksListProps {
  /** only bookmarks of this project; undefined = all that the user may see */
  projectId?: string;
  search: BookmarkSearch;
  onSearch: (search: BookmarkSearch) => void;
}

const pictureColumn: DataTableColumn<Bookmark> = {
  key: 'picture',
  title: 'Picture',
  titleHidden: true,
  width: 124,
  render: ({ thumbnailUrl }) =>
    thumbnailUrl === null ? null : (
      <img className={classes.picture} src={resolveAddress(thumbnailUrl)} alt="" loading="lazy" />
    ),
};

const columns: DataTableColumn<Bookmark>[] = [
  pictureColumn,
  {
    key: 'name',
    title: 'Name',
    render: ({ id, projectId, name }) => (
      <Link to="/projects/$projectId" params={{ projectId }} search={{ bookmark: id }} className={linkClass}>
        {name}
      </Link>
    ),
  },
  {
    key: 'description',
    title: 'Note',
    room: 'wide',
    render: ({ description }) => description,
  },
  { key: 'project', title: 'Project', width: 180, render: ({ projectName }) => projectName },
  {
    key: 'comments',
    title: 'Comments',
    width: 90,
    align: 'right',
    render: ({ commentCount }) => <span className="numbers">{formatCount(commentCount)}</span>,
  },
  {
    key: 'author',
    title: 'Created by',
    width: 150,
    room: 'some',
    render: ({ author }) => author?.name || author?.email || '–',
  },
  createdColumn,
];

/** Bookmarks, newest first; a row opens its project with the view. */
export function BookmarksList({ projectId, ...rest }: BookmarksListProps) {
  const navigate = useNavigate();
  const shared = {
    ...rest,
    list: useQuery(bookmarkPageOptions(rest.search, projectId)),
    onOpen: ({ id, projectId }: Bookmark) =>
      void navigate({ to: '/projects/$projectId', params: { projectId }, search: { bookmark: id } }),
    empty: {
      icon: <IconBookmark size={32} stroke={1.3} aria-hidden />,
      title: 'No bookmarks yet',
      children:
        'A bookmark keeps exactly what the viewer shows, with comments and pictures. Open a project, find the place, and press Bookmark above the viewer.',
    },
  };
  if (projectId === undefined)
    return <ListPage {...shared} title="Bookmarks" columns={columns} filters={[words]} />;
  return (
    <List {...shared} caption="Bookmarks" columns={columns.filter(({ key }) => key !== 'project')} inset />
  );
}

const words = { key: 'search', label: 'Search bookmarks', placeholder: 'Name, text or project' };
