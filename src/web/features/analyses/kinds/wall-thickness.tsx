import { Stack } from '@mantine/core';
import { IconRulerMeasure } from '@tabler/icons-react';
import { useMemo } from 'react';
import { formatCount, formatNumber, formatQuantity } from '#web/ui/quantity.ts';
import { Figures } from './figures.tsx';
import type { AnalysisKindPage, ResultProps } from './kind-page.ts';
import { PatchesTable } from './patches-table.tsx';
import { Percentiles } from './percentiles.tsx';
import { surfaceLabels } from './surface-words.ts';
import { digitsFor, readThicknessMetadata } from './thickness-result.ts';
import { ValueHistogram } from './value-histogram.tsx';

const methods: Record<string, string> = { sphere: 'Sphere', ray: 'Ray' };

const methodHelp: Record<string, string> = {
  sphere:
    'The diameter of the largest ball that fits into the material and touches the surface at the point.',
  ray: 'The way straight through the material, from the point against the surface’s normal to the other side.',
};
const disagreementHelp =
  'Where the way straight through the wall is much longer or shorter than the ball that fits in: at corners, ribs and slopes. There the thickness depends on which of the two is meant; it is no fault of the scan.';

function Thickness({ dataObject, onShowPoint }: ResultProps) {
  const result = useMemo(() => readThicknessMetadata(dataObject.metadata), [dataObject.metadata]);
  const digits = digitsFor(result.meanMm);
  const mm = (value: number | null | undefined) => formatQuantity(value, 'mm', digits);
  return (
    <Stack gap="sm">
      <Figures
        label="Wall thickness"
        figures={[
          { label: 'Mean', value: mm(result.meanMm) },
          { label: 'Standard deviation', value: mm(result.sdMm) },
          { label: 'Minimum', value: mm(result.minMm) },
          { label: 'Maximum', value: mm(result.maxMm) },
          ...(result.belowMinimumShare === null
            ? []
            : [
                {
                  label: `Below ${result.minThicknessMm === null ? 'the minimum' : formatQuantity(result.minThicknessMm, 'mm')}`,
                  value: `${formatNumber(result.belowMinimumShare * 100, 2)}\u2009% of the area`,
                },
              ]),
          {
            label: 'Method',
            value: result.method === null ? '–' : (methods[result.method] ?? result.method),
            help: methodHelp[result.method ?? ''],
          },
          ...(result.disagreementShare === null
            ? []
            : [
                {
                  label: 'Ray and sphere differ',
                  help: disagreementHelp,
                  value: `${formatNumber(result.disagreementShare * 100, 2)}\u2009% of the area`,
                },
              ]),
          { label: 'Points measured', value: result.count === null ? '–' : formatCount(result.count) },
        ]}
      />
      {result.histogram && (
        <ValueHistogram
          edgesMm={result.histogram.edgesMm}
          amounts={result.histogram.areaMm2}
          markMm={result.minThicknessMm}
        />
      )}
      <PatchesTable
        title="Thin regions"
        caption="Regions below the minimum thickness"
        patches={result.regions}
        count={result.regionCount}
        worst={{ title: 'Thinnest', digits, value: ({ minMm }) => minMm }}
        nameOf={({ number, minMm, areaMm2 }) =>
          `region ${number}: at least ${mm(minMm)}, ${formatQuantity(areaMm2, 'mm²')}`
        }
        pointOf={({ centerMm, thinnestMm }) => thinnestMm ?? centerMm}
        onShowPoint={onShowPoint}
      />
      <Percentiles of="wall thickness" valuesMm={result.percentilesMm} mm={mm} />
    </Stack>
  );
}

export const wallThicknessPage: AnalysisKindPage = {
  icon: IconRulerMeasure,
  purpose:
    'Measures at every point of the surface how thick the wall is, and finds what is thinner than it may be.',
  labels: { ...surfaceLabels, method: methods },
  onlyWhen: { searchAngleDeg: { key: 'method', values: ['ray'] } },
  resultKind: 'wallThickness',
  headline: (metadata) => {
    const { meanMm } = readThicknessMetadata(metadata);
    return meanMm === null ? null : `mean ${formatQuantity(meanMm, 'mm', digitsFor(meanMm))}`;
  },
  Result: Thickness,
};
