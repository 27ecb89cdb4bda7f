/** Runs of recipes, newest first: of one project or of all. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isUnfinished } from '#contract/base/primitives.ts';
import type { ListedRecipeInvocation, RecipeInvocation } from '#contract/shapes/recipe.ts';
import { createdColumn } from '#web/ui/created-column.tsx';
import { type DataTableColumn, linkClass } from '#web/ui/data-table.tsx';
import { List, ListPage, type ListSearch, statusFilter, verdictFilter } from '#web/ui/list-page.tsx';
import { makeProjectColumn } from '#web/ui/project-column.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { WorkError, WorkProgress } from '#web/ui/work.tsx';
import { projectRunsOptions, type RunsSearch, recipesOptions, runPageOptions } from './queries.ts';

const columns: DataTableColumn<RecipeInvocation>[] = [
  {
    key: 'recipe',
    title: 'Recipe',
    render: (run) => (
      <Link to="/recipes/runs/$runId" params={{ runId: run.id }} className={linkClass}>
        {run.recipeName === null ? 'Pipeline' : `${run.recipeName}, version ${run.version}`}
      </Link>
    ),
  },
  { key: 'status', title: 'Status', width: 115, render: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'verdict',
    title: 'Verdict',
    width: 130,
    render: ({ verdict }) => (verdict === null ? '–' : <StatusBadge status={verdict} />),
  },
  {
    key: 'steps',
    title: 'Steps',
    render: (run) =>
      isUnfinished(run.status) ? (
        <WorkProgress name="the run" progress={run.progress} />
      ) : run.error ? (
        <WorkError {...run.error} />
      ) : (
        <Text span inherit c="dimmed">
          {run.steps.filter(({ status }) => status === 'completed').length} of {run.steps.length} done
        </Text>
      ),
  },
  { ...createdColumn, title: 'Requested', width: 110 },
];

const columnsWithProject: DataTableColumn<ListedRecipeInvocation>[] = [
  makeProjectColumn('recipes'),
  ...columns,
];

interface RunsProps<Search> {
  search: Search;
  onSearch: (search: Search) => void;
  onOpen: (runId: string) => void;
}

export function RunsList(props: RunsProps<ListSearch> & { projectId: string; action: ReactNode }) {
  const { projectId, action, onOpen, ...rest } = props;
  const list = useQuery(projectRunsOptions(projectId, rest.search));
  return (
    <Stack gap="sm">
      {list.data && list.data.count > 0 && <Group justify="flex-end">{action}</Group>}
      <List
        {...rest}
        caption="Runs of recipes on this project"
        list={list}
        columns={columns}
        onOpen={({ id }) => onOpen(id)}
        empty={{
          icon: <IconRoute size={32} stroke={1.3} aria-hidden />,
          title: 'No recipe runs here yet',
          action,
          children:
            'A recipe runs several analyses in order and checks what they measure against limits. Its verdict is the verdict of the project.',
        }}
      />
    </Stack>
  );
}

/** Runs across projects: passed, failed and in progress. */
export function RunsPage({
  organizationId,
  onOpen,
  ...rest
}: RunsProps<RunsSearch> & { organizationId: string }) {
  const recipes = useQuery(recipesOptions(organizationId)).data?.results ?? [];
  const recipeFilter = {
    key: 'recipe',
    label: 'Recipe',
    any: 'Any recipe',
    width: 220,
    options: recipes.map(({ recipePk, name }) => ({ value: recipePk, label: name })),
  };
  return (
    <ListPage
      {...rest}
      title="Runs"
      list={useQuery(runPageOptions(organizationId, rest.search))}
      columns={columnsWithProject}
      filters={[recipeFilter, verdictFilter, statusFilter]}
      onOpen={({ id }) => onOpen(id)}
      empty={{
        icon: <IconRoute size={32} stroke={1.3} aria-hidden />,
        title: 'No recipe runs yet',
        action: (
          <Anchor component={Link} to="/recipes">
            Go to recipes
          </Anchor>
        ),
        children:
          'Run a recipe on a project, or choose many projects in the table and run it on all of them. Each run appears here with its verdict.',
      }}
    />
  );
}
