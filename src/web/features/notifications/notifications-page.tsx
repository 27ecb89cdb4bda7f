import { Switch } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Notification } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { createdColumn } from '#web/ui/created-column.tsx';
import { type DataTableColumn, linkClass } from '#web/ui/data-table.tsx';
import { ListPage } from '#web/ui/list-page.tsx';
import { placeOfNotification } from './notification-place.ts';
import classes from './notifications-page.module.css';
import { type NotificationSearch, notificationPageOptions, unreadOptions, useMarkRead } from './queries.ts';

interface NotificationsPageProps {
  search: NotificationSearch;
  onSearch: (search: NotificationSearch) => void;
}

/** All notifications, newest first, with links to their subjects. */
export function NotificationsPage({ search, onSearch }: NotificationsPageProps) {
  const list = useQuery(notificationPageOptions(search));
  const unread = useQuery(unreadOptions()).data?.count ?? 0;
  const markRead = useMarkRead();
  const navigate = useNavigate();
  const follow = ({ id, readAt }: Notification) => {
    if (readAt === null) markRead.mutate({ body: { ids: [id] } });
  };
  const open = (notification: Notification) => {
    const place = placeOfNotification(notification);
    follow(notification);
    if (place !== null) void navigate(place);
  };
  const columns: DataTableColumn<Notification>[] = [
    {
      key: 'text',
      title: 'Notification',
      render: (each) => {
        const place = placeOfNotification(each);
        return place === null ? (
          each.text
        ) : (
          <Link
            to={place.to}
            search={place.search}
            className={each.readAt === null ? `${linkClass} ${classes.unread}` : linkClass}
            onClick={() => follow(each)}
          >
            {each.text}
          </Link>
        );
      },
    },
    {
      key: 'state',
      title: 'State',
      width: 90,
      render: ({ readAt }) => (readAt === null ? 'new' : <span className={classes.read}>read</span>),
    },
    { ...createdColumn, title: 'Received', width: 150 },
  ];
  return (
    <ListPage
      title="Notifications"
      list={list}
      search={search}
      onSearch={onSearch}
      columns={columns}
      onOpen={open}
      noMatch="Nothing new"
      actions={
        <>
          <Switch
            size="xs"
            label="Unread only"
            checked={search.unread === true}
            onChange={(event) =>
              onSearch({ size: search.size, unread: event.currentTarget.checked || undefined })
            }
          />
          <ActionButton
            variant="default"
            reason={unread === 0 ? 'Nothing is new' : null}
            loading={markRead.isPending}
            onClick={() => markRead.mutate({ body: {} })}
          >
            Mark all as read
          </ActionButton>
        </>
      }
      empty={{
        icon: <IconBell size={32} stroke={1.3} aria-hidden />,
        title: 'Nothing yet',
        children: 'Work that finishes while you are away, and what others share with you, appears here.',
      }}
    />
  );
}
