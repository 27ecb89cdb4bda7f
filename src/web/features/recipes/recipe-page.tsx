import { Stack, Table, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatGuardBand } from '#contract/analyses/gates.ts';
import { splitMeasure } from '#contract/analyses/steps.ts';
import { formatGiven } from '#contract/base/format-number.ts';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import { useCrumb } from '#web/ui/frame/breadcrumb.tsx';
import pageClasses from '#web/ui/page.module.css';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ProblemPage } from '#web/ui/problem-alert.tsx';
import { comparisonWords, resolveMeasure } from './draft.ts';
import { Flow } from './flow.tsx';
import { type RecipeSearch, versionsOptions } from './queries.ts';
import { type ActionReasons, RecipeActions } from './recipe-actions.tsx';
import { RecipeRuns } from './recipe-runs.tsx';
import { RecipeVersions, VersionDiff } from './recipe-versions.tsx';
import classes from './recipes.module.css';
import { RunDialog } from './run-dialog.tsx';
import type { ParameterRows } from './run-provenance.tsx';
import { VersionEffects } from './version-effects.tsx';

interface RecipePageProps extends ActionReasons {
  organizationId: string;
  recipePk: string;
  parameterRows: ParameterRows;
  search: RecipeSearch;
  onSearch: (search: RecipeSearch) => void;
  onStarted: (runId: string) => void;
}

/** One recipe: a version of it, its other versions, and the differences between two. */
export function RecipePage({
  organizationId,
  recipePk,
  writeReason,
  runReason,
  withdrawReason,
  parameterRows,
  search,
  onSearch,
  onStarted,
}: RecipePageProps) {
  const { data } = useSuspenseQuery(versionsOptions(organizationId, recipePk));
  const [running, setRunning] = useState(false);
  const versions = data.results;
  const shown = versions.find(({ id }) => id === search.version) ?? versions[0];
  useCrumb(shown?.name ?? 'Recipe');
  if (!shown)
    return (
      <ProblemPage
        title="Recipe not found"
        detail="It does not exist, or it belongs to another organization."
      />
    );
  const before = versions.find(({ version }) => version === shown.version - 1);
  const against = versions.find(({ id }) => id === search.against) ?? before;
  return (
    <Stack gap={0} className={pageClasses.page}>
      <div className={pageClasses.head}>
        <PageHeader
          title={shown.name}
          aside={`version ${shown.version}${describeStatus(shown)}`}
          description={shown.description || undefined}
          actions={
            <RecipeActions
              {...{ recipePk, shown, organizationId, writeReason, runReason, withdrawReason }}
              onRun={() => setRunning(true)}
            />
          }
        />
      </div>
      <div className={classes.body}>
        <Stack gap="lg">
          <Flow steps={shown.steps} />
          <div className={classes.columns}>
            <Stack gap="lg">
              <Gates version={shown} />
              <Parameters version={shown} parameterRows={parameterRows} />
            </Stack>
            <Stack gap="lg">
              <RecipeRuns organizationId={organizationId} recipePk={recipePk} />
              <RecipeVersions
                organizationId={organizationId}
                shown={shown}
                onShow={(version) => onSearch({ ...search, version, page: undefined })}
              />
              {versions.length > 1 && (
                <VersionDiff
                  versions={versions}
                  shown={shown}
                  against={against}
                  onAgainst={(id) => onSearch({ ...search, against: id, page: undefined })}
                />
              )}
            </Stack>
          </div>
          {against && (
            <VersionEffects
              organizationId={organizationId}
              before={against}
              after={shown}
              search={search}
              onSearch={(part) => onSearch({ ...search, ...part })}
            />
          )}
        </Stack>
      </div>
      <RunDialog
        organizationId={organizationId}
        recipePk={recipePk}
        opened={running}
        onClose={() => setRunning(false)}
        onStarted={onStarted}
      />
    </Stack>
  );
}

/** Release status, shown after the version number. */
const describeStatus = ({ status, isLatest }: RecipeVersion): string =>
  status === 'draft' ? ', draft' : isLatest ? ', the newest' : '';

function Gates({ version }: { version: RecipeVersion }) {
  return (
    <section aria-labelledby="recipe-gates">
      <Title order={2} size="h3" id="recipe-gates" mb="xs">
        Gates
      </Title>
      {version.gates.length === 0 ? (
        <Text c="dimmed">No gates: a run measures and gives no verdict.</Text>
      ) : (
        <Table.ScrollContainer minWidth={0}>
          <Table aria-label="Gates of the recipe" className={classes.gates}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Gate</Table.Th>
                <Table.Th>Measure</Table.Th>
                <Table.Th ta="right">Limit</Table.Th>
                <Table.Th ta="right">Guard band</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {version.gates.map(({ key, measure, comparison, limit, unit, guardBand }) => (
                <Table.Tr key={key}>
                  <Table.Td>{key}</Table.Td>
                  <Table.Td>
                    {resolveMeasure(measure, version.steps)?.label ?? measure}{' '}
                    <Text span size="sm" c="dimmed">
                      of {splitMeasure(measure).step}
                    </Text>
                  </Table.Td>
                  <Table.Td ta="right" className="numbers">
                    {comparisonWords[comparison]} {formatGiven(limit, unit)}
                  </Table.Td>
                  <Table.Td ta="right" className="numbers">
                    {formatGuardBand(guardBand, unit)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </section>
  );
}

function Parameters({ version, parameterRows }: { version: RecipeVersion; parameterRows: ParameterRows }) {
  return (
    <section aria-labelledby="recipe-parameters">
      <Title order={2} size="h3" id="recipe-parameters" mb="xs">
        Parameters
      </Title>
      <Table aria-label="Parameters of the steps">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={140}>Step</Table.Th>
            <Table.Th w={200}>Parameter</Table.Th>
            <Table.Th>Value</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {version.steps.flatMap(({ key, operation, parameters }) =>
            parameterRows(operation, parameters, (dataObjectId) => dataObjectId).map(
              ({ label, value }, index) => (
                <Table.Tr key={`${key}.${label}`}>
                  <Table.Td>{index === 0 ? key : ''}</Table.Td>
                  <Table.Td>{label}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
                </Table.Tr>
              ),
            ),
          )}
        </Table.Tbody>
      </Table>
    </section>
  );
}
