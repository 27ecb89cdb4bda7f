import { Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { IconRulerMeasure } from '@tabler/icons-react';
import { formatCount, formatNumber, formatQuantity } from '#web/ui/quantity.ts';
import { AreaHistogram } from './area-histogram.tsx';
import { Figures } from './figures.tsx';
import type { AnalysisKindPage, ResultProps } from './kind-page.ts';
import classes from './regions.module.css';
import {
  digitsFor,
  percentileNames,
  readThicknessMetadata,
  type ThicknessRegion,
} from './thickness-result.ts';

const labels = { 'surface.mode': { iso50: 'ISO 50', otsu: 'Otsu', value: 'Grey value' } };
const methods: Record<string, string> = { sphere: 'Sphere', ray: 'Ray' };

function Thickness({ dataObject, onShowPoint }: ResultProps) {
  const result = readThicknessMetadata(dataObject.metadata);
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
          },
          ...(result.disagreementShare === null
            ? []
            : [
                {
                  label: 'Ray and sphere differ',
                  value: `${formatNumber(result.disagreementShare * 100, 2)}\u2009% of the area`,
                },
              ]),
          { label: 'Points', value: result.count === null ? '–' : formatCount(result.count) },
        ]}
      />
      {result.histogram && (
        <AreaHistogram
          edgesMm={result.histogram.edgesMm}
          areaMm2={result.histogram.areaMm2}
          markMm={result.minThicknessMm}
        />
      )}
      <section aria-label="Percentiles">
        <Title order={3} size="h3" mb={4}>
          Percentiles, by area
        </Title>
        <Figures
          label="Percentiles of wall thickness"
          figures={percentileNames.map((name) => ({
            label: `${name.slice(1)}\u2009%`,
            value: mm(result.percentilesMm[name]),
          }))}
        />
      </section>
      <Regions regions={result.regions} mm={mm} onShowPoint={onShowPoint} />
    </Stack>
  );
}

interface RegionsProps {
  regions: readonly ThicknessRegion[];
  mm: (value: number | null) => string;
  onShowPoint: ResultProps['onShowPoint'];
}

/** Connected regions below the minimum, the largest first; pressing one moves the viewer there. */
function Regions({ regions, mm, onShowPoint }: RegionsProps) {
  if (regions.length === 0) return null;
  return (
    <section aria-label="Thin regions">
      <Title order={3} size="h3" mb={4}>
        Thin regions{' '}
        <Text span c="dimmed">
          {formatCount(regions.length)}
        </Text>
      </Title>
      <ul className={classes.regions}>
        {regions.slice(0, 100).map((region, index) => {
          const text = (
            <>
              <span>{index + 1}</span>
              <span>{mm(region.minMm)}</span>
              <span>{formatQuantity(region.areaMm2, 'mm²')}</span>
            </>
          );
          return (
            <li key={region.centerMm.join(' ')}>
              {onShowPoint ? (
                <UnstyledButton
                  className={classes.region}
                  onClick={() => onShowPoint(region.centerMm)}
                  aria-label={`Show region ${index + 1}: at least ${mm(region.minMm)}, ${formatQuantity(region.areaMm2, 'mm²')}`}
                >
                  {text}
                </UnstyledButton>
              ) : (
                <div className={classes.region}>{text}</div>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

export const wallThicknessPage: AnalysisKindPage = {
  icon: IconRulerMeasure,
  purpose:
    'Measures at every point of the surface how thick the wall is, and finds what is thinner than it may be.',
  labels: { ...labels, method: methods },
  onlyWhen: { searchAngleDeg: { key: 'method', values: ['ray'] } },
  resultKind: 'wallThickness',
  headline: (metadata) => {
    const { meanMm } = readThicknessMetadata(metadata);
    return meanMm === null ? null : `mean ${formatQuantity(meanMm, 'mm', digitsFor(meanMm))}`;
  },
  Result: Thickness,
};
