import { Button, Group, Select, Stack, Table, Text, Title } from '@mantine/core';
import { IconPencil, IconPlayerPlay } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { z } from 'zod';
import { formatGuardBand } from '#contract/analyses/gates.ts';
import { splitMeasure } from '#contract/analyses/steps.ts';
import { formatGiven } from '#contract/base/format-number.ts';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { askFirst } from '#web/ui/ask-first.tsx';
import { useCrumb } from '#web/ui/frame/breadcrumb.tsx';
import page from '#web/ui/page.module.css';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ProblemPage } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { useRowKeys } from '#web/ui/use-row-keys.ts';
import { comparisonWords, resolveMeasure } from './draft.ts';
import { Flow } from './flow.tsx';
import { useChangeRelease } from './mutations.ts';
import { EffectsSearch, versionsOptions } from './queries.ts';
import { RecipeRuns } from './recipe-runs.tsx';
import classes from './recipes.module.css';
import { RunDialog } from './run-dialog.tsx';
import type { ParameterRows } from './run-provenance.tsx';
import { compareVersions } from './version-diff.ts';
import { VersionEffects } from './version-effects.tsx';

export const RecipeSearch = EffectsSearch.extend({
  /** the version that is shown */
  version: z.guid().optional().catch(undefined),
  /** the version that it is held against */
  against: z.guid().optional().catch(undefined),
});
export type RecipeSearch = z.infer<typeof RecipeSearch>;

interface RecipePageProps {
  organizationId: string;
  recipePk: string;
  /** why the caller can't write recipes; null = he can */
  writeReason: string | null;
  /** why the caller can't run one anywhere; null = he can */
  runReason: string | null;
  /** why the caller can't withdraw versions; null = he can */
  withdrawReason: string | null;
  parameterRows: ParameterRows;
  search: RecipeSearch;
  onSearch: (search: RecipeSearch) => void;
  onStarted: (runId: string) => void;
}

/** One recipe: a version of it, its other versions, and what two of them differ in. */
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
        title="This recipe is not here"
        detail="It does not exist, or it belongs to another organization than the one that is open."
      />
    );
  const before = versions.find(({ version }) => version === shown.version - 1);
  const against = versions.find(({ id }) => id === search.against) ?? before;
  return (
    <Stack gap={0} className={page.page}>
      <div className={page.head}>
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
              <Versions
                versions={versions}
                shown={shown}
                onShow={(version) => onSearch({ ...search, version, page: undefined })}
              />
              {versions.length > 1 && (
                <Diff
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

interface RecipeActionsProps
  extends Pick<
    RecipePageProps,
    'organizationId' | 'recipePk' | 'writeReason' | 'runReason' | 'withdrawReason'
  > {
  shown: RecipeVersion;
  onRun: () => void;
}

/** Revising, releasing and running the version that is shown. */
function RecipeActions({
  organizationId,
  recipePk,
  shown,
  writeReason,
  runReason,
  withdrawReason,
  onRun,
}: RecipeActionsProps) {
  const changeRelease = useChangeRelease(organizationId);
  const setReleased = (releases: boolean) =>
    changeRelease.mutate({ versionId: shown.id, releases }, { onError: notifyFailure });
  const withdraw = () =>
    askFirst({
      title: `Withdraw version ${shown.version} of “${shown.name}”?`,
      children: (
        <>
          It becomes a draft again, and the results of its runs no longer count in the verdicts of parts;
          those of other released versions do. The results stay, and the version can be released again.
        </>
      ),
      confirmLabel: 'Withdraw the version',
      onConfirm: () => setReleased(false),
    });
  return (
    <>
      {writeReason === null ? (
        <Button
          renderRoot={(props) => (
            <Link {...props} to="/recipes/new" search={{ recipe: recipePk, from: shown.id }} />
          )}
          variant="default"
          leftSection={<IconPencil size={14} aria-hidden />}
        >
          Revise
        </Button>
      ) : (
        <ActionButton
          reason={writeReason}
          variant="default"
          leftSection={<IconPencil size={14} aria-hidden />}
        >
          Revise
        </ActionButton>
      )}
      <ActionButton
        reason={shown.status === 'draft' ? shown.mayRelease.reason : withdrawReason}
        variant="default"
        loading={changeRelease.isPending}
        onClick={shown.status === 'draft' ? () => setReleased(true) : withdraw}
      >
        {shown.status === 'draft' ? 'Release' : 'Withdraw'} version {shown.version}
      </ActionButton>
      {runReason === null && (
        <Button
          renderRoot={(props) => <Link {...props} to="/projects" />}
          variant="default"
          title="Select them in the list, then run the recipe on all of them"
        >
          Run on many projects
        </Button>
      )}
      <ActionButton reason={runReason} leftSection={<IconPlayerPlay size={14} aria-hidden />} onClick={onRun}>
        Run on a project
      </ActionButton>
    </>
  );
}

/** What is known of its release, behind the number of the version. */
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
          <Table aria-label="Gates of the recipe">
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

function Versions({
  versions,
  shown,
  onShow,
}: {
  versions: RecipeVersion[];
  shown: RecipeVersion;
  onShow: (id: string) => void;
}) {
  const cursor = useRowKeys({ group: 'Versions', rows: versions, onOpen: ({ id }) => onShow(id) });
  return (
    <section aria-labelledby="recipe-versions">
      <Title order={2} size="h3" id="recipe-versions" mb="xs">
        Versions
      </Title>
      <Table aria-label="Versions of the recipe" highlightOnHover>
        <Table.Tbody>
          {versions.map(({ id, version, name, status, createdAt }, index) => (
            <Table.Tr
              key={id}
              aria-current={id === shown.id || undefined}
              data-cursor={index === cursor || undefined}
            >
              <Table.Td w={120}>
                <Button
                  variant={id === shown.id ? 'light' : 'subtle'}
                  size="compact-sm"
                  onClick={() => onShow(id)}
                >
                  Version {version}
                </Button>
              </Table.Td>
              <Table.Td>
                {name}
                {status === 'draft' && (
                  <Text span c="dimmed">
                    {' '}
                    draft
                  </Text>
                )}
              </Table.Td>
              <Table.Td w={130} ta="right">
                <RelativeTime value={createdAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Diff({
  versions,
  shown,
  against,
  onAgainst,
}: {
  versions: RecipeVersion[];
  shown: RecipeVersion;
  against: RecipeVersion | undefined;
  onAgainst: (id: string) => void;
}) {
  const lines = against ? compareVersions(against, shown) : [];
  return (
    <section aria-labelledby="recipe-diff">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h3" id="recipe-diff">
          What changed
        </Title>
        <Select
          size="xs"
          aria-label="Compared with"
          data={versions
            .filter(({ id }) => id !== shown.id)
            .map(({ id, version }) => ({ value: id, label: `against version ${version}` }))}
          value={against?.id ?? null}
          placeholder="against a version"
          onChange={(id) => id && onAgainst(id)}
          allowDeselect={false}
          w={180}
        />
      </Group>
      {against === undefined ? (
        <Text c="dimmed">This is the first version; choose another one to compare with.</Text>
      ) : lines.length === 0 ? (
        <Text c="dimmed">The two versions do the same.</Text>
      ) : (
        <Table aria-label={`From version ${against.version} to version ${shown.version}`}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="22%">Where</Table.Th>
              <Table.Th w="20%">What</Table.Th>
              <Table.Th>Version {against.version}</Table.Th>
              <Table.Th>Version {shown.version}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map(({ subject, field, before, after }) => (
              <Table.Tr key={`${subject} ${field}`}>
                <Table.Td>{subject}</Table.Td>
                <Table.Td>{field}</Table.Td>
                <Table.Td className={before === null ? undefined : classes.removed}>{before ?? '–'}</Table.Td>
                <Table.Td className={after === null ? undefined : classes.added}>{after ?? '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}
