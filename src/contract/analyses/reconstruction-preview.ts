import { z } from 'zod';
import { Uuid } from '../base/primitives.ts';
import { beams } from '../metadata/radiographs.ts';
import { volumeFacts } from '../metadata/volume.ts';
import { declareAnalysis } from './declaration.ts';
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
  projections: z.int(),
  detector: Pair.meta({ description: 'columns and rows' }),
  pixelSizeMm: Pair,
  sourceToAxisMm: z.number().nullable(),
  sourceToDetectorMm: z.number().nullable(),
  coveredAngleDeg: z.number(),
  shortScan: z.boolean(),
  centerOfRotationMm: z.number(),
  centerColumn: z.number(),
  centerFoundBy: z.enum(['symmetry', 'slice', 'given', 'geometry']),
  centerMismatch: z.number().nullable(),
  centerUncertaintyMm: z.number().nullable().optional().meta({
    description: 'of a centre that was found, expanded (k = 2)',
  }),
  filter: Filter,
  binning: z.int(),
  beamHardening: z.number(),
  hardeningFound: z
    .object({ unevennessBefore: z.number(), unevennessAfter: z.number() })
    .nullable()
    .optional()
    .meta({
      description:
        'where the correction was found: deviation of the material’s grey values over their mean, without and with it',
    }),
  edgesInwardVoxels: z.number().optional().meta({
    description:
      'how far too far inside blur in the radiographs puts edges, by estimate; absent of volumes that earlier versions made',
  }),
  scatterShare: z.number().optional(),
  ringCorrection: z.boolean(),
  flatField: z.boolean(),
  darkField: z.boolean(),
  freeBeamLevel: z.number().nullable(),
  fieldOfViewRadiusMm: z.number(),
});

export const reconstructionPreview = declareAnalysis({
  key: 'runReconstructionPreview',
  statusKey: 'reconstructionPreview',
  title: 'Reconstruction preview',
  purpose: 'Generate reconstruction preview.',
  help: 'Reconstructs a volume from the radiographs by filtered back-projection, at a resolution for a quick look, and finds the centre of rotation.',
  module: { key: 'reconstruction', name: 'Reconstruction' },
  stepKey: 'preview',
  parameters: Parameters,
  needs: { source: ['radiographs'], reference: [] },
  makes: 'volume',
  surface: null,
  result: z.object({
    ...volumeFacts,
    unit: z.literal('1/mm').meta({ description: 'of the grey values' }),
    reconstruction: Reconstruction,
  }),
  mark: 'reconstruction',
  measures: [],
  scalars: [],
});
