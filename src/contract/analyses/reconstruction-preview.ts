import { z } from 'zod';
import { formatCount, formatNumber, formatQuantities, formatQuantity } from '../base/format-number.ts';
import { Uuid } from '../base/primitives.ts';
import { beams } from '../metadata/radiographs.ts';
import { volumeFacts } from '../metadata/volume.ts';
import { declareAnalysis, type Fact } from './declaration.ts';
import { formatMeasured } from './quantities.ts';
import { choice } from './shared-parameters.ts';

export const reconstructionFilters = {
  ramLak: 'Ram-Lak (sharpest)',
  sheppLogan: 'Shepp-Logan',
  cosine: 'Cosine',
  hamming: 'Hamming',
  hann: 'Hann (smoothest)',
} as const;
const Filter = choice(reconstructionFilters);

const Parameters = z
  .strictObject({
    sourceDataObjectId: Uuid.optional().meta({
      title: 'Radiographs',
      description: 'default: the newest of the project',
    }),
    maxDimension: z.int().min(16).max(1024).default(256).meta({
      title: 'Largest dimension',
      description: 'of the longest edge of the volume; the others follow the part',
      'x-unit': 'voxels',
    }),
    filter: Filter.default('ramLak').meta({
      title: 'Filter',
      description:
        'removes the blur of back-projection; a smoother filter leaves less noise and less fine detail',
    }),
    centerOfRotationMm: z.number().optional().meta({
      title: 'Centre of rotation',
      description:
        'on the detector, from its middle; default: from the geometry, or measured where that does not give it',
      'x-unit': 'mm',
    }),
    ringCorrection: z.boolean().default(false).meta({
      title: 'Ring correction',
      description: 'removes marks that single detector pixels leave in every projection',
      'x-advanced': true,
    }),
    findBeamHardening: z.boolean().default(false).meta({
      title: 'Correct beam hardening',
      description:
        'finds the correction that makes the grey values of the material most uniform; for parts of one material',
    }),
    beamHardening: z.number().min(0).max(1).optional().meta({
      title: 'Beam hardening',
      description:
        'b of the correction p + b · p² of the line integrals p, instead of one that is found; 0 = none',
      'x-advanced': true,
    }),
    scatterShare: z.number().min(0).max(0.9).optional().meta({
      title: 'Scatter',
      description: 'share of the free beam that reaches every pixel as scatter and is subtracted; 0 = none',
      'x-advanced': true,
    }),
  })
  .meta({ id: 'ReconstructionPreviewParameters' });

const Pair = z.tuple([z.number(), z.number()]);

const Reconstruction = z.object({
  beam: z.enum(beams),
  projections: z.int().meta({ description: 'number of projections used' }),
  detector: Pair.meta({ description: 'number of columns and rows' }),
  pixelSizeMm: Pair.meta({ description: 'width and height of a detector pixel' }),
  sourceToAxisMm: z.number().nullable().meta({ description: 'null for a parallel beam' }),
  sourceToDetectorMm: z.number().nullable().meta({ description: 'null for a parallel beam' }),
  coveredAngleDeg: z.number().meta({ description: 'angular range of the projections' }),
  shortScan: z.boolean().meta({ description: 'true: less than a full turn, weighted accordingly' }),
  centerOfRotationMm: z
    .number()
    .meta({ description: 'distance of the rotation axis from the middle of the detector, in its image' }),
  centerColumn: z.number().meta({ description: 'detector column of the rotation axis' }),
  centerFoundBy: z.enum(['symmetry', 'slice', 'given', 'geometry']),
  centerMismatch: z.number().nullable().meta({
    description:
      'remaining difference of mirrored projections, as a share of their content; 0: none; null when not measured',
  }),
  centerUncertaintyMm: z.number().nullable().optional().meta({
    description: 'expanded uncertainty (k = 2) of a measured centre; null for one that was not measured',
  }),
  filter: Filter,
  binning: z.int().meta({ description: 'number of detector pixels averaged along each direction' }),
  beamHardening: z.number().meta({ description: 'coefficient b of the correction p + b · p²; 0: none' }),
  hardeningFound: z
    .object({ unevennessBefore: z.number(), unevennessAfter: z.number() })
    .nullable()
    .optional()
    .meta({
      description:
        'when the correction was determined automatically: standard deviation of the material’s grey values over their mean, without and with it; otherwise null',
    }),
  edgesInwardVoxels: z.number().optional().meta({
    description:
      'estimated inward shift of edges caused by blur in the radiographs, in voxels; absent for volumes made by earlier versions',
  }),
  scatterShare: z
    .number()
    .optional()
    .meta({ description: 'share of the free beam subtracted as scatter (0–1)' }),
  ringCorrection: z.boolean().meta({ description: 'true: rings were removed' }),
  flatField: z.boolean().meta({ description: 'true: flat-field images were used' }),
  darkField: z.boolean().meta({ description: 'true: dark images were used' }),
  freeBeamLevel: z.number().nullable().meta({
    description: 'grey value taken as the free beam; null with flat-field images or line integrals',
  }),
  fieldOfViewRadiusMm: z
    .number()
    .meta({ description: 'radius of the field of view around the rotation axis' }),
});

const Result = z.object({
  ...volumeFacts,
  unit: z.literal('1/mm').meta({ description: 'unit of the grey values (attenuation)' }),
  reconstruction: Reconstruction,
});

const beamNames = { cone: 'cone beam', fan: 'fan beam', parallel: 'parallel beam' };
const foundBy = {
  symmetry: 'mirror image of the full turn',
  slice: 'sharpest slice',
  given: 'as given',
  geometry: 'from the geometry; the radiographs do not show it',
};

/** Corrections applied to the radiographs. */
function listCorrections(reconstruction: z.infer<typeof Reconstruction>): string[] {
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

/** How the volume was made. */
function listFacts({ dimensions, voxelSizeMm, range, reconstruction }: z.infer<typeof Result>): Fact[] {
  const { detector, projections, coveredAngleDeg, centerColumn, binning, beam } = reconstruction;
  const { centerOfRotationMm, centerUncertaintyMm } = reconstruction;
  return [
    {
      label: 'Centre of rotation',
      value: formatMeasured(centerOfRotationMm, 'length', centerUncertaintyMm ?? null),
      help: 'Distance of the axis of rotation from the middle of the detector, in its image.',
    },
    {
      label: 'On the detector',
      value: `column ${formatNumber(centerColumn)} of ${formatCount(detector[0])}`,
    },
    { label: 'Found by', value: foundBy[reconstruction.centerFoundBy] },
    {
      label: 'Scan',
      value: `${formatCount(projections)} projections, over ${formatNumber(coveredAngleDeg)}°, ${beamNames[beam]}`,
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

export const reconstructionPreview = declareAnalysis({
  key: 'runReconstructionPreview',
  statusKey: 'reconstructionPreview',
  title: 'Reconstruction preview',
  purpose: 'Volume from radiographs, at a resolution for a quick look',
  help: 'Reconstructs a volume from the radiographs by filtered back-projection, at a resolution for a quick look, and finds the centre of rotation.',
  module: { key: 'reconstruction', name: 'Reconstruction' },
  stepKey: 'preview',
  parameters: Parameters,
  needs: { source: ['radiographs'], reference: [] },
  makes: 'volume',
  surface: null,
  result: Result,
  mark: 'reconstruction',
  measures: [],
  facts: { title: 'Reconstruction', list: listFacts },
  scalars: [],
});
