import { Anchor, Group, Skeleton, Table, Text, Title } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount, formatQuantity } from '#contract/base/format-number.ts';
import { Verdict } from '#contract/metadata/verdict.ts';
import { linkClass } from '#web/ui/data-table.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { recipeRunsOptions } from './queries.ts';

interface RecipeRunsProps {
  organizationId: string;
  recipePk: string;
}

/** The newest runs of a recipe, whichever its version, and how many of all of them passed. */
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
      ) : !runs.data ? (
        <Skeleton height={72} />
      ) : runs.data.results.length === 0 ? (
        <Text c="dimmed">No runs yet. Run it on a project, or select several in the list of projects.</Text>
      ) : (
        <Table aria-label="Runs of the recipe">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Project</Table.Th>
              <Table.Th w={110}>Run</Table.Th>
              <Table.Th w={140}>Verdict</Table.Th>
              <Table.Th w={120} ta="right">
                Requested
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {runs.data.results.map(({ id, projectId, projectName, version, status, verdict, createdAt }) => (
              <Table.Tr key={id}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <Link to="/projects/$projectId" params={{ projectId }} className={linkClass}>
                    {projectName}
                  </Link>
                </Table.Td>
                <Table.Td>
                  <Link to="/recipes/runs/$runId" params={{ runId: id }} className={linkClass}>
                    Version {version}
                  </Link>
                </Table.Td>
                <Table.Td>
                  <StatusBadge status={verdict ?? status} />
                </Table.Td>
                <Table.Td ta="right">
                  <RelativeTime value={createdAt} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}

/** Of all runs that gave a verdict. */
function PassRate({ organizationId, recipePk }: RecipeRunsProps) {
  const counts = useQueries({
    queries: Verdict.options.map((verdict) =>
      recipeRunsOptions(organizationId, recipePk, { page_size: 1, verdict }),
    ),
  }).map(({ data }) => data?.count);
  const passed = counts[Verdict.options.indexOf('pass')];
  const judged = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  if (passed === undefined || counts.includes(undefined) || judged === 0) return null;
  return (
    <Text size="sm" className="numbers">
      {formatCount(passed)} of {formatCount(judged)} passed, {formatQuantity((100 * passed) / judged, '%')}
    </Text>
  );
}
