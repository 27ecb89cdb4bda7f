import { Anchor, Button, Group, Popover, ScrollArea, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount } from '#contract/base/format-number.ts';
import type { Notification } from '#web/api/generated/types.gen.ts';
import { RailButton } from '#web/ui/frame/app-frame.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { placeOfNotification } from './notification-place.ts';
import classes from './notifications-button.module.css';
import { newestNotificationsOptions, unreadOptions, useMarkRead } from './queries.ts';

/**
 * What finished, failed or was shared while the user was elsewhere; updated live, and the same in each of the user's
 * browsers.
 */
export function NotificationsButton() {
  const [opened, { toggle, close }] = useDisclosure(false);
  const list = useQuery(newestNotificationsOptions());
  const unread = useQuery(unreadOptions()).data?.count ?? 0;
  const markRead = useMarkRead();
  const all = list.data?.results ?? [];
  const follow = ({ id, readAt }: Notification) => {
    close();
    if (readAt === null) markRead.mutate({ body: { ids: [id] } });
  };
  return (
    <Popover opened={opened} onChange={(is) => !is && close()} position="right-end" width={380} trapFocus>
      <Popover.Target>
        <RailButton
          icon={IconBell}
          label="Notifications"
          aria-label={unread > 0 ? `Notifications, ${formatCount(unread)} new` : 'Notifications'}
          aside={unread > 0 ? <span className={classes.dot} aria-hidden /> : undefined}
          onClick={toggle}
        />
      </Popover.Target>
      <Popover.Dropdown p={0} maw="calc(100vw - 68px)" aria-label="Notifications">
        <Group justify="space-between" px="md" pt="sm" wrap="nowrap">
          <Title order={2} size="h3">
            Notifications
          </Title>
          {unread > 0 && (
            <Button
              variant="default"
              size="compact-sm"
              loading={markRead.isPending}
              onClick={() => markRead.mutate({ body: {} })}
            >
              Mark all as read
            </Button>
          )}
        </Group>
        <ScrollArea.Autosize mah={460} px="md" pb="sm">
          {list.isError ? (
            <ProblemAlert query={list} />
          ) : all.length === 0 ? (
            <Text c="dimmed" py="sm">
              {list.isPending
                ? 'Loading…'
                : 'Nothing yet. Work that finishes while you are away, and what others share with you, appears here.'}
            </Text>
          ) : (
            <ul className={classes.list}>
              {all.map((each) => (
                <li key={each.id} className={classes.item} data-unread={each.readAt === null || undefined}>
                  <Words notification={each} onFollow={() => follow(each)} />
                  <Text size="sm" c="dimmed">
                    {each.readAt === null ? 'new, ' : ''}
                    <RelativeTime value={each.createdAt} />
                  </Text>
                </li>
              ))}
            </ul>
          )}
        </ScrollArea.Autosize>
        {all.length > 0 && (
          <Group px="md" py="xs" className={classes.foot}>
            <Anchor component={Link} to="/notifications" size="sm" onClick={close}>
              All notifications
            </Anchor>
          </Group>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function Words({ notification, onFollow }: { notification: Notification; onFollow: () => void }) {
  const place = placeOfNotification(notification);
  const weight = notification.readAt === null ? 500 : undefined;
  if (place === null)
    return (
      <Text size="md" fw={weight}>
        {notification.text}
      </Text>
    );
  return (
    <Anchor
      renderRoot={(props) => <Link {...props} to={place.to} search={place.search} />}
      size="md"
      fw={weight}
      onClick={onFollow}
      c="inherit"
    >
      {notification.text}
    </Anchor>
  );
}
