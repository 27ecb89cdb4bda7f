import { Group, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { RestsOn } from '#contract/analyses/scan-finding.ts';
import { explainNoContrast, listFindings } from '#contract/analyses/scan-findings.ts';
import { formatNumber, formatQuantity } from '#contract/base/format-number.ts';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import classes from './data-objects.module.css';
import { FindingPicture, type Grid } from './finding-picture.tsx';
import { RowsTable } from './rows-table.tsx';

/** The results that a finding affects, named like the analyses. */
const numbers: Record<RestsOn, string> = {
  surface: 'Mesh',
  walls: 'Wall thickness',
  defects: 'Integrity',
  deviation: 'CAD comparison',
  pose: 'Alignment',
};

/** The most important quality figures of a scan. */
function listFigures(quality: ScanQuality, { voxelSizeMm }: Grid) {
  const { hasContrast, contrastToNoise, blurVoxels, materials, featureVoxels, smallestVoidVoxels } = quality;
  const edgeMm = Math.max(...voxelSizeMm);
  const describeSize = (voxels: number) =>
    `${formatNumber(voxels, 1)} voxels (${formatQuantity(voxels * edgeMm, 'mm')})`;
  return [
    {
      label: 'Contrast to noise',
      value: contrastToNoise === null ? 'no noise' : formatNumber(contrastToNoise, 1),
    },
    ...(blurVoxels === null ? [] : [{ label: 'Edge blur', value: `${formatNumber(blurVoxels, 2)} voxels` }]),
    ...(!hasContrast || featureVoxels === undefined
      ? []
      : [
          {
            label: 'Thinnest 5 % of the part',
            value: featureVoxels === null ? 'over 8 voxels' : describeFeature(featureVoxels, describeSize),
          },
        ]),
    ...(smallestVoidVoxels == null
      ? []
      : [
          {
            label: 'Smallest void',
            value: `${describeSize(smallestVoidVoxels)}: about half of these are found; smaller ones are left out of the porosity`,
          },
        ]),
    { label: 'Materials', value: String(materials.length) },
    ...(materials.length > 1
      ? materials.map(({ grey, share }, index) => ({
          label: `Material ${index + 1}`,
          value: `grey value ${formatNumber(grey, 0)}, ${formatQuantity(100 * share, '%')}`,
        }))
      : []),
    ...(quality.unseen ? [{ label: 'Outside the view', value: describeUnseen(quality.unseen) }] : []),
  ];
}

/** Describes the region outside the field of view and how it is treated. */
const describeUnseen = ({ value, radiusVoxels }: NonNullable<ScanQuality['unseen']>): string =>
  `grey value ${formatNumber(value, 0)} ${radiusVoxels === null ? 'in whole slices at the ends' : 'beyond a circle'}: no data; counts as air`;

/** Describes how features of this size in voxels affect the results. */
const describeFeature = (voxels: number, describeSize: (voxels: number) => string): string =>
  `under ${describeSize(voxels)}: ${
    voxels < 4
      ? 'wall thickness and volume there may be off by a voxel'
      : 'wall thickness there is accurate to a few tenths of a voxel'
  }`;

interface QualityCardProps {
  dataObjectId: string;
  volume: Grid;
  quality: ScanQuality;
}

/** Findings about the scan that limit measurements on it, which measurements they affect, and a picture of each. */
export function QualityCard({ dataObjectId, volume, quality }: QualityCardProps) {
  const findings = listFindings(quality);
  const picture = { dataObjectId, grid: volume, quality };
  return (
    <div className={classes.section}>
      <Title order={3} size="h3" mb={4}>
        Scan quality
      </Title>
      {!quality.hasContrast && (
        <Finding
          isSevere
          found={explainNoContrast(quality)}
          picture={<FindingPicture {...picture} name={undefined} alt={explainNoContrast(quality)} />}
        />
      )}
      {quality.hasContrast && findings.length === 0 && (
        <Group gap={6} wrap="nowrap" mb={4}>
          <IconCircleCheck size={16} aria-hidden color="var(--mantine-color-dimmed)" />
          <Text size="sm">Nothing found that would affect measurements.</Text>
        </Group>
      )}
      {findings.map(({ code, found, effects, shownBy }) => {
        const listed = (Object.keys(numbers) as RestsOn[]).flatMap((key) => {
          const effect = effects[key];
          return effect ? [{ key, ...effect }] : [];
        });
        return (
          <Finding
            key={code}
            isSevere={listed.some(({ invalidates }) => invalidates)}
            found={found}
            picture={<FindingPicture {...picture} name={shownBy} alt={found} />}
          >
            <ul className={classes.effects}>
              {listed.map(({ key, consequence, invalidates }) => (
                <li key={key}>
                  <Text span size="xs" fw={500}>
                    {numbers[key]}:
                  </Text>{' '}
                  <Text span size="xs" c="dimmed">
                    {consequence}
                    {invalidates && ' Gates on it are indeterminate.'}
                  </Text>
                </li>
              ))}
            </ul>
          </Finding>
        );
      })}
      <RowsTable label="Scan quality" rows={listFigures(quality, volume)} />
    </div>
  );
}

interface FindingProps {
  isSevere: boolean;
  found: string;
  picture: ReactNode;
  children?: ReactNode;
}

function Finding({ isSevere, found, picture, children }: FindingProps) {
  const Icon = isSevere ? IconCircleX : IconAlertTriangle;
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" mb={10}>
      <Icon
        size={16}
        aria-hidden
        style={{ flex: 'none', marginTop: 2 }}
        color={isSevere ? 'var(--sw-danger)' : 'var(--mantine-color-dimmed)'}
      />
      <div className={classes.finding}>
        {picture}
        <div>
          <Text size="sm">{found}</Text>
          {children}
        </div>
      </div>
    </Group>
  );
}
