import { Stack } from '@mantine/core';
import { IconBubble } from '@tabler/icons-react';
import { useMemo } from 'react';
import { formatCount, formatNumber, formatQuantity } from '#web/ui/quantity.ts';
import { Figures } from './figures.tsx';
import {
  type IntegrityMetadata,
  type ListedDefect,
  readIntegrityMetadata,
  thresholdHelp,
  thresholdLabel,
} from './integrity-result.ts';
import type { AnalysisKindPage, ResultProps } from './kind-page.ts';
import { type PlaceColumn, PlacesTable } from './places-table.tsx';
import { airFromMaterial } from './surface-words.ts';
import { ValueHistogram } from './value-histogram.tsx';

const kinds: Record<string, string> = { porosity: 'Porosity', inclusion: 'Inclusion', crack: 'Crack' };
const percent = (share: number) => `${formatNumber(share * 100, 3)}\u2009%`;
const count = (value: number | null) => (value === null ? '–' : formatCount(value));

function Integrity({ dataObject, onShowPoint }: ResultProps) {
  const result = useMemo(() => readIntegrityMetadata(dataObject.metadata), [dataObject.metadata]);
  const band = result.porosityBand;
  return (
    <Stack gap="sm">
      <Figures
        label="Integrity"
        figures={[
          { label: 'Porosity', value: result.porosity === null ? '–' : percent(result.porosity) },
          {
            label: 'Porosity band',
            value: band ? `${formatNumber(band[0] * 100, 3)} to ${percent(band[1])}` : '–',
            help: 'What the porosity would be with the threshold off by its uncertainty, down and up: half of what ISO 50 and Otsu differ by, at least 2 % of the contrast.',
          },
          {
            label: thresholdLabel(result),
            value: result.threshold === null ? '–' : `grey ${formatNumber(result.threshold)}`,
            help: thresholdHelp(result),
          },
          { label: 'Defects', value: count(result.defectCount) },
          {
            label: 'Below detection limit',
            value: count(result.belowDetectionLimitCount),
            help: 'Defects with a smaller diameter than can be told from noise: they are listed, but do not count on one of them alone.',
          },
          {
            label: 'Open to the surface',
            value: count(result.surfaceConnectedCount),
            help: 'Hollows that reach the outside through an opening too narrow for the ball that is rolled over the part.',
          },
          { label: 'Void volume', value: formatQuantity(result.voidVolumeMm3, 'mm³') },
          { label: 'Material volume', value: formatQuantity(result.materialVolumeMm3, 'mm³') },
          { label: 'Largest defect', value: formatQuantity(result.largestVolumeMm3, 'mm³') },
          {
            label: 'Detection limit',
            value: formatQuantity(result.detectionLimitMm, 'mm'),
            help: 'Three voxels: the smallest diameter that a defect of this scan can be told by.',
          },
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

const kindOf = (defect: ListedDefect) =>
  [kinds[defect.kind] ?? defect.kind, defect.surfaceConnected ? 'open' : null]
    .filter((word) => word !== null)
    .join(', ');

const columns: PlaceColumn<ListedDefect>[] = [
  { title: 'No.', value: ({ id }) => id },
  { title: 'Volume', unit: 'mm³', value: ({ volumeMm3 }) => volumeMm3 },
  {
    title: 'Diameter',
    unit: 'mm',
    digits: 3,
    value: ({ equivalentDiameterMm }) => equivalentDiameterMm,
    show: ({ equivalentDiameterMm, belowDetectionLimit }) =>
      `${belowDetectionLimit ? '< limit ' : ''}${formatNumber(equivalentDiameterMm, 3)}`,
  },
  { title: 'To surface', unit: 'mm', digits: 2, value: ({ distanceToSurfaceMm }) => distanceToSurfaceMm },
  { title: 'Sphericity', minor: true, digits: 2, value: ({ sphericity }) => sphericity },
];
const kindColumn: PlaceColumn<ListedDefect> = { title: 'Kind', value: kindOf };

interface DefectsProps {
  result: IntegrityMetadata;
  onShowPoint: ResultProps['onShowPoint'];
}

/** The largest defects; choosing one leads the viewer there. */
function Defects({ result, onShowPoint }: DefectsProps) {
  const { defects, defectCount } = result;
  // Where all are of one kind, a column that says so only takes room.
  const several = new Set(defects.map(kindOf)).size > 1;
  const [number, ...measures] = columns;
  return (
    <PlacesTable
      title="Defects"
      caption="Defects, the largest first"
      rows={defects}
      count={defectCount}
      columns={several ? [number, kindColumn, ...measures] : columns}
      keyOf={({ id }) => String(id)}
      nameOf={({ id }) => `defect ${id}`}
      pointOf={({ centerMm }) => centerMm}
      filter={{ label: 'Kind', of: kindOf }}
      onShowPoint={onShowPoint}
    />
  );
}

export const integrityPage: AnalysisKindPage = {
  icon: IconBubble,
  purpose:
    'Finds pores, inclusions and cracks, and measures each of them and what share of the part they are.',
  labels: { kinds, 'threshold.mode': airFromMaterial },
  onlyWhen: {},
  resultKind: 'integrity',
  headline: (metadata) => {
    const { porosity, defectCount } = readIntegrityMetadata(metadata);
    return porosity === null ? null : `${percent(porosity)} porosity, ${count(defectCount)} defects`;
  },
  Result: Integrity,
};
