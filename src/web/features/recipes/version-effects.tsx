import { Group, Stack, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatAgainstLimit, formatGiven } from '#contract/base/format-number.ts';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import type { GateSide, VersionEffect, VersionOutcome } from '#contract/shapes/version-effect.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { type DataTableColumn, linkClass, wrapClass } from '#web/ui/data-table.tsx';
import { List } from '#web/ui/list-page.tsx';
import { makeProjectColumn } from '#web/ui/project-column.tsx';
import { StatusBadge, statusWord } from '#web/ui/status-badge.tsx';
import { comparisonWords } from './draft.ts';
import { type EffectsSearch, effectsOptions } from './queries.ts';
import { summarizeEffects } from './version-effect-words.ts';

interface VersionEffectsProps {
  organizationId: string;
  before: RecipeVersion;
  after: RecipeVersion;
  search: EffectsSearch;
  onSearch: (search: EffectsSearch) => void;
}

/** The verdicts of parts under two versions; computed on request. */
export function VersionEffects(props: VersionEffectsProps) {
  const { before, after, search, onSearch } = props;
  return (
    <section aria-labelledby="recipe-effects">
      <Stack gap="xs">
        <Title order={2} size="h3" id="recipe-effects">
          What would change for the parts
        </Title>
        {search.effects ? (
          <EffectsTable {...props} />
        ) : (
          <Group>
            <ActionButton variant="default" onClick={() => onSearch({ ...search, effects: true })}>
              {`Compare the verdicts of version ${before.version} and version ${after.version}`}
            </ActionButton>
          </Group>
        )}
      </Stack>
    </section>
  );
}

function EffectsTable({ organizationId, before, after, search, onSearch }: VersionEffectsProps) {
  const effects = useQuery(effectsOptions(organizationId, { before: before.id, after: after.id }, search));
  const { data } = effects;
  return (
    <>
      <Text c="dimmed" className="measure">
        Compares the newest run of each version on the newest scan of every project. Where only one version
        ran, the gates of the other are applied to its numbers if they were measured the same way.
      </Text>
      <Group justify="space-between">
        <Text role="status">{data && summarizeEffects(data.summary)}</Text>
        <Switch
          label="Only changed"
          checked={search.onlyChanged ?? false}
          onChange={({ currentTarget }) =>
            onSearch({ ...search, page: undefined, onlyChanged: currentTarget.checked || undefined })
          }
        />
      </Group>
      <List
        caption={`Verdicts under version ${before.version} and version ${after.version}`}
        list={effects}
        getKey={({ projectId }) => projectId}
        search={{ page: search.page, size: search.size }}
        onSearch={(page) => onSearch({ ...search, ...page })}
        columns={effectColumns(before, after)}
        empty={{
          title: search.onlyChanged
            ? 'No project would change'
            : 'The recipe has not run on any project that you can see',
          order: 3,
        }}
        goesOn
      />
    </>
  );
}

const effectColumns = (before: RecipeVersion, after: RecipeVersion): DataTableColumn<VersionEffect>[] => [
  makeProjectColumn(),
  {
    key: 'before',
    title: `Version ${before.version}`,
    width: 200,
    render: (effect) => <Side side={effect.before} other={after} />,
  },
  {
    key: 'after',
    title: `Version ${after.version}`,
    width: 200,
    render: (effect) => <Side side={effect.after} other={before} />,
  },
  {
    key: 'gates',
    title: 'Gates that change',
    width: 480,
    render: ({ gates }) =>
      gates.map((gate) => (
        <Text key={gate.key} size="sm" className={wrapClass}>
          {gate.label}{' '}
          <Text span c="dimmed">
            {gate.key}
          </Text>
          : {describeGate(gate.before)} → {describeGate(gate.after)}
        </Text>
      )),
  },
];

const outcomeWords: Partial<Record<VersionOutcome, string>> = { none: 'No verdict', notRun: 'Not run' };

function Side({ side, other }: { side: VersionEffect['before']; other: RecipeVersion }) {
  const word = outcomeWords[side.outcome];
  return (
    <>
      {word ? <Text c="dimmed">{word}</Text> : <StatusBadge status={side.outcome} />}
      {side.invocationId !== null && (
        <Text size="xs">
          <Link to="/recipes/runs/$runId" params={{ runId: side.invocationId }} className={linkClass}>
            {side.isFromOther ? `from the numbers of version ${other.version}` : 'from its run'}
          </Link>
        </Text>
      )}
    </>
  );
}

/** “0.52 mm, at least 0.6 mm ± 0.05 mm: Fail”. */
function describeGate(gate: GateSide | null): string {
  if (gate === null) return 'no such gate';
  const { measured, comparison, limit, guardBand, unit, verdict } = gate;
  const value = measured === null ? 'not measured' : formatAgainstLimit(measured, limit, unit);
  const band = guardBand === 0 ? '' : ` ± ${formatGiven(guardBand, unit)}`;
  return `${value}, ${comparisonWords[comparison]} ${formatGiven(limit, unit)}${band}: ${statusWord(verdict)}`;
}
