import { z } from 'zod';
import { Vector3 } from '../base/primitives.ts';
import { BoundsMm, VoxelBox } from '../metadata/statistics.ts';
import { declareAnalysis, declareList } from './declaration.ts';
import { airFromMaterial, choice, sourceAndRegion, surfaceModes } from './shared-parameters.ts';

export const defectKinds = { porosity: 'Porosity', inclusion: 'Inclusion', crack: 'Crack' } as const;
const DefectKind = choice(defectKinds);

const Parameters = z
  .strictObject({
    ...sourceAndRegion,
    kinds: z.array(DefectKind).min(1).default(['porosity']).meta({
      title: 'Look for',
      description:
        'Porosity: hollows. Inclusion: material denser than the part. Crack: gaps too thin for the threshold',
    }),
    threshold: airFromMaterial('Threshold'),
    minVoxels: z.int().min(1).max(1_000_000).default(3).meta({
      title: 'Smallest defect',
      description: 'what has fewer voxels is taken for noise and left out',
      'x-unit': 'voxels',
    }),
    minDefectSizeMm: z.number().positive().optional().meta({
      title: 'Smallest diameter',
      description: 'equivalent diameter; smaller defects are left out',
      'x-unit': 'mm',
    }),
    maxDefectSizeMm: z.number().positive().optional().meta({
      title: 'Largest diameter',
      description: 'equivalent diameter; larger defects are left out',
      'x-unit': 'mm',
    }),
    includeSurfaceConnected: z.boolean().default(true).meta({
      title: 'Include surface-connected defects',
      description: 'hollows that reach the outside through a narrow opening count too',
    }),
    widestOpeningMm: z.number().positive().optional().meta({
      title: 'Widest opening',
      description:
        'A hollow is a surface-connected defect when a ball of this diameter can’t roll into it; ten voxels by default',
      'x-unit': 'mm',
      'x-advanced': true,
    }),
    inclusionAbove: z.number().optional().meta({
      title: 'Inclusions above',
      description:
        'Grey value above which material is an inclusion; by default midway to a second peak of the histogram',
      'x-advanced': true,
    }),
  })
  .meta({ id: 'IntegrityParameters' });

const Pair = z.tuple([z.number(), z.number()]);

const Defect = z.object({
  id: z.int().meta({ description: 'from 1, the largest first; the same in every file and view' }),
  kind: DefectKind,
  voxels: z.int(),
  volumeMm3: z.number(),
  countedVolumeMm3: z.number(),
  volumeBandMm3: Pair,
  equivalentDiameterMm: z.number(),
  enclosingDiameterMm: z.number(),
  areaMm2: z.number().optional(),
  openingMm: z.number().nullable().optional().meta({ description: 'of a crack' }),
  sphericity: z.number().nullable(),
  compactness: z.number(),
  centerMm: Vector3,
  boundsMm: BoundsMm,
  distanceToSurfaceMm: z.number().nullable(),
  projectedAreasMm2: Vector3,
  surfaceConnected: z.boolean(),
  belowDetectionLimit: z.boolean(),
});

const Result = z.object({
  materialVolumeMm3: z.number(),
  voidVolumeMm3: z.number(),
  inclusionVolumeMm3: z.number(),
  porosity: z.number(),
  porosityBand: Pair.meta({ description: 'with the threshold off by its uncertainty, down and up' }),
  defectCount: z.int(),
  largestVolumeMm3: z.number(),
  surfaceConnectedCount: z.int(),
  detectionLimitMm: z.number(),
  belowDetectionLimitCount: z.int(),
  sizeDistribution: z
    .object({
      edgesMm: z.array(z.number()),
      counts: z.array(z.int()),
      volumesMm3: z.array(z.number()),
    })
    .nullable()
    .meta({ description: 'by equivalent diameter; null without defects' }),
  threshold: z.number(),
  thresholdMode: z.enum(Object.keys(surfaceModes) as (keyof typeof surfaceModes)[]),
  thresholdUncertainty: z.number(),
  airGrey: z.number(),
  materialGrey: z.number(),
  noise: z.number(),
  inclusionThreshold: z.number().nullable(),
  openingBallDiameterMm: z.number().nullable(),
  kinds: z.array(DefectKind),
  regionCells: VoxelBox,
  defects: z.array(Defect).meta({ description: 'the first 200; all of them are in defects.json' }),
});

export const integrity = declareAnalysis({
  key: 'runIntegrityAnalysis',
  statusKey: 'integrityAnalysis',
  title: 'Integrity',
  purpose: 'Run integrity analysis to detect defects.',
  help: 'Finds pores, inclusions and cracks, and measures each of them and what share of the part they are.',
  module: { key: 'integrity', name: 'Integrity' },
  stepKey: 'integrity',
  parameters: Parameters,
  needs: { source: ['volume'], reference: [] },
  restsOn: 'defects',
  makes: 'integrity',
  surface: 'places',
  result: Result,
  measures: [
    { path: 'porosity', label: 'Porosity', quantity: 'share', better: 'lower' },
    { path: 'defectCount', label: 'Defects', quantity: 'count', better: 'lower' },
    { path: 'largestVolumeMm3', label: 'Volume of the largest defect', quantity: 'volume', better: 'lower' },
    { path: 'voidVolumeMm3', label: 'Void volume', quantity: 'volume', better: 'lower' },
    { path: 'inclusionVolumeMm3', label: 'Inclusion volume', quantity: 'volume', better: 'lower' },
    { path: 'materialVolumeMm3', label: 'Material volume', quantity: 'volume', better: 'higher' },
    {
      path: 'surfaceConnectedCount',
      label: 'Surface-connected defects',
      quantity: 'count',
      better: 'lower',
      help: 'Hollows that reach the outside through an opening too narrow for the ball that is rolled over the part.',
    },
    {
      path: 'belowDetectionLimitCount',
      label: 'Defects below the detection limit',
      quantity: 'count',
      better: 'none',
      help: 'Defects too small to be told from noise one by one. They are listed; do not rely on a single one of them.',
    },
  ],
  places: declareList(Defect, {
    list: 'defects',
    count: 'defectCount',
    title: 'Defects',
    noun: 'Defect',
    columns: [
      { path: 'volumeMm3', title: 'Volume', quantity: 'volume' },
      { path: 'kind', title: 'Kind', words: defectKinds },
      { path: 'equivalentDiameterMm', title: 'Diameter', quantity: 'length' },
      { path: 'distanceToSurfaceMm', title: 'To surface', quantity: 'length' },
      { path: 'surfaceConnected', title: 'Open' },
      { path: 'belowDetectionLimit', title: 'Below limit' },
    ],
    point: 'centerMm',
  }),
  scalars: [
    {
      name: 'volumeMm3',
      title: 'Volume of defect',
      unit: 'mm³',
      center: 'none',
      each: { attribute: 'defectId', count: 'defectCount', noun: 'defects' },
    },
  ],
  findPlace({ defects }, path) {
    const wanted =
      path === 'inclusionVolumeMm3'
        ? defects.filter(({ kind }) => kind === 'inclusion')
        : path === 'porosity' || path === 'voidVolumeMm3'
          ? defects.filter(({ kind }) => kind !== 'inclusion')
          : path === 'defectCount' || path === 'largestVolumeMm3'
            ? defects
            : [];
    if (wanted.length === 0) return null;
    return wanted.reduce((a, b) => (b.volumeMm3 > a.volumeMm3 ? b : a)).centerMm;
  },
});
