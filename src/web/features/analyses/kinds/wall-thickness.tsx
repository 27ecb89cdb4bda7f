import { Stack } from '@mantine/core';
import { IconRulerMeasure } from '@tabler/icons-react';
import { thicknessMethods, wallThickness } from '#contract/analyses/wall-thickness.ts';
import { formatCount, formatQuantity } from '#contract/base/format-number.ts';
import { Figures } from './figures.tsx';
import { type DataObjectOfKind, definePage, type ResultProps } from './kind-page.ts';
import { measuredFigures } from './measured.ts';
import { PlacesTable } from './places-table.tsx';
import { ValueHistogram } from './value-histogram.tsx';

const methodHelp = {
  sphere: 'Diameter of the largest sphere that fits into the material and touches the surface at the point.',
  ray: 'Distance to the opposite surface, against the surface’s normal.',
};

function Thickness({
  dataObject: { metadata: result },
  onShowPoint,
}: ResultProps<DataObjectOfKind<typeof wallThickness.makes>>) {
  const mm = (value: number) => formatQuantity(value, 'mm');
  return (
    <Stack gap="sm">
      <Figures
        label="Wall thickness"
        figures={[
          ...measuredFigures(wallThickness, result),
          { label: 'Method', value: thicknessMethods[result.method], help: methodHelp[result.method] },
          { label: 'Points measured', value: formatCount(result.count) },
        ]}
      />
      <ValueHistogram
        edgesMm={result.histogram.edgesMm}
        amounts={result.histogram.areaMm2}
        markMm={result.minThicknessMm}
      />
      <PlacesTable
        title="Thin regions"
        caption="Regions below the minimum thickness"
        rows={result.regions.map((region, index) => ({ ...region, number: index + 1 }))}
        count={result.regionCount}
        columns={[
          { title: 'No.', value: ({ number }) => number },
          { title: 'Thinnest', unit: 'mm', value: ({ minMm }) => minMm },
          { title: 'Area', unit: 'mm²', value: ({ areaMm2 }) => areaMm2 },
        ]}
        getKey={({ number }) => String(number)}
        getName={({ number, minMm, areaMm2 }) =>
          `region ${number}: at least ${mm(minMm)}, ${formatQuantity(areaMm2, 'mm²')}`
        }
        getPoint={({ centerMm, thinnestMm }) => thinnestMm ?? centerMm}
        onShowPoint={onShowPoint}
      />
      <Figures
        title="Percentiles, by area"
        label="Percentiles of wall thickness"
        figures={measuredFigures(wallThickness, result, 'percentiles')}
      />
    </Stack>
  );
}

export const wallThicknessPage = definePage(wallThickness, {
  icon: IconRulerMeasure,
  headline: ({ meanMm }) => `mean ${formatQuantity(meanMm, 'mm')}`,
  Result: Thickness,
});
