import { Group, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { IconArrowsDiff, IconLayersDifference } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCount, formatNumber, formatQuantity } from '#web/ui/quantity.ts';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { inSentence } from '../analysis-states.ts';
import { AreaHistogram } from './area-histogram.tsx';
import classes from './compare.module.css';
import {
  type CompareMetadata,
  deviationPercentiles,
  digitsOf,
  readCompareMetadata,
  verdictInWords,
  worstOf,
} from './compare-result.ts';
import { Figures } from './figures.tsx';
import type { AnalysisKindPage, ResultProps } from './kind-page.ts';
import { MatrixTable } from './matrix-table.tsx';
import { ResultWarnings } from './result-warnings.tsx';

const percent = (share: number | null, digits = 2) =>
  share === null ? '–' : `${formatNumber(share * 100, digits)}\u2009%`;
const modes: Record<string, string> = { none: 'None', autoAlign: 'By itself', matrix: 'Matrix' };
const groupings: Record<string, string> = { component: 'Component', cadFace: 'CAD face', region: 'Region' };

function Comparison({ dataObject, onShowPoint }: ResultProps) {
  const result = readCompareMetadata(dataObject.metadata);
  const { tolerance, alignment, histogram } = result;
  const digits = digitsOf(tolerance);
  const mm = (value: number | null | undefined) => formatQuantity(value, 'mm', digits);
  return (
    <Stack gap="sm">
      {result.verdict !== null && (
        <section aria-label="Verdict">
          <Group gap="xs" mb={2}>
            <Text span fw={600} fz="lg">
              <StatusBadge status={result.verdict} />
            </Text>
            {tolerance && (
              <Text span size="sm" c="dimmed">
                {mm(tolerance.lowerMm)} to {mm(tolerance.upperMm)}
              </Text>
            )}
          </Group>
          <Text size="sm">{verdictInWords(result, mm)}</Text>
        </section>
      )}
      <ResultWarnings warnings={result.warnings} />
      <Figures
        label="Deviation"
        figures={[
          { label: 'Within the tolerance', value: percent(result.inToleranceShare) },
          { label: 'Mean', value: mm(result.meanMm) },
          { label: 'Standard deviation', value: mm(result.sdMm) },
          { label: 'RMS', value: mm(result.rmsMm) },
          { label: 'Minimum', value: mm(result.minMm) },
          { label: 'Maximum', value: mm(result.maxMm) },
          { label: 'Guard band', value: mm(result.guardBandMm) },
          { label: 'Scan that has a counterpart', value: percent(result.measuredShare) },
          ...(result.coveredShare === null
            ? []
            : [{ label: 'Reference that the scan covers', value: percent(result.coveredShare) }]),
          ...(result.poresLeftOut
            ? [{ label: 'Pores left out', value: formatCount(result.poresLeftOut) }]
            : []),
          ...(result.deflectionMm === null
            ? []
            : [{ label: 'CAD as triangles within', value: formatQuantity(result.deflectionMm, 'mm') }]),
        ]}
      />
      {histogram && (
        <AreaHistogram
          edgesMm={histogram.edgesMm}
          areaMm2={histogram.areaMm2}
          markMm={null}
          bandMm={tolerance ? [tolerance.lowerMm, tolerance.upperMm] : undefined}
          quantity="deviation"
        />
      )}
      <Groups result={result} mm={mm} onShowPoint={onShowPoint} />
      <Patches result={result} mm={mm} onShowPoint={onShowPoint} />
      <section aria-label="Percentiles">
        <Title order={3} size="h3" mb={4}>
          Percentiles, by area
        </Title>
        <Figures
          label="Percentiles of the deviation"
          figures={deviationPercentiles.map((name) => ({
            label: `${name.slice(1)}\u2009%`,
            value: mm(result.percentilesMm[name]),
          }))}
        />
      </section>
      {alignment && (
        <Figures
          label="Alignment of the comparison"
          figures={[
            { label: 'Alignment', value: modes[alignment.mode ?? ''] ?? '–' },
            ...(alignment.rmsMm === undefined || alignment.rmsMm === null
              ? []
              : [{ label: 'RMS of the alignment', value: formatQuantity(alignment.rmsMm, 'mm', 4) }]),
          ]}
        />
      )}
      {alignment?.matrix && <MatrixTable matrix={alignment.matrix} />}
    </Stack>
  );
}

interface ListProps {
  result: CompareMetadata;
  mm: (value: number | null | undefined) => string;
  onShowPoint: ResultProps['onShowPoint'];
}

/** The parts of the reference, the one furthest out first; pressing one moves the viewer to its worst place. */
function Groups({ result, mm, onShowPoint }: ListProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const { groups, groupCount, unmeasuredGroups, unmeasuredGroupCount, tolerance } = result;
  if (groups.length === 0) return null;
  const title = `By ${inSentence(groupings[result.groupBy ?? ''] ?? 'group')}`;
  return (
    <section aria-label="Groups">
      <Title order={3} size="h3" mb={4}>
        {title}{' '}
        <Text span c="dimmed">
          {formatCount(groupCount ?? groups.length)}
          {groupCount !== null && groupCount > groups.length ? `, the first ${groups.length} listed` : ''}
          {', in mm'}
        </Text>
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.scroll} tabIndex={0} aria-label={title}>
        <table className={classes.table} aria-label={`Deviation ${title.toLowerCase()}`}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Verdict</th>
              <th scope="col">Worst</th>
              <th scope="col">Mean</th>
              <th scope="col">Within</th>
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => (
              <tr key={group.key} data-chosen={group.key === chosen || undefined}>
                <th scope="row">
                  {onShowPoint && group.worstPointMm ? (
                    <UnstyledButton
                      fz="sm"
                      td="underline"
                      aria-label={`Show ${group.name}`}
                      aria-pressed={group.key === chosen}
                      onClick={() => {
                        setChosen(group.key);
                        if (group.worstPointMm) onShowPoint(group.worstPointMm);
                      }}
                    >
                      {group.name}
                    </UnstyledButton>
                  ) : (
                    group.name
                  )}
                </th>
                <td>
                  <StatusBadge status={group.verdict} />
                </td>
                <td>{withoutUnit(mm(worstOf(group, tolerance)))}</td>
                <td>{withoutUnit(mm(group.meanMm))}</td>
                <td>{percent(group.inToleranceShare, 1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {unmeasuredGroups.length > 0 && (
        <Text size="sm" mt={4}>
          Nothing was measured on{' '}
          {unmeasuredGroups
            .slice(0, 5)
            .map(({ name }) => name)
            .join(', ')}
          {(unmeasuredGroupCount ?? 0) > 5 ? ` and ${formatCount((unmeasuredGroupCount ?? 0) - 5)} more` : ''}
          .
        </Text>
      )}
    </section>
  );
}

const withoutUnit = (quantity: string) => quantity.replace(/\u2009mm$/, '');

/** Patches of the surface beyond the tolerance; pressing one moves the viewer there. */
function Patches({ result, mm, onShowPoint }: ListProps) {
  const { regions, regionCount } = result;
  if (regions.length === 0) return null;
  return (
    <section aria-label="Out of tolerance">
      <Title order={3} size="h3" mb={4}>
        Out of tolerance{' '}
        <Text span c="dimmed">
          {formatCount(regionCount ?? regions.length)}
        </Text>
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.scroll} tabIndex={0} aria-label="Places out of tolerance">
        <table className={classes.table} aria-label="Places out of tolerance, the furthest out first">
          <thead>
            <tr>
              <th scope="col">No.</th>
              <th scope="col">Worst, mm</th>
              <th scope="col">Area, mm²</th>
            </tr>
          </thead>
          <tbody>
            {regions.slice(0, 100).map((patch, index) => (
              <tr key={patch.worstPointMm.join(' ')}>
                <th scope="row">
                  {onShowPoint ? (
                    <UnstyledButton
                      fz="sm"
                      td="underline"
                      aria-label={`Show place ${index + 1}: ${mm(patch.worstMm)}`}
                      onClick={() => onShowPoint(patch.worstPointMm)}
                    >
                      {index + 1}
                    </UnstyledButton>
                  ) : (
                    index + 1
                  )}
                </th>
                <td>{withoutUnit(mm(patch.worstMm))}</td>
                <td>{formatNumber(patch.areaMm2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

const shared = {
  labels: { alignment: modes, groupBy: groupings },
  onlyWhen: {},
  resultKind: 'meshCompare',
  Result: Comparison,
} as const;

const headline = (metadata: Record<string, unknown>) => {
  const result = readCompareMetadata(metadata);
  if (result.inToleranceShare === null) return null;
  const word = { pass: 'Pass', fail: 'Fail', indeterminate: 'Indeterminate' }[result.verdict ?? ''];
  return [word, `${percent(result.inToleranceShare)} within the tolerance`].filter(Boolean).join(', ');
};

export const meshComparePage: AnalysisKindPage = {
  ...shared,
  icon: IconArrowsDiff,
  purpose:
    'Measures at every point of the surface how far the part is from its CAD model or from another scan, and whether that is within the tolerance.',
  headline,
};

export const decomposeMeshComparePage: AnalysisKindPage = {
  ...shared,
  icon: IconLayersDifference,
  purpose:
    'Compares with a CAD model part by part: each component, CAD face or smooth region gets its own figures and verdict, the one furthest out first.',
  reasonAgainstChoice: (key, choice, reference) =>
    key === 'groupBy' &&
    choice === 'cadFace' &&
    reference !== null &&
    typeof reference.metadata.faces !== 'number'
      ? 'the reference has no CAD faces; a STEP or IGES file has'
      : null,
  headline,
};
