import { Group, Stack, Text } from '@mantine/core';
import { IconArrowsDiff, IconLayersDifference } from '@tabler/icons-react';
import { decomposeMeshCompare, groupings } from '#contract/analyses/decompose-mesh-compare.ts';
import { alignmentModes, meshCompare, sides } from '#contract/analyses/mesh-compare.ts';
import { formatCount, formatQuantity } from '#contract/base/format-number.ts';
import { formatTolerance } from '#web/ui/limits.ts';
import { StatusBadge, statusWord } from '#web/ui/status-badge.tsx';
import { inSentence } from '../analysis-states.ts';
import { Figures } from './figures.tsx';
import { type DataObjectOfKind, definePage, type ResultProps } from './kind-page.ts';
import { MatrixTable } from './matrix-table.tsx';
import { measuredFigures } from './measured.ts';
import { type PlaceColumn, PlacesTable } from './places-table.tsx';
import { ValueHistogram } from './value-histogram.tsx';
import { findWorst } from './verdict-words.ts';

type Comparison = DataObjectOfKind<typeof meshCompare.makes>;
type ComparedGroup = Comparison['metadata']['groups'][number];

function ComparisonResult({ dataObject: { metadata: result }, onShowPoint }: ResultProps<Comparison>) {
  const { tolerance, alignment, histogram, verdict, verdictReason, poresLeftOut, deflectionMm } = result;
  const { regions, regionCount, notScannedAreaMm2 = 0 } = result;
  const mm = (value: number) => formatQuantity(value, 'mm');
  return (
    <Stack gap="sm">
      <section aria-label="Verdict">
        <Group gap="xs" mb={2}>
          <Text span fw={600} fz="lg">
            {verdict === null ? 'No verdict' : <StatusBadge status={verdict} />}
          </Text>
          <Text span size="sm" c="dimmed">
            tolerance{' '}
            {formatTolerance({
              ...{ nominal: 0, measured: null, unit: 'mm' },
              lower: tolerance.lowerMm,
              upper: tolerance.upperMm,
            })}
          </Text>
        </Group>
        {verdictReason && <Text size="sm">{verdictReason.message}</Text>}
      </section>
      <Figures
        label="Deviation"
        figures={[
          ...measuredFigures(meshCompare, result),
          {
            label: 'Guard band',
            value: `±${mm(result.guardBandMm)}`,
            help: result.placeUncertainty
              ? 'Without a guard band of your own each place has its uncertainty (k = 2); this is the median. Closer to a limit than this, nothing passes or fails (ISO 14253-1).'
              : 'How well the position of the surfaces is known. Closer to a limit than this, nothing passes or fails (ISO 14253-1).',
          },
          ...(poresLeftOut > 0 ? [{ label: 'Pores left out', value: formatCount(poresLeftOut) }] : []),
          ...(notScannedAreaMm2 > 0
            ? [{ label: 'Outside the field of view', value: formatQuantity(notScannedAreaMm2, 'mm²') }]
            : []),
          ...(deflectionMm === null
            ? []
            : [{ label: 'CAD triangulated within', value: formatQuantity(deflectionMm, 'mm') }]),
        ]}
      />
      <ValueHistogram
        edgesMm={histogram.edgesMm}
        amounts={histogram.areaMm2}
        markMm={null}
        bandMm={[tolerance.lowerMm, tolerance.upperMm]}
        quantity="deviation"
      />
      <Groups result={result} onShowPoint={onShowPoint} />
      <PlacesTable
        title="Out of tolerance"
        caption="Places out of tolerance, largest deviation first"
        rows={regions.map((region, index) => ({ ...region, number: index + 1 }))}
        count={regionCount}
        columns={[
          { title: 'No.', value: ({ number }) => number },
          { title: 'Worst', unit: 'mm', value: ({ worstMm }) => worstMm },
          {
            title: 'Guard band',
            unit: 'mm',
            minor: true,
            value: ({ uncertaintyMm }) => uncertaintyMm ?? null,
          },
          { title: 'Area', unit: 'mm²', value: ({ areaMm2 }) => areaMm2 },
          { title: 'Not found', unit: 'mm²', value: ({ notFoundAreaMm2 }) => notFoundAreaMm2 ?? 0 },
          { title: 'On', minor: true, value: ({ side }) => sides[side ?? 'scan'] },
        ]}
        getKey={({ number }) => String(number)}
        getName={({ number, worstMm }) => `place ${number}${worstMm === null ? '' : `: ${mm(worstMm)}`}`}
        getPoint={({ worstPointMm }) => worstPointMm}
        filter={{ label: 'Kind', of: nameKind }}
        onShowPoint={onShowPoint}
      />
      <Figures
        title="Percentiles, by area"
        label="Percentiles of the deviation"
        figures={measuredFigures(meshCompare, result, 'percentiles')}
      />
      <Figures
        label="Alignment of the comparison"
        figures={[
          { label: 'Alignment', value: alignmentModes[alignment.mode] },
          ...(alignment.rmsMm === undefined
            ? []
            : [{ label: 'Alignment RMS', value: formatQuantity(alignment.rmsMm, 'mm') }]),
        ]}
      />
      {alignment.mode !== 'none' && <MatrixTable matrix={alignment.matrix} />}
    </Stack>
  );
}

/** Label of a region: a part of the reference that the scan lacks is missing, whichever surface it was found on. */
function nameKind({ worstMm, verdict }: Comparison['metadata']['regions'][number]): string {
  if (worstMm === null) return 'No counterpart';
  const kind = worstMm > 0 ? 'Excess material' : 'Missing material';
  return verdict === 'indeterminate' ? `${kind}, within the uncertainty` : kind;
}

interface ListProps {
  result: Comparison['metadata'];
  onShowPoint: ResultProps['onShowPoint'];
}

/** The parts of the reference, largest deviation first; selecting one moves the viewer to its worst point. */
function Groups({ result, onShowPoint }: ListProps) {
  const { groups, groupBy, groupCount, unmeasuredGroups, unmeasuredGroupCount, tolerance } = result;
  const columns: PlaceColumn<ComparedGroup>[] = [
    { title: 'Name', value: ({ name }) => name },
    {
      title: 'Verdict',
      value: ({ verdict }) => verdict,
      show: ({ verdict }) => verdict && <StatusBadge status={verdict} />,
    },
    { title: 'Worst', unit: 'mm', value: (group) => findWorst(group, tolerance) },
    { title: 'Mean', unit: 'mm', minor: true, value: ({ meanMm }) => meanMm },
    { title: 'Within', unit: '%', value: ({ inToleranceShare }) => inToleranceShare * 100 },
    {
      title: 'Covered',
      unit: '%',
      minor: true,
      value: ({ coveredShare }) => (coveredShare === undefined ? null : coveredShare * 100),
    },
    {
      title: 'Worst ±',
      unit: 'mm',
      minor: true,
      value: (group) => {
        const path = findWorst(group, tolerance) === group.minMm ? 'minMm' : 'maxMm';
        return group.uncertainties?.[path]?.expanded ?? null;
      },
    },
  ];
  if (groupBy === undefined || groups.length === 0) return null;
  const by = inSentence(groupings[groupBy]);
  return (
    <div>
      <PlacesTable
        title={`By ${by}`}
        caption={`Deviation by ${by}`}
        rows={groups}
        count={groupCount ?? groups.length}
        columns={columns}
        getKey={({ key }) => key}
        getName={({ name }) => name}
        getPoint={({ worstPointMm }) => worstPointMm}
        filter={{ label: 'Verdict', of: ({ verdict }) => nameVerdict(verdict) }}
        onShowPoint={onShowPoint}
      />
      {unmeasuredGroups.length > 0 && (
        <Text size="sm" mt={4}>
          Nothing was measured on{' '}
          {unmeasuredGroups
            .slice(0, 5)
            .map(({ name }) => name)
            .join(', ')}
          {unmeasuredGroupCount > 5 ? ` and ${formatCount(unmeasuredGroupCount - 5)} more` : ''}.
        </Text>
      )}
    </div>
  );
}

const nameVerdict = (verdict: Comparison['metadata']['verdict']) =>
  verdict === null ? 'No verdict' : statusWord(verdict);

const shared = {
  headline: ({ verdict, inToleranceShare }: Comparison['metadata']) =>
    `${nameVerdict(verdict)}, ${formatQuantity(inToleranceShare * 100, '%')} within tolerance`,
  Result: ComparisonResult,
};

export const meshComparePage = definePage(meshCompare, { icon: IconArrowsDiff, ...shared });
export const decomposeMeshComparePage = definePage(decomposeMeshCompare, {
  icon: IconLayersDifference,
  ...shared,
});
