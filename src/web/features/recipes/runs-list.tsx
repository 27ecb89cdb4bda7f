import { Group, Progress, Stack, Text } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isUnfinished } from '#contract/base/primitives.ts';
import type { RecipeInvocation } from '#contract/shapes/recipe.ts';
import { explain } from '#web/api/errors.ts';
import { DataTable, type DataTableColumn } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ListFoot } from '#web/ui/list-foot.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { useRowKeys } from '#web/ui/use-row-keys.ts';
import { projectRunsOptions, type RunsSearch, runPageSizes } from './queries.ts';
import classes from './recipes.module.css';

/** What a list of runs shows of each. */
export const runColumns: DataTableColumn<RecipeInvocation>[] = [
  {
    key: 'recipe',
    title: 'Recipe',
    render: (run) => (
      <Link to="/recipes/runs/$runId" params={{ runId: run.id }} className={classes.link}>
        {run.recipeName === null ? 'Pipeline' : `${run.recipeName}, version ${run.version}`}
      </Link>
    ),
  },
  { key: 'status', title: 'Status', width: 130, render: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'verdict',
    title: 'Verdict',
    width: 150,
    render: ({ verdict }) => (verdict === null ? '–' : <StatusBadge status={verdict} />),
  },
  {
    key: 'steps',
    title: 'Steps',
    render: (run) =>
      isUnfinished(run.status) ? (
        <Group gap="xs" wrap="nowrap">
          <Progress value={run.progress * 100} size="sm" w={120} aria-label="Progress of the run" />
          <Text span inherit c="dimmed" className="numbers">
            {Math.floor(run.progress * 100)} %
          </Text>
        </Group>
      ) : (
        <Text
          span
          inherit
          c={run.error ? 'var(--mantine-color-text)' : 'dimmed'}
          truncate
          title={run.error?.detail}
        >
          {run.error?.detail ??
            `${run.steps.filter(({ status }) => status === 'completed').length} of ${run.steps.length} done`}
        </Text>
      ),
  },
  {
    key: 'createdAt',
    title: 'Asked for',
    width: 130,
    render: ({ createdAt }) => <RelativeTime value={createdAt} />,
  },
];

const none: RecipeInvocation[] = [];

interface RunsListProps {
  projectId: string;
  search: RunsSearch;
  onSearch: (search: RunsSearch) => void;
  action: ReactNode;
  onOpen: (runId: string) => void;
}

/** Runs of recipes on this project, the newest first. */
export function RunsList({ projectId, search, onSearch, action, onOpen }: RunsListProps) {
  const runs = useQuery(projectRunsOptions(projectId, search));
  const open = ({ id }: RecipeInvocation) => onOpen(id);
  const cursor = useRowKeys({ group: 'Runs of recipes', rows: runs.data?.results ?? none, onOpen: open });
  if (runs.error && !runs.data)
    return <ProblemAlert {...explain(runs.error)} onRetry={() => void runs.refetch()} />;
  const count = runs.data?.count ?? 0;
  return (
    <Stack gap="sm">
      {count > 0 && <Group justify="flex-end">{action}</Group>}
      <DataTable
        caption="Runs of recipes on this project"
        columns={runColumns}
        rows={runs.data?.results}
        keyOf={({ id }) => id}
        isStale={runs.isPlaceholderData}
        cursor={cursor}
        onOpen={open}
        empty={
          <EmptyState
            icon={<IconRoute size={32} stroke={1.3} aria-hidden />}
            title="No recipe has run here yet"
            action={action}
          >
            A recipe runs several analyses in order and holds what they measure against limits. Its verdict is
            the verdict of the project.
          </EmptyState>
        }
      />
      {count > runPageSizes[0] && (
        <ListFoot search={search} onSearch={onSearch} count={count} pageSizes={runPageSizes} />
      )}
    </Stack>
  );
}
