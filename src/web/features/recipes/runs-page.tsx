import { Anchor, Box, Button, Select, Stack } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount } from '#contract/base/format-number.ts';
import { workStatuses } from '#contract/base/primitives.ts';
import { Verdict } from '#contract/metadata/verdict.ts';
import type { ListedRecipeInvocation } from '#contract/shapes/recipe.ts';
import { explain } from '#web/api/errors.ts';
import { DataTable, type DataTableColumn } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ListFoot } from '#web/ui/list-foot.tsx';
import page from '#web/ui/page.module.css';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { statusWord } from '#web/ui/status-badge.tsx';
import { useRowKeys } from '#web/ui/use-row-keys.ts';
import { type RunsSearch, recipesOptions, runPageOptions, runPageSizes } from './queries.ts';
import classes from './recipes.module.css';
import { runColumns } from './runs-list.tsx';

const columns: DataTableColumn<ListedRecipeInvocation>[] = [
  {
    key: 'project',
    title: 'Project',
    render: ({ projectId, projectName }) => (
      <Link
        to="/projects/$projectId"
        params={{ projectId }}
        search={{ tab: 'recipes' }}
        className={classes.link}
      >
        {projectName}
      </Link>
    ),
  },
  ...runColumns,
];

const none: ListedRecipeInvocation[] = [];

interface RunsPageProps {
  organizationId: string;
  search: RunsSearch;
  onSearch: (search: RunsSearch) => void;
  onOpen: (runId: string) => void;
}

/** Runs of recipes across projects, the newest first: what passed, what failed, what is under way. */
export function RunsPage({ organizationId, search, onSearch, onOpen }: RunsPageProps) {
  const runs = useQuery(runPageOptions(organizationId, search));
  const recipes = useQuery(recipesOptions(organizationId));
  const count = runs.data?.count ?? 0;
  const open = ({ id }: ListedRecipeInvocation) => onOpen(id);
  const cursor = useRowKeys({ group: 'Runs', rows: runs.data?.results ?? none, onOpen: open });
  const narrow = (part: RunsSearch) => onSearch({ ...search, ...part, page: undefined });
  const isNarrowed =
    search.status !== undefined || search.verdict !== undefined || search.recipe !== undefined;
  return (
    <Stack gap={0} className={page.page}>
      <div className={page.head}>
        <PageHeader
          title="Runs"
          aside={runs.data === undefined ? undefined : formatCount(count)}
          actions={
            <>
              <Select
                size="xs"
                w={220}
                aria-label="Recipe"
                placeholder="Any recipe"
                searchable
                data={(recipes.data?.results ?? []).map(({ recipePk, name }) => ({
                  value: recipePk,
                  label: name,
                }))}
                value={search.recipe ?? null}
                onChange={(recipe) => narrow({ recipe: recipe ?? undefined })}
                clearable
                clearButtonProps={{ 'aria-label': 'Any recipe' }}
              />
              <Select
                size="xs"
                w={140}
                aria-label="Verdict"
                placeholder="Any verdict"
                data={Verdict.options.map((verdict) => ({ value: verdict, label: statusWord(verdict) }))}
                value={search.verdict ?? null}
                onChange={(verdict) => narrow({ verdict: Verdict.options.find((each) => each === verdict) })}
                clearable
                clearButtonProps={{ 'aria-label': 'Any verdict' }}
              />
              <Select
                size="xs"
                w={140}
                aria-label="Status"
                placeholder="Any status"
                data={workStatuses.map((status) => ({ value: status, label: statusWord(status) }))}
                value={search.status ?? null}
                onChange={(status) => narrow({ status: workStatuses.find((each) => each === status) })}
                clearable
                clearButtonProps={{ 'aria-label': 'Any status' }}
              />
            </>
          }
        />
      </div>
      {runs.error && !runs.data ? (
        <Box p="md" maw={720}>
          <ProblemAlert {...explain(runs.error)} onRetry={() => void runs.refetch()} />
        </Box>
      ) : (
        <DataTable
          caption="Runs"
          columns={columns}
          rows={runs.data?.results}
          keyOf={({ id }) => id}
          isStale={runs.isPlaceholderData}
          cursor={cursor}
          onOpen={open}
          empty={
            isNarrowed ? (
              <EmptyState
                title="No run is like this"
                action={
                  <Button variant="default" onClick={() => onSearch({ size: search.size })}>
                    Show all
                  </Button>
                }
              />
            ) : (
              <EmptyState
                icon={<IconRoute size={32} stroke={1.3} aria-hidden />}
                title="No recipe has run yet"
                action={
                  <Anchor component={Link} to="/recipes">
                    To the recipes
                  </Anchor>
                }
              >
                Run a recipe on a project, or choose many projects in the table and run it on all of them.
                Each run stands here with its verdict.
              </EmptyState>
            )
          }
        />
      )}
      <ListFoot search={search} onSearch={onSearch} count={count} pageSizes={runPageSizes} />
    </Stack>
  );
}
