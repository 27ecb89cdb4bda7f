import { Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { IconBubble } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCount, formatNumber, formatQuantity } from '#web/ui/quantity.ts';
import { Figures } from './figures.tsx';
import classes from './integrity.module.css';
import { readIntegrityMetadata, type SortKey, sortDefects, thresholdLabel } from './integrity-result.ts';
import type { AnalysisKindPage, ResultProps } from './kind-page.ts';

const kinds: Record<string, string> = { porosity: 'Porosity', inclusion: 'Inclusion', crack: 'Crack' };
const percent = (share: number) => `${formatNumber(share * 100, 3)}\u2009%`;
const count = (value: number | null) => (value === null ? '–' : formatCount(value));

function Integrity({ dataObject, onShowPoint }: ResultProps) {
  const result = readIntegrityMetadata(dataObject.metadata);
  const band = result.porosityBand;
  return (
    <Stack gap="sm">
      <Figures
        label="Integrity"
        figures={[
          { label: 'Porosity', value: result.porosity === null ? '–' : percent(result.porosity) },
          {
            label: 'Porosity over the threshold’s uncertainty',
            value: band ? `${percent(band[0])} … ${percent(band[1])}` : '–',
          },
          { label: thresholdLabel(result), value: formatNumber(result.threshold) },
          { label: 'Defects', value: count(result.defectCount) },
          { label: 'Below the detection limit', value: count(result.belowDetectionLimitCount) },
          { label: 'Open to the surface', value: count(result.surfaceConnectedCount) },
          { label: 'Void volume', value: formatQuantity(result.voidVolumeMm3, 'mm³') },
          { label: 'Material volume', value: formatQuantity(result.materialVolumeMm3, 'mm³') },
          { label: 'Largest defect', value: formatQuantity(result.largestVolumeMm3, 'mm³') },
          { label: 'Detection limit', value: formatQuantity(result.detectionLimitMm, 'mm') },
        ]}
      />
      {result.sizeDistribution && <Sizes {...result.sizeDistribution} />}
      <Defects result={result} onShowPoint={onShowPoint} />
    </Stack>
  );
}

function Sizes({ edgesMm, counts }: { edgesMm: number[]; counts: number[] }) {
  const most = Math.max(...counts, 1);
  const largest = edgesMm[edgesMm.length - 1];
  const peak = counts.indexOf(most);
  const summary = `Number of defects by equivalent diameter, up to ${formatQuantity(largest, 'mm')}; most, ${formatCount(counts[peak] ?? 0)}, from ${formatNumber(edgesMm[peak])} to ${formatQuantity(edgesMm[peak + 1], 'mm')}.`;
  return (
    <section aria-label="Sizes">
      <svg
        className={classes.bars}
        viewBox={`0 0 ${counts.length} 1`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        {counts.map((each, bin) => (
          <rect key={edgesMm[bin]} x={bin + 0.06} width={0.88} y={1 - each / most} height={each / most} />
        ))}
      </svg>
      <Text size="xs" c="dimmed">
        Number by equivalent diameter, 0 to {formatQuantity(largest, 'mm')}
      </Text>
    </section>
  );
}

const columns: { key: SortKey; title: string; unit: string }[] = [
  { key: 'volumeMm3', title: 'Volume', unit: 'mm³' },
  { key: 'equivalentDiameterMm', title: 'Diameter', unit: 'mm' },
  { key: 'distanceToSurfaceMm', title: 'To surface', unit: 'mm' },
  { key: 'sphericity', title: 'Sphericity', unit: '' },
];

interface DefectsProps {
  result: ReturnType<typeof readIntegrityMetadata>;
  onShowPoint: ResultProps['onShowPoint'];
}

/** The largest defects; pressing a number moves the viewer there. */
function Defects({ result, onShowPoint }: DefectsProps) {
  const [{ key, descending }, setOrder] = useState<{ key: SortKey; descending: boolean }>({
    key: 'volumeMm3',
    descending: true,
  });
  if (result.defects.length === 0) return null;
  const sortBy = (wanted: SortKey) =>
    setOrder({ key: wanted, descending: wanted === key ? !descending : true });
  return (
    <section aria-label="Defects">
      <Title order={3} size="h3" mb={4}>
        {result.defects.length === result.defectCount ? 'Defects' : 'Largest defects'}{' '}
        <Text span c="dimmed">
          {formatCount(result.defects.length)}
        </Text>
      </Title>
      <div className={classes.scroll}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">No.</th>
              <th scope="col">Kind</th>
              {columns.map((column) => (
                <th
                  key={column.key}
                  scope="col"
                  aria-sort={column.key !== key ? 'none' : descending ? 'descending' : 'ascending'}
                >
                  <UnstyledButton fz="sm" onClick={() => sortBy(column.key)}>
                    {column.title}
                  </UnstyledButton>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sortDefects(result.defects, key, descending).map((defect) => (
              <tr key={defect.id}>
                <td>
                  {onShowPoint ? (
                    <UnstyledButton
                      fz="sm"
                      td="underline"
                      onClick={() => onShowPoint(defect.centerMm)}
                      aria-label={`Show defect ${defect.id}`}
                    >
                      {defect.id}
                    </UnstyledButton>
                  ) : (
                    defect.id
                  )}
                </td>
                <td>
                  {kinds[defect.kind] ?? defect.kind}
                  {defect.surfaceConnected ? ', open' : ''}
                  {defect.belowDetectionLimit ? ', below limit' : ''}
                </td>
                {columns.map((column) => (
                  <td key={column.key}>{formatQuantity(defect[column.key], column.unit)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export const integrityPage: AnalysisKindPage = {
  icon: IconBubble,
  purpose:
    'Finds pores, inclusions and cracks, and measures each of them and what share of the part they are.',
  labels: { kinds, 'threshold.mode': { iso50: 'ISO 50', otsu: 'Otsu', value: 'Grey value' } },
  onlyWhen: {},
  resultKind: 'integrity',
  headline: (metadata) => {
    const { porosity, defectCount } = readIntegrityMetadata(metadata);
    return porosity === null ? null : `${percent(porosity)} porosity, ${count(defectCount)} defects`;
  },
  Result: Integrity,
};
