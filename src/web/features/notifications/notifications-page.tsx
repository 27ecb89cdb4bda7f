import { Box, Button, Stack, Switch } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { formatCount } from '#contract/base/format-number.ts';
import page from '#web/ui/page.module.css';
import { explain } from '../../api/errors.ts';
import type { Notification } from '../../api/generated/types.gen.ts';
import { DataTable, type DataTableColumn } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListFoot } from '../../ui/list-foot.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { useRowKeys } from '../../ui/use-row-keys.ts';
import { placeOfNotification } from './notification-place.ts';
import classes from './notifications-page.module.css';
import {
  type NotificationSearch,
  notificationPageOptions,
  notificationPageSizes,
  unreadOptions,
  useMarkRead,
} from './queries.ts';

interface NotificationsPageProps {
  search: NotificationSearch;
  onSearch: (search: NotificationSearch) => void;
}

const none: Notification[] = [];

/** Everything that was told, the newest first, with the way to what it is about. */
export function NotificationsPage({ search, onSearch }: NotificationsPageProps) {
  const list = useQuery(notificationPageOptions(search));
  const unread = useQuery(unreadOptions()).data?.count ?? 0;
  const markRead = useMarkRead();
  const navigate = useNavigate();
  const count = list.data?.count ?? 0;
  const follow = ({ id, readAt }: Notification) => {
    if (readAt === null) markRead.mutate({ body: { ids: [id] } });
  };
  const open = (notification: Notification) => {
    const place = placeOfNotification(notification);
    follow(notification);
    if (place !== null) void navigate(place);
  };
  const cursor = useRowKeys({ group: 'Notifications', rows: list.data?.results ?? none, onOpen: open });
  const columns: DataTableColumn<Notification>[] = [
    {
      key: 'text',
      title: 'What',
      render: (each) => {
        const place = placeOfNotification(each);
        return place === null ? (
          each.text
        ) : (
          <Link
            to={place.to}
            search={place.search}
            className={classes.link}
            data-unread={each.readAt === null || undefined}
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
    {
      key: 'when',
      title: 'When',
      width: 150,
      render: ({ createdAt }) => <RelativeTime value={createdAt} />,
    },
  ];
  return (
    <Stack gap={0} className={page.page}>
      <div className={page.head}>
        <PageHeader
          title="Notifications"
          aside={list.data === undefined ? undefined : formatCount(count)}
          actions={
            <>
              <Switch
                size="xs"
                label="Only new ones"
                checked={search.unread === true}
                onChange={(event) =>
                  onSearch({ size: search.size, unread: event.currentTarget.checked || undefined })
                }
              />
              <Button
                variant="default"
                disabled={unread === 0}
                loading={markRead.isPending}
                onClick={() => markRead.mutate({ body: {} })}
              >
                Mark all as read
              </Button>
            </>
          }
        />
      </div>
      {list.isError && !list.data ? (
        <Box p="md" maw={720}>
          <ProblemAlert {...explain(list.error)} onRetry={() => list.refetch()} />
        </Box>
      ) : (
        <DataTable
          caption="Notifications"
          columns={columns}
          rows={list.data?.results}
          keyOf={({ id }) => id}
          isStale={list.isPlaceholderData}
          cursor={cursor}
          onOpen={open}
          empty={
            <EmptyState
              icon={<IconBell size={32} stroke={1.3} aria-hidden />}
              title={search.unread ? 'Nothing new' : 'Nothing yet'}
              action={
                search.unread && (
                  <Button variant="default" onClick={() => onSearch({ size: search.size })}>
                    Show all
                  </Button>
                )
              }
            >
              Work that ends while you are elsewhere, and what others share with you, is told here.
            </EmptyState>
          }
        />
      )}
      <ListFoot search={search} onSearch={onSearch} count={count} pageSizes={notificationPageSizes} />
    </Stack>
  );
}
