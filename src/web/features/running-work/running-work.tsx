import { Anchor, Button, Drawer, Group, Progress, Stack, Text, Tooltip } from '@mantine/core';
import { useDisclosure, useInterval } from '@mantine/hooks';
import { IconLoader2, IconPlayerStop, IconProgress } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { findTitle } from '#contract/analyses/registry.ts';
import { formatCount } from '#contract/base/format-number.ts';
import { explain } from '../../api/errors.ts';
import {
  cancelOperationMutation,
  readProjectOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts';
import type { Operation } from '../../api/generated/types.gen.ts';
import { keyMatches } from '../../api/live-event-queries.ts';
import { useLiveState } from '../../api/live-updates.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { formatDuration, spellOut } from '../../ui/quantity.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import classes from './running-work.module.css';
import { secondsLeft } from './time-left.ts';
import { useUnfinishedWork } from './unfinished.ts';

/** The small counter of the top line; it opens everything that waits or runs. */
export function RunningWork() {
  const [opened, { open, close }] = useDisclosure(false);
  const work = useUnfinishedWork();
  const isBusy = work.count > 0;
  const label = isBusy ? `${formatCount(work.count)} running` : 'Nothing running';
  const live = useLiveState();
  return (
    <>
      {live === 'polling' && (
        <Tooltip label="Live updates interrupted; refreshing every 5 seconds" multiline maw={280}>
          <Text
            role="status"
            tabIndex={0}
            size="sm"
            c="var(--sw-indeterminate)"
            style={{ whiteSpace: 'nowrap' }}
          >
            Updates every 5&thinsp;s
          </Text>
        </Tooltip>
      )}
      <Button
        variant={isBusy ? 'light' : 'subtle'}
        color={isBusy ? undefined : 'gray'}
        className={classes.counter}
        leftSection={
          isBusy ? (
            <IconLoader2 size={14} className={classes.turning} aria-hidden />
          ) : (
            <IconProgress size={14} aria-hidden />
          )
        }
        onClick={open}
        aria-haspopup="dialog"
      >
        {label}
      </Button>
      <Drawer opened={opened} onClose={close} title="Running work" size={420}>
        <WorkList work={work} onLeave={close} />
      </Drawer>
    </>
  );
}

function WorkList({ work, onLeave }: { work: ReturnType<typeof useUnfinishedWork>; onLeave: () => void }) {
  if (work.error !== null) return <ProblemAlert error={work.error} onRetry={work.refetch} />;
  if (work.operations.length === 0 && !work.isPending)
    return (
      <EmptyState title="Nothing is running">Imports and analyses appear here while they run.</EmptyState>
    );
  return (
    <Stack gap={0}>
      {work.operations.map((operation) => (
        <WorkItem key={operation.id} operation={operation} onLeave={onLeave} />
      ))}
      {work.count > work.operations.length && (
        <Text size="sm" c="dimmed" pt="sm">
          and {formatCount(work.count - work.operations.length)} more that wait
        </Text>
      )}
    </Stack>
  );
}

function WorkItem({ operation, onLeave }: { operation: Operation; onLeave: () => void }) {
  const queryClient = useQueryClient();
  const { data: project } = useQuery(readProjectOptions({ path: { id: operation.projectId } }));
  const stop = useMutation({
    ...cancelOperationMutation(),
    onSettled: () =>
      queryClient.invalidateQueries({
        predicate: ({ queryKey }) =>
          (['listOperations', 'readOperation', 'listProjectOperations', 'readProjectStatus'] as const).some(
            (name) => keyMatches(queryKey, { operation: name }),
          ),
      }),
  });
  const right = project?.capabilities.find(
    ({ action }) => action === operation.operation || action === 'edit',
  );
  const whyNot = right === undefined || right.allowed ? null : right.reason;
  const isStopping = operation.status === 'cancelling' || stop.isPending;
  const title = findTitle(operation.operation) ?? spellOut(operation.operation);
  return (
    <Stack gap={5} py="sm" className={classes.item}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <div style={{ minWidth: 0 }}>
          <Text size="md" fw={500} truncate>
            {title}
          </Text>
          <Anchor
            component={Link}
            to={`/projects/${operation.projectId}`}
            onClick={onLeave}
            size="sm"
            display="block"
            truncate
          >
            {project?.name ?? 'Open the project'}
          </Anchor>
        </div>
        <ActionButton
          reason={whyNot}
          variant="default"
          leftSection={<IconPlayerStop size={13} aria-hidden />}
          aria-label={`Stop ${title} of ${project?.name ?? 'the project'}`}
          disabled={isStopping}
          onClick={() => stop.mutate({ path: { id: operation.id } })}
          style={{ flex: 'none' }}
        >
          {isStopping ? 'Stopping' : 'Stop'}
        </ActionButton>
      </Group>
      {operation.status !== 'pending' && (
        <Progress value={operation.progress * 100} size="sm" aria-label={`Progress of ${title}`} />
      )}
      <Group justify="space-between" wrap="nowrap" fz="sm" c="dimmed" gap="sm" className="numbers">
        {operation.status === 'processing' ? (
          <Text span inherit truncate>
            {Math.floor(operation.progress * 100)} % · {operation.stage ?? 'running'}
          </Text>
        ) : (
          <StatusBadge status={operation.status} />
        )}
        {operation.startedAt === null ? (
          <span>
            since <RelativeTime value={operation.createdAt} />
          </span>
        ) : (
          <Elapsed startedAt={operation.startedAt} fraction={operation.progress} />
        )}
      </Group>
      {stop.isError && (
        <Text size="sm" c="var(--mantine-color-text)" role="alert">
          {explain(stop.error).detail}
        </Text>
      )}
    </Stack>
  );
}

/** How long it has run, counted every second, and how long it may still take. */
function Elapsed({ startedAt, fraction }: { startedAt: string; fraction: number }) {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: true });
  const elapsed = Math.max(0, (now - Date.parse(startedAt)) / 1000);
  const left = secondsLeft(fraction, elapsed);
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {formatDuration(elapsed)}
      {left !== null && `, about ${formatDuration(left)} left`}
    </Text>
  );
}
