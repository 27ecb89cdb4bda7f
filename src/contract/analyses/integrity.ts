import { z } from 'zod';
import { Vector3 } from '../base/primitives.ts';
import { BoundsMm, VoxelBox } from '../metadata/statistics.ts';
import { surfaceModeNames } from '../metadata/surface.ts';
import { declareAnalysis, declareList } from './declaration.ts';
import { choice, sourceAndRegion, surfaceChoice } from './shared-parameters.ts';
import { levelFacts } from './shared-results.ts';

export const defectKinds = { porosity: 'Porosity', inclusion: 'Inclusion', crack: 'Crack' } as const;
export const DefectKind = choice(defectKinds);

/** What is done with defects that the end of the scan or of the region cuts. */
const BorderRule = choice({
  include: 'Include, marked as cut',
  lowerSides: 'Include at x−, y−, z− only',
  exclude: 'Exclude',
});
export type BorderRule = z.infer<typeof BorderRule>;

const Parameters = z
  .strictObject({
    ...sourceAndRegion,
    kinds: z.array(DefectKind).min(1).default(['porosity']).meta({
      title: 'Look for',
      description:
        'Porosity: hollows. Inclusion: material denser than the part. Crack: gaps too thin for the threshold',
    }),
    threshold: surfaceChoice('Threshold'),
    minVoxels: z.int().min(1).max(1_000_000).default(3).meta({
      title: 'Smallest defect',
      description: 'defects with fewer voxels count as noise and are left out',
      'x-unit': 'voxels',
    }),
    minSignificance: z.number().min(0).max(1000).default(5).meta({
      title: 'Smallest significance',
      description:
        'leaves out closed voids whose volume is less than this many times what noise, rings and streaks give in sound material nearby',
      'x-advanced': true,
    }),
    minProbability: z.number().min(0).max(1).default(0).meta({
      title: 'Smallest probability',
      description:
        'leaves out defects that are less likely than this to be real rather than noise, a ring or a streak',
      'x-advanced': true,
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
    borderDefects: BorderRule.default('include').meta({
      title: 'Defects cut by the border',
      description:
        'of the scan or the region. Included ones count with what lies within. At x−, y−, z− only: each counts once where regions lie side by side',
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

export const Defect = z
  .object({
    id: z.int().meta({ description: 'from 1, the largest first; the same in every file and view' }),
    kind: DefectKind,
    voxels: z.int(),
    volumeMm3: z.number(),
    countedVolumeMm3: z.number(),
    volumeBandMm3: Pair.meta({
      description:
        'of a closed void, what holds its volume in 95 of 100 cases (k = 2); of others, with the threshold off by its uncertainty, down and up, and the lid over the mouth of an open one by 1.5 voxels',
    }),
    probability: z.number().min(0).max(1).nullable().optional().meta({
      description:
        'that it is physically there, as a flaw or as the part’s own shape, rather than noise, a ring or a streak; of results that earlier versions made null for others than closed voids, or absent',
    }),
    depth: z.number().optional().meta({
      description:
        'what its grey values lack on average (of an inclusion: have more), as a share of the contrast of material and air',
    }),
    significance: z.number().nullable().optional().meta({
      description:
        'of a closed void: its volume over what the same integral scatters by in sound material nearby, at most 1000; null for others',
    }),
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
    surfaceConnected: z.boolean().meta({ description: 'of a cut one, as far as it was scanned' }),
    gapLike: z.boolean().optional().meta({
      description:
        'open over a long mouth, or of one width from mouth to end: a gap, groove or bore of the part rather than a defect',
    }),
    cutAt: z.string().nullable().optional().meta({
      description:
        'sides of the scan or the region that cut it, such as “x- z+”; null: none. Its sizes are of what lies within',
    }),
    belowDetectionLimit: z.boolean(),
  })
  .meta({ id: 'Defect' });
export type Defect = z.infer<typeof Defect>;

const Result = z.object({
  materialVolumeMm3: z.number().meta({
    description: 'within the surface, as the mesh of the scan has it at the same settings',
  }),
  voidVolumeMm3: z.number(),
  inclusionVolumeMm3: z.number(),
  porosity: z.number(),
  porosityBand: Pair.optional().meta({
    description: 'of results that earlier versions made; `uncertainties.porosity` has taken its place',
  }),
  closedPorosity: z.number().optional(),
  openPorosity: z.number().optional().meta({ description: 'of surface-connected voids' }),
  cutPorosity: z.number().optional().meta({ description: 'of voids that the border cuts, closed or open' }),
  defectCount: z.int(),
  largestVolumeMm3: z.number(),
  surfaceConnectedCount: z.int(),
  cutCount: z.int().optional(),
  cutSides: z
    .array(z.string())
    .optional()
    .meta({ description: 'sides at which the part goes on beyond the scan or the region' }),
  borderDefects: BorderRule.optional(),
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
  localLevels: levelFacts.localLevels,
  oneLevel: levelFacts.oneLevel,
  thresholdMode: z.enum(surfaceModeNames),
  thresholdUncertainty: z.number(),
  airGrey: z.number(),
  materialGrey: z.number(),
  noise: z.number(),
  inclusionThreshold: z.number().nullable(),
  openingBallDiameterMm: z.number().nullable(),
  kinds: z.array(DefectKind),
  regionCells: VoxelBox,
  defects: z.array(Defect).meta({
    description: 'the first 200; /api/v2/data/{id}/defects lists all of them, as does defects.json',
  }),
});

export const integrity = declareAnalysis({
  key: 'runIntegrityAnalysis',
  statusKey: 'integrityAnalysis',
  title: 'Integrity',
  purpose: 'Run integrity analysis to detect defects.',
  help: 'Finds pores, inclusions and cracks, measures each of them, and gives their share of the part.',
  module: { key: 'integrity', name: 'Integrity' },
  stepKey: 'integrity',
  parameters: Parameters,
  needs: { source: ['volume'], reference: [] },
  restsOn: 'defects',
  makes: 'integrity',
  surface: 'places',
  result: Result,
  measures: [
    {
      path: 'porosity',
      label: 'Porosity',
      quantity: 'share',
      better: 'lower',
      help: 'Volume of all voids over that of material and voids: closed, open and cut ones. Voids that touch, by corners too, count as one. The interval (k = 2) is that of the voids found: from what the same measurement gives in sound material nearby, and the levels of air and material. Where sizes go down to the detection limit, it also reaches over smaller voids, which the number does not hold.',
    },
    {
      path: 'closedPorosity',
      label: 'Closed porosity',
      quantity: 'share',
      better: 'lower',
      help: 'Of voids fully enclosed by material.',
    },
    {
      path: 'openPorosity',
      label: 'Open porosity',
      quantity: 'share',
      better: 'lower',
      help: 'Of surface-connected voids, closed off by the ball that is rolled over the part. Hollows shallower than its radius do not count.',
    },
    {
      path: 'cutPorosity',
      label: 'Porosity of cut voids',
      quantity: 'share',
      better: 'lower',
      help: 'Of voids cut by the border of the scan or the region: they may be closed or open.',
    },
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
      help: 'Hollows whose mouth is narrower than the ball that is rolled over the part. Shallow ones may be the part’s own shape, and wider ones may be voids: a warning names both. A chipped edge, which a ball of four times the size reaches, counts as shape.',
    },
    {
      path: 'cutCount',
      label: 'Defects cut by the border',
      quantity: 'count',
      better: 'none',
      help: 'Their sizes cover only what is inside the scan or the region.',
    },
    {
      path: 'belowDetectionLimitCount',
      label: 'Defects below the detection limit',
      quantity: 'count',
      better: 'none',
      help: 'Defects too small to tell each one from noise. They are listed; do not rely on any single one.',
    },
    {
      path: 'detectionLimitMm',
      label: 'Detection limit',
      quantity: 'length',
      better: 'none',
      help: 'Diameter at which about half of all defects are found: three voxels, or 4.5 where noise needed a median filter. Smaller ones are left out of the porosity.',
    },
  ],
  places: declareList(Defect, {
    list: 'defects',
    count: 'defectCount',
    table: 'defects.csv',
    title: 'Defects',
    noun: 'Defect',
    columns: [
      { path: 'volumeMm3', title: 'Volume', quantity: 'volume' },
      { path: 'kind', title: 'Kind', words: defectKinds },
      { path: 'equivalentDiameterMm', title: 'Diameter', quantity: 'length' },
      { path: 'distanceToSurfaceMm', title: 'To surface', quantity: 'length' },
      { path: 'surfaceConnected', title: 'Open' },
      { path: 'gapLike', title: 'Like a gap' },
      { path: 'cutAt', title: 'Cut at' },
      { path: 'probability', title: 'Probability', quantity: 'share' },
      { path: 'depth', title: 'Depth of grey', quantity: 'share' },
      { path: 'significance', title: 'Significance', quantity: 'ratio' },
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
