import { Anchor, Button, Drawer, Group, Stack, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLoader2, IconProgress } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount } from '#contract/base/format-number.ts';
import { listProjectsOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import {
  cancelBulkRequest,
  cancelExport,
  cancelOperation,
  cancelRecipeInvocation,
} from '#web/api/generated/sdk.gen.ts';
import type { Project } from '#web/api/generated/types.gen.ts';
import { useLiveState } from '#web/api/live-updates.ts';
import { useChange } from '#web/api/refresh.ts';
import { Elapsed } from '#web/ui/elapsed.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { WorkActions, WorkProgress } from '#web/ui/work.tsx';
import type { WorkRow } from './gather-work.ts';
import classes from './running-work.module.css';
import { type UnfinishedWork, useUnfinishedWork } from './unfinished.ts';

/** The counter in the top bar; it opens a list of all waiting and running work. */
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
            Updates every 5&#8239;s
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

function WorkList({ work, onLeave }: { work: UnfinishedWork; onLeave: () => void }) {
  const ids = [...new Set(work.rows.flatMap(({ projectId }) => projectId ?? []))].sort();
  const projects = useQuery({
    ...listProjectsOptions({ query: { id: ids, page_size: Math.max(1, ids.length) } }),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
  if (work.error !== null) return <ProblemAlert error={work.error} onRetry={work.refetch} />;
  if (work.rows.length === 0 && !work.isPending)
    return (
      <EmptyState title="Nothing is running">
        Imports, analyses, recipe runs, exports and bulk requests appear here while they run.
      </EmptyState>
    );
  return (
    <Stack gap={0}>
      {work.rows.map((row) => (
        <WorkItem
          key={row.id}
          row={row}
          project={projects.data?.results.find(({ id }) => id === row.projectId)}
          onLeave={onLeave}
        />
      ))}
      {work.count > work.rows.length && (
        <Text size="sm" c="dimmed" pt="sm">
          and {formatCount(work.count - work.rows.length)} more that wait
        </Text>
      )}
    </Stack>
  );
}

const stopWork: Record<WorkRow['kind'], (id: string) => Promise<unknown>> = {
  operation: (id) => cancelOperation({ path: { id } }),
  run: (id) => cancelRecipeInvocation({ path: { invocation_id: id } }),
  export: (id) => cancelExport({ path: { id } }),
  bulk: (id) => cancelBulkRequest({ path: { bulk_request_id: id } }),
};

interface WorkItemProps {
  row: WorkRow;
  project: Project | undefined;
  onLeave: () => void;
}

function WorkItem({ row, project, onLeave }: WorkItemProps) {
  const stop = useChange(
    () => stopWork[row.kind](row.id),
    'listOperations',
    'readOperation',
    'listProjectOperations',
    'readProjectStatus',
    'listRecipeInvocations',
    'listProjectRecipeInvocations',
    'readRecipeInvocation',
    'listExports',
    'listBulkRequests',
    'readBulkRequest',
    'listBulkItems',
  );
  const { title, status } = row;
  const right = project?.capabilities.find(({ action }) => row.needs.includes(action));
  const subject = row.subject ?? project?.name;
  return (
    <Stack gap={5} py="sm" className={classes.item}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <div style={{ minWidth: 0 }}>
          <Text size="md" fw={500} truncate>
            {title}
          </Text>
          <Anchor component={Link} to={row.to} onClick={onLeave} size="sm" display="block" truncate>
            {subject ?? 'Open the project'}
          </Anchor>
        </div>
        <WorkActions
          name={`${title} of ${subject ?? 'the project'}`}
          status={status}
          reason={right === undefined || right.allowed ? null : right.reason}
          isPending={stop.isPending}
          onStop={() => stop.mutate()}
        />
      </Group>
      <Group justify="space-between" wrap="nowrap" fz="sm" c="dimmed" gap="sm" className="numbers">
        {status === 'processing' ? (
          <WorkProgress name={title} progress={row.progress} stage={row.stage} />
        ) : (
          <StatusBadge status={status} />
        )}
        {row.startedAt === null ? (
          <span>
            since <RelativeTime value={row.createdAt} />
          </span>
        ) : (
          <Elapsed {...row} />
        )}
      </Group>
      <ProblemAlert error={stop.error} />
    </Stack>
  );
}
