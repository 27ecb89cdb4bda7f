import { Anchor, Button, Drawer, Group, Stack, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLoader2, IconProgress } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { findTitle } from '#contract/analyses/registry.ts';
import { formatCount } from '#contract/base/format-number.ts';
import {
  cancelOperationMutation,
  listProjectsOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts';
import type { Operation, Project } from '../../api/generated/types.gen.ts';
import { useLiveState } from '../../api/live-updates.ts';
import { useRefresh } from '../../api/refresh.ts';
import { Elapsed } from '../../ui/elapsed.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { spellOut } from '../../ui/quantity.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { WorkActions, WorkProgress } from '../../ui/work.tsx';
import classes from './running-work.module.css';
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
  const ids = [...new Set(work.operations.map(({ projectId }) => projectId))].sort();
  const projects = useQuery({
    ...listProjectsOptions({ query: { id: ids, page_size: Math.max(1, ids.length) } }),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
  if (work.error !== null) return <ProblemAlert error={work.error} onRetry={work.refetch} />;
  if (work.operations.length === 0 && !work.isPending)
    return (
      <EmptyState title="Nothing is running">Imports and analyses appear here while they run.</EmptyState>
    );
  return (
    <Stack gap={0}>
      {work.operations.map((operation) => (
        <WorkItem
          key={operation.id}
          operation={operation}
          project={projects.data?.results.find(({ id }) => id === operation.projectId)}
          onLeave={onLeave}
        />
      ))}
      {work.count > work.operations.length && (
        <Text size="sm" c="dimmed" pt="sm">
          and {formatCount(work.count - work.operations.length)} more that wait
        </Text>
      )}
    </Stack>
  );
}

interface WorkItemProps {
  operation: Operation;
  project: Project | undefined;
  onLeave: () => void;
}

function WorkItem({ operation, project, onLeave }: WorkItemProps) {
  const stop = useMutation({
    ...cancelOperationMutation(),
    onSettled: useRefresh('listOperations', 'readOperation', 'listProjectOperations', 'readProjectStatus'),
  });
  const right = project?.capabilities.find(
    ({ action }) => action === operation.operation || action === 'edit',
  );
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
        <WorkActions
          name={`${title} of ${project?.name ?? 'the project'}`}
          status={operation.status}
          reason={right === undefined || right.allowed ? null : right.reason}
          isPending={stop.isPending}
          onStop={() => stop.mutate({ path: { id: operation.id } })}
        />
      </Group>
      <Group justify="space-between" wrap="nowrap" fz="sm" c="dimmed" gap="sm" className="numbers">
        {operation.status === 'processing' ? (
          <WorkProgress name={title} progress={operation.progress} stage={operation.stage} />
        ) : (
          <StatusBadge status={operation.status} />
        )}
        {operation.startedAt === null ? (
          <span>
            since <RelativeTime value={operation.createdAt} />
          </span>
        ) : (
          <Elapsed {...operation} />
        )}
      </Group>
      <ProblemAlert error={stop.error} />
    </Stack>
  );
}
