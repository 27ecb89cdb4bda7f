import { Group, Stack, Switch, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatBeside, formatGiven } from '#contract/base/format-number.ts';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import type { GateSide, VersionEffect, VersionOutcome } from '#contract/shapes/version-effect.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { linkClass } from '#web/ui/data-table.tsx';
import { ListFoot } from '#web/ui/list-foot.tsx';
import { PlainList } from '#web/ui/plain-list.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { StatusBadge, statusWord } from '#web/ui/status-badge.tsx';
import { comparisonWords } from './draft.ts';
import { type EffectsSearch, effectsOptions } from './queries.ts';
import { summaryOf } from './version-effect-words.ts';

interface VersionEffectsProps {
  organizationId: string;
  before: RecipeVersion;
  after: RecipeVersion;
  search: EffectsSearch;
  onSearch: (search: EffectsSearch) => void;
}

/** What the verdicts of parts would be under two versions; computed when it is asked for. */
export function VersionEffects(props: VersionEffectsProps) {
  const { before, after, search, onSearch } = props;
  return (
    <section aria-labelledby="recipe-effects">
      <Stack gap="xs">
        <Title order={2} size="h3" id="recipe-effects">
          What would change on the parts
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
  if (effects.error && !effects.data) return <ProblemAlert query={effects} />;
  const { data } = effects;
  return (
    <>
      <Text c="dimmed" className="measure">
        The newest run of each version on the newest scan of each project that the recipe ran on. Where only
        one version ran, the gates of the other are held against its numbers if they were measured alike.
      </Text>
      <Group justify="space-between">
        <Text role="status">{data && summaryOf(data.summary)}</Text>
        <Switch
          label="Only changed"
          checked={search.onlyChanged ?? false}
          onChange={({ currentTarget }) =>
            onSearch({ ...search, page: undefined, onlyChanged: currentTarget.checked || undefined })
          }
        />
      </Group>
      {data?.count === 0 ? (
        <Text c="dimmed">
          {search.onlyChanged ? 'No project would change.' : 'The recipe has run on no project that you see.'}
        </Text>
      ) : (
        <PlainList
          caption={`Verdicts under version ${before.version} and version ${after.version}`}
          isPending={effects.isPending}
          goesOn
          headings={[
            { title: 'Project' },
            { title: `Version ${before.version}`, width: 200 },
            { title: `Version ${after.version}`, width: 200 },
            { title: 'Gates that change', width: 480 },
          ]}
        >
          {data?.results.map((effect) => (
            <EffectRow key={effect.projectId} effect={effect} before={before} after={after} />
          ))}
        </PlainList>
      )}
      {data && <ListFoot search={search} onSearch={onSearch} list={data} />}
    </>
  );
}

function EffectRow({
  effect,
  before,
  after,
}: {
  effect: VersionEffect;
  before: RecipeVersion;
  after: RecipeVersion;
}) {
  return (
    <Table.Tr>
      <Table.Td>
        <Link to="/projects/$projectId" params={{ projectId: effect.projectId }} className={linkClass}>
          {effect.projectName}
        </Link>
      </Table.Td>
      <Side side={effect.before} other={after} />
      <Side side={effect.after} other={before} />
      <Table.Td>
        {effect.gates.map((gate) => (
          <Text key={gate.key} size="sm">
            {gate.label}{' '}
            <Text span c="dimmed">
              {gate.key}
            </Text>
            : {describeGate(gate.before)} → {describeGate(gate.after)}
          </Text>
        ))}
      </Table.Td>
    </Table.Tr>
  );
}

const outcomeWords: Partial<Record<VersionOutcome, string>> = { none: 'No verdict', notRun: 'Not run' };

function Side({ side, other }: { side: VersionEffect['before']; other: RecipeVersion }) {
  const word = outcomeWords[side.outcome];
  return (
    <Table.Td>
      {word ? <Text c="dimmed">{word}</Text> : <StatusBadge status={side.outcome} />}
      {side.invocationId !== null && (
        <Text size="xs">
          <Link to="/recipes/runs/$runId" params={{ runId: side.invocationId }} className={linkClass}>
            {side.isFromOther ? `from the numbers of version ${other.version}` : 'from its run'}
          </Link>
        </Text>
      )}
    </Table.Td>
  );
}

/** “0.52 mm, at least 0.6 mm ± 0.05 mm: Fail”. */
function describeGate(gate: GateSide | null): string {
  if (gate === null) return 'no such gate';
  const { measured, comparison, limit, guardBand, unit, verdict } = gate;
  const value = measured === null ? 'not measured' : formatBeside(measured, limit, unit);
  const band = guardBand === 0 ? '' : ` ± ${formatGiven(guardBand, unit)}`;
  return `${value}, ${comparisonWords[comparison]} ${formatGiven(limit, unit)}${band}: ${statusWord(verdict)}`;
}
