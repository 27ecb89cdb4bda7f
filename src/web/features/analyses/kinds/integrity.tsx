import { Stack } from '@mantine/core';
import { IconBubble } from '@tabler/icons-react';
import { defectKinds, integrity } from '#contract/analyses/integrity.ts';
import { formatCount, formatNumber, formatQuantity } from '#contract/base/format-number.ts';
import { Figures } from './figures.tsx';
import { type DataObjectOfKind, definePage, type ResultProps } from './kind-page.ts';
import { measuredFigures } from './measured.ts';
import { type PlaceColumn, PlacesTable } from './places-table.tsx';
import { ValueHistogram } from './value-histogram.tsx';

type IntegrityData = DataObjectOfKind<typeof integrity.makes>;
type Defect = IntegrityData['metadata']['defects'][number];

const percent = (share: number) => formatQuantity(share * 100, '%');

const thresholds = {
  iso50: {
    label: 'Threshold, ISO 50',
    // The ISO 50 of a mesh uses only voxels in regions of uniform grey value.
    help: 'Midway between the peaks of air and material in the histogram of all voxels. A mesh leaves out the voxels at edges, so that its ISO 50 differs a little where walls are thin.',
  },
  otsu: {
    label: 'Threshold, Otsu',
    help: 'The grey value that splits the histogram into the two most uniform groups.',
  },
  value: { label: 'Threshold, as given', help: undefined },
  local: {
    label: 'Threshold, local',
    help: 'Midway between air and material around each place; the value shown is the mean over the surface.',
  },
};

function Integrity({ dataObject: { metadata: result }, onShowPoint }: ResultProps<IntegrityData>) {
  return (
    <Stack gap="sm">
      <Figures
        label="Integrity"
        figures={[
          ...measuredFigures(integrity, result),
          { ...thresholds[result.thresholdMode], value: `grey ${formatNumber(result.threshold)}` },
        ]}
      />
      {result.sizeDistribution && (
        <ValueHistogram
          edgesMm={result.sizeDistribution.edgesMm}
          amounts={result.sizeDistribution.counts}
          amountOf="defects"
          quantity="equivalent diameter"
          markMm={result.detectionLimitMm}
        />
      )}
      <Defects result={result} onShowPoint={onShowPoint} />
    </Stack>
  );
}

const describeKind = ({ kind, surfaceConnected, cutAt }: Defect) =>
  `${defectKinds[kind]}${cutAt ? ', cut' : surfaceConnected ? ', open' : ''}`;

const columns: PlaceColumn<Defect>[] = [
  { title: 'No.', value: ({ id }) => id },
  { title: 'Volume', unit: 'mm³', value: ({ volumeMm3 }) => volumeMm3 },
  {
    title: 'Diameter',
    unit: 'mm',
    value: ({ equivalentDiameterMm }) => equivalentDiameterMm,
    mark: ({ belowDetectionLimit }) => (belowDetectionLimit ? '< limit' : null),
  },
  { title: 'To surface', unit: 'mm', value: ({ distanceToSurfaceMm }) => distanceToSurfaceMm },
  {
    title: 'Probability',
    unit: '%',
    value: ({ probability }) => (probability == null ? null : 100 * probability),
  },
  { title: 'Significance', minor: true, value: ({ significance }) => significance ?? null },
  { title: 'Sphericity', minor: true, value: ({ sphericity }) => sphericity },
];
const kindColumn: PlaceColumn<Defect> = { title: 'Kind', value: describeKind };

interface DefectsProps {
  result: IntegrityData['metadata'];
  onShowPoint: ResultProps['onShowPoint'];
}

/** The largest defects; selecting one moves the viewer to it. */
function Defects({ result, onShowPoint }: DefectsProps) {
  const { defects, defectCount } = result;
  // A column with the same kind in every row would only take space.
  const several = new Set(defects.map(describeKind)).size > 1;
  return (
    <PlacesTable
      title="Defects"
      caption="Defects, largest first"
      rows={defects}
      count={defectCount}
      columns={several ? columns.toSpliced(1, 0, kindColumn) : columns}
      getKey={({ id }) => String(id)}
      getName={({ id }) => `defect ${id}`}
      getPoint={({ centerMm }) => centerMm}
      filter={{ label: 'Kind', of: describeKind }}
      onShowPoint={onShowPoint}
    />
  );
}

export const integrityPage = definePage(integrity, {
  icon: IconBubble,
  headline: ({ porosity, defectCount }) =>
    `${percent(porosity)} porosity, ${formatCount(defectCount)} defects`,
  Result: Integrity,
});
