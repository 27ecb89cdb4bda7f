import { Group, Stack, Text } from '@mantine/core';
import { IconArrowsDiff, IconLayersDifference } from '@tabler/icons-react';
import { useMemo } from 'react';
import { formatCount, formatNumber, formatQuantity } from '#web/ui/quantity.ts';
import { StatusBadge, statusWord } from '#web/ui/status-badge.tsx';
import { inSentence } from '../analysis-states.ts';
import {
  type ComparedGroup,
  type CompareMetadata,
  digitsOf,
  readCompareMetadata,
  verdictInWords,
  worstOf,
} from './compare-result.ts';
import { Figures } from './figures.tsx';
import type { AnalysisKindPage, ResultProps } from './kind-page.ts';
import { MatrixTable } from './matrix-table.tsx';
import { PatchesTable } from './patches-table.tsx';
import { Percentiles } from './percentiles.tsx';
import { type PlaceColumn, PlacesTable } from './places-table.tsx';
import { ResultWarnings } from './result-warnings.tsx';
import { ValueHistogram } from './value-histogram.tsx';

const percent = (share: number | null, digits = 2) =>
  share === null ? '–' : `${formatNumber(share * 100, digits)}\u2009%`;
const modes: Record<string, string> = { none: 'None', autoAlign: 'By itself', matrix: 'Matrix' };
const modesDone: Record<string, string> = {
  none: 'none, as they lie',
  autoAlign: 'found by itself',
  matrix: 'by the matrix given',
};
const groupings: Record<string, string> = { component: 'Component', cadFace: 'CAD face', region: 'Region' };

function Comparison({ dataObject, onShowPoint }: ResultProps) {
  const result = useMemo(() => readCompareMetadata(dataObject.metadata), [dataObject.metadata]);
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
          {
            label: 'Guard band',
            value: `± ${mm(result.guardBandMm)}`,
            help: 'What is not known of where the surfaces lie. Within it of a limit nothing passes and nothing fails (ISO 14253-1).',
          },
          {
            label: 'Scan that has a counterpart',
            value: percent(result.measuredShare),
            help: 'Share of the scan’s surface with the reference within the largest distance. The rest is drawn in grey.',
          },
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
        <ValueHistogram
          edgesMm={histogram.edgesMm}
          amounts={histogram.areaMm2}
          markMm={null}
          bandMm={tolerance ? [tolerance.lowerMm, tolerance.upperMm] : undefined}
          quantity="deviation"
        />
      )}
      <Groups result={result} digits={digits} onShowPoint={onShowPoint} />
      <PatchesTable
        title="Out of tolerance"
        caption="Places out of tolerance, the furthest out first"
        patches={result.regions}
        count={result.regionCount}
        worst={{ title: 'Worst', digits, value: ({ worstMm }) => worstMm }}
        nameOf={({ number, worstMm }) => `place ${number}: ${mm(worstMm)}`}
        pointOf={({ worstPointMm }) => worstPointMm}
        filter={{
          label: 'Side',
          of: ({ worstMm }) => (worstMm > 0 ? 'Too much material' : 'Too little material'),
        }}
        onShowPoint={onShowPoint}
      />
      <Percentiles of="the deviation" valuesMm={result.percentilesMm} mm={mm} />
      {alignment && (
        <Figures
          label="Alignment of the comparison"
          figures={[
            { label: 'Alignment', value: modesDone[alignment.mode ?? ''] ?? '–' },
            ...(alignment.rmsMm === undefined || alignment.rmsMm === null
              ? []
              : [{ label: 'RMS of the alignment', value: formatQuantity(alignment.rmsMm, 'mm', 4) }]),
          ]}
        />
      )}
      {alignment?.matrix && alignment.mode !== 'none' && <MatrixTable matrix={alignment.matrix} />}
    </Stack>
  );
}

interface ListProps {
  result: CompareMetadata;
  digits: number;
  onShowPoint: ResultProps['onShowPoint'];
}

/** The parts of the reference, the one furthest out first; choosing one leads the viewer to its worst place. */
function Groups({ result, digits, onShowPoint }: ListProps) {
  const { groups, groupCount, unmeasuredGroups, unmeasuredGroupCount, tolerance } = result;
  const columns: PlaceColumn<ComparedGroup>[] = [
    { title: 'Name', value: ({ name }) => name },
    {
      title: 'Verdict',
      value: ({ verdict }) => verdict,
      show: ({ verdict }) => <StatusBadge status={verdict} />,
    },
    { title: 'Worst', unit: 'mm', digits, value: (group) => worstOf(group, tolerance) },
    { title: 'Mean', unit: 'mm', minor: true, digits, value: ({ meanMm }) => meanMm },
    {
      title: 'Within',
      unit: '%',
      digits: 1,
      value: ({ inToleranceShare }) => (inToleranceShare === null ? null : inToleranceShare * 100),
    },
  ];
  if (groups.length === 0) return null;
  const title = `By ${inSentence(groupings[result.groupBy ?? ''] ?? 'group')}`;
  return (
    <div>
      <PlacesTable
        title={title}
        caption={`Deviation ${title.replace(/^B/, 'b')}`}
        rows={groups}
        count={groupCount}
        columns={columns}
        keyOf={({ key }) => key}
        nameOf={({ name }) => name}
        pointOf={({ worstPointMm }) => worstPointMm}
        filter={{ label: 'Verdict', of: ({ verdict }) => statusWord(verdict) }}
        onShowPoint={onShowPoint}
      />
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
    </div>
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
