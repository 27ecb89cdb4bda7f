import { Anchor, Popover, ScrollArea, Stack, Text, Title } from '@mantine/core';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { explain } from '../../api/errors.ts';
import { listNotificationsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { RailButton } from '../../ui/frame/app-frame.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import classes from './notifications-button.module.css';

/** What ended while one was elsewhere. Seen ones are remembered in this browser. */
export function NotificationsButton() {
  const [opened, { open, close }] = useDisclosure(false);
  const list = useQuery(listNotificationsOptions({ query: { page_size: 30 } }));
  const [seenUntil, setSeenUntil] = useLocalStorage({
    key: 'scanwright.notifications-seen',
    defaultValue: '',
    getInitialValueInEffect: false,
  });
  const all = list.data?.results ?? [];
  const fresh = all.filter(({ readAt, createdAt }) => readAt === null && createdAt > seenUntil).length;
  const toggle = () => {
    if (opened) close();
    else {
      open();
      if (all.length > 0) setSeenUntil(all[0].createdAt);
    }
  };
  return (
    <Popover opened={opened} onChange={(is) => !is && close()} position="right-end" width={360} trapFocus>
      <Popover.Target>
        <RailButton
          icon={IconBell}
          label={fresh > 0 ? `Notifications, ${fresh} new` : 'Notifications'}
          aside={fresh > 0 ? <span className={classes.dot} aria-hidden /> : undefined}
          onClick={toggle}
        />
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Notifications">
        <Title order={2} size="h3" px="md" pt="sm">
          Notifications
        </Title>
        <ScrollArea.Autosize mah={420} px="md" pb="sm">
          {list.isError ? (
            <ProblemAlert {...explain(list.error)} onRetry={() => list.refetch()} />
          ) : all.length === 0 ? (
            <Text c="dimmed" py="sm">
              {list.isPending
                ? 'Loading…'
                : 'Nothing yet. Work that ends while you are elsewhere is told here.'}
            </Text>
          ) : (
            <Stack gap={0}>
              {all.map(({ id, text, projectId, createdAt }) => (
                <div key={id} className={classes.item}>
                  {projectId === null ? (
                    <Text size="md">{text}</Text>
                  ) : (
                    <Anchor
                      component={Link}
                      to={`/projects/${projectId}`}
                      size="md"
                      onClick={close}
                      c="inherit"
                    >
                      {text}
                    </Anchor>
                  )}
                  <Text size="sm" c="dimmed">
                    <RelativeTime value={createdAt} />
                  </Text>
                </div>
              ))}
            </Stack>
          )}
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}
