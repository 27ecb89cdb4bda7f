import { IconRotate360 } from '@tabler/icons-react';
import { formatMeasured } from '#contract/analyses/quantities.ts';
import { reconstructionFilters, reconstructionPreview } from '#contract/analyses/reconstruction-preview.ts';
import { formatCount, formatNumber, formatQuantities, formatQuantity } from '#contract/base/format-number.ts';
import { type Figure, Figures } from './figures.tsx';
import { type DataObjectOfKind, definePage, type ResultProps } from './kind-page.ts';

type Volume = DataObjectOfKind<typeof reconstructionPreview.makes>;
type Reconstruction = NonNullable<Volume['metadata']['reconstruction']>;

const beams = { cone: 'cone beam', fan: 'fan beam', parallel: 'parallel beam' };
const foundBy = {
  symmetry: 'mirror image of the full turn',
  slice: 'sharpest slice',
  given: 'as given',
  geometry: 'from the geometry; the radiographs do not show it',
};

/** What was done to the radiographs besides. */
function listCorrections(reconstruction: Reconstruction): string[] {
  const { flatField, freeBeamLevel, shortScan, ringCorrection, beamHardening } = reconstruction;
  const { scatterShare = 0, hardeningFound } = reconstruction;
  return [
    ...(flatField ? ['flat field'] : []),
    ...(!flatField && freeBeamLevel !== null ? [`free beam at grey ${formatNumber(freeBeamLevel)}`] : []),
    ...(shortScan ? ['Parker weights'] : []),
    ...(ringCorrection ? ['rings'] : []),
    ...(scatterShare > 0 ? [`scatter ${formatNumber(100 * scatterShare)} % of the free beam`] : []),
    ...(beamHardening > 0 ? [`beam hardening ${formatNumber(beamHardening)}`] : []),
    ...(hardeningFound
      ? [
          `material even to ${formatNumber(100 * hardeningFound.unevennessAfter)} % instead of ${formatNumber(100 * hardeningFound.unevennessBefore)} %`,
        ]
      : []),
  ];
}

function formatCenter({ centerOfRotationMm, centerUncertaintyMm }: Reconstruction): string {
  return formatMeasured(centerOfRotationMm, 'length', centerUncertaintyMm ?? null);
}

function reconstructionFigures(
  { dimensions, voxelSizeMm, range }: Volume['metadata'],
  reconstruction: Reconstruction,
): Figure[] {
  const { detector, projections, coveredAngleDeg, centerColumn, binning, beam } = reconstruction;
  return [
    {
      label: 'Centre of rotation',
      value: formatCenter(reconstruction),
      help: 'Distance of the axis of rotation from the middle of the detector, in its image.',
    },
    {
      label: 'On the detector',
      value: `column ${formatNumber(centerColumn)} of ${formatCount(detector[0])}`,
    },
    { label: 'Found by', value: foundBy[reconstruction.centerFoundBy] },
    {
      label: 'Scan',
      value: `${formatCount(projections)} projections, over ${formatNumber(coveredAngleDeg)}°, ${beams[beam]}`,
    },
    { label: 'Source to axis', value: formatQuantity(reconstruction.sourceToAxisMm, 'mm') },
    { label: 'Source to detector', value: formatQuantity(reconstruction.sourceToDetectorMm, 'mm') },
    { label: 'Volume', value: `${dimensions.join(' × ')} voxels` },
    { label: 'Voxel size', value: formatQuantity(voxelSizeMm[0], 'mm') },
    {
      label: 'Grey values',
      help: 'Attenuation: how strongly each millimetre of material weakens the radiation.',
      value: formatQuantities(range, '/mm', ' to '),
    },
    { label: 'Filter', value: reconstructionFilters[reconstruction.filter] },
    { label: 'Pixels binned', value: `${binning} × ${binning}` },
    { label: 'Corrections', value: listCorrections(reconstruction).join(', ') || 'none' },
  ];
}

function ReconstructionResult({ dataObject: { metadata } }: ResultProps<Volume>) {
  const { reconstruction } = metadata;
  if (!reconstruction) return null;
  return <Figures label="Reconstruction" figures={reconstructionFigures(metadata, reconstruction)} />;
}

export const reconstructionPreviewPage = definePage(reconstructionPreview, {
  icon: IconRotate360,
  headline: ({ dimensions, reconstruction }) =>
    reconstruction
      ? `${dimensions.join(' × ')} voxels, centre at ${formatQuantity(reconstruction.centerOfRotationMm, 'mm')}`
      : null,
  Result: ReconstructionResult,
});
