import { Anchor, Group, Text, Title } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount } from '#contract/base/format-number.ts';
import { Verdict } from '#contract/metadata/verdict.ts';
import type { ListedRecipeInvocation } from '#contract/shapes/recipe.ts';
import { createdColumn } from '#web/ui/created-column.tsx';
import { DataTable, type DataTableColumn, linkClass } from '#web/ui/data-table.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { makeProjectColumn } from '#web/ui/project-column.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { describePassRate } from './pass-rate.ts';
import { recipeRunsOptions } from './queries.ts';

const columns: DataTableColumn<ListedRecipeInvocation>[] = [
  makeProjectColumn(),
  {
    key: 'run',
    title: 'Run',
    width: 110,
    render: ({ id, version }) => (
      <Link to="/recipes/runs/$runId" params={{ runId: id }} className={linkClass}>
        Version {version}
      </Link>
    ),
  },
  {
    key: 'verdict',
    title: 'Verdict',
    width: 140,
    render: ({ status, verdict }) => <StatusBadge status={verdict ?? status} />,
  },
  { ...createdColumn, title: 'Requested', align: 'right' },
];

interface RecipeRunsProps {
  organizationId: string;
  recipePk: string;
}

/** The newest runs of all versions of a recipe, and the pass rate over all of its runs. */
export function RecipeRuns({ organizationId, recipePk }: RecipeRunsProps) {
  const runs = useQuery(recipeRunsOptions(organizationId, recipePk, { page_size: 8 }));
  return (
    <section aria-labelledby="recipe-runs">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h3" id="recipe-runs">
          Runs
        </Title>
        <Group gap="md">
          <PassRate organizationId={organizationId} recipePk={recipePk} />
          {runs.data && runs.data.count > runs.data.results.length && (
            <Anchor
              size="sm"
              renderRoot={(props) => <Link {...props} to="/runs" search={{ recipe: recipePk }} />}
            >
              All {formatCount(runs.data.count)} runs
            </Anchor>
          )}
        </Group>
      </Group>
      {runs.isError && !runs.data ? (
        <ProblemAlert query={runs} />
      ) : (
        <DataTable
          caption="Runs of the recipe"
          columns={columns}
          rows={runs.data?.results}
          getKey={({ id }) => id}
          isNarrow
          empty={
            <Text c="dimmed">
              No runs yet. Run it on a project, or select several in the list of projects.
            </Text>
          }
        />
      )}
    </section>
  );
}

/** Over all runs with a verdict. */
function PassRate({ organizationId, recipePk }: RecipeRunsProps) {
  const [pass, fail, indeterminate] = useQueries({
    queries: Verdict.options.map((verdict) =>
      recipeRunsOptions(organizationId, recipePk, { page_size: 1, verdict }),
    ),
  }).map(({ data }) => data?.count);
  if (pass === undefined || fail === undefined || indeterminate === undefined) return null;
  return (
    <Text size="sm" className="numbers">
      {describePassRate({ pass, fail, indeterminate })}
    </Text>
  );
}
