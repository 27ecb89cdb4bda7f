import { Alert } from '@mantine/core';
import { IconRotate360 } from '@tabler/icons-react';
import { formatCount, formatNumber, formatQuantity } from '#web/ui/quantity.ts';
import { Figures } from './figures.tsx';
import type { AnalysisKindPage, ResultProps } from './kind-page.ts';
import { isReconstruction, readReconstruction } from './reconstruction-result.ts';

const filters = {
  ramLak: 'Ram-Lak (sharpest)',
  sheppLogan: 'Shepp-Logan',
  cosine: 'Cosine',
  hamming: 'Hamming',
  hann: 'Hann (smoothest)',
};
const beams: Record<string, string> = { cone: 'cone beam', fan: 'fan beam', parallel: 'parallel beam' };
const foundBy: Record<string, string> = {
  symmetry: 'mirror image of the full turn',
  slice: 'sharpest slice',
  given: 'as given',
  geometry: 'as the geometry says; the radiographs do not tell',
};
const orDash = (value: number | null | undefined, unit: string, digits = 3) =>
  value === null || value === undefined ? '–' : formatQuantity(value, unit, digits);

function ReconstructionResult({ dataObject }: ResultProps) {
  const { dimensions, voxelSizeMm, range, warnings, reconstruction } = readReconstruction(
    dataObject.metadata,
  );
  const { detector, projections, coveredAngleDeg, centerColumn } = reconstruction;
  const scan = [
    projections ? `${formatCount(projections)} projections` : null,
    coveredAngleDeg ? `over ${formatNumber(coveredAngleDeg)}°` : null,
    beams[reconstruction.beam ?? ''] ?? null,
  ].filter((words) => words !== null);
  const corrections = [
    reconstruction.flatField
      ? 'flat field'
      : reconstruction.freeBeamLevel
        ? `free beam at grey ${formatNumber(reconstruction.freeBeamLevel, 0)}`
        : null,
    reconstruction.shortScan ? 'Parker weights' : null,
    reconstruction.ringCorrection ? 'rings' : null,
    reconstruction.beamHardening ? `beam hardening ${formatNumber(reconstruction.beamHardening, 3)}` : null,
  ].filter((words) => words !== null);
  return (
    <>
      {warnings.length > 0 && (
        <Alert color="yellow" variant="light" mb="sm" title="To be looked at">
          {warnings.join(' ')}
        </Alert>
      )}
      <Figures
        label="Reconstruction"
        figures={[
          {
            label: 'Centre of rotation',
            value: orDash(reconstruction.centerOfRotationMm, 'mm', 4),
            help: 'How far the image of the axis lies from the middle of the detector.',
          },
          {
            label: 'On the detector',
            value:
              centerColumn === null || centerColumn === undefined
                ? '–'
                : `column ${formatNumber(centerColumn, 2)}${detector ? ` of ${formatCount(detector[0])}` : ''}`,
          },
          { label: 'How it was found', value: foundBy[reconstruction.centerFoundBy ?? ''] ?? '–' },
          { label: 'Scan', value: scan.join(', ') || '–' },
          { label: 'Source to axis', value: orDash(reconstruction.sourceToAxisMm, 'mm') },
          { label: 'Source to detector', value: orDash(reconstruction.sourceToDetectorMm, 'mm') },
          { label: 'Volume', value: dimensions ? `${dimensions.join(' × ')} voxels` : '–' },
          { label: 'Voxel size', value: orDash(voxelSizeMm?.[0], 'mm', 4) },
          {
            label: 'Grey values',
            help: 'Attenuation: how much of the radiation each millimetre of material takes away.',
            value: range ? `${formatNumber(range[0], 4)} to ${formatNumber(range[1], 4)}\u2009/mm` : '–',
          },
          {
            label: 'Filter',
            value: filters[reconstruction.filter as keyof typeof filters] ?? '–',
          },
          {
            label: 'Pixels binned',
            value: reconstruction.binning ? `${reconstruction.binning} × ${reconstruction.binning}` : '–',
          },
          { label: 'Corrections', value: corrections.join(', ') || 'none' },
        ]}
      />
    </>
  );
}

export const reconstructionPreviewPage: AnalysisKindPage = {
  icon: IconRotate360,
  purpose:
    'Makes a volume of the radiographs by filtered back-projection, at a resolution that is quick to look at, and finds the centre of rotation on the way.',
  labels: { filter: filters },
  onlyWhen: {},
  resultKind: 'volume',
  shows: isReconstruction,
  headline: (metadata) => {
    const { dimensions, reconstruction } = readReconstruction(metadata);
    const center = reconstruction.centerOfRotationMm;
    if (!dimensions) return null;
    const size = `${dimensions.join(' × ')} voxels`;
    return center === null || center === undefined
      ? size
      : `${size}, centre at ${formatQuantity(center, 'mm', 3)}`;
  },
  Result: ReconstructionResult,
};
