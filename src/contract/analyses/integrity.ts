import { z } from 'zod';
import { Vector3 } from '../base/primitives.ts';
import { BoundsMm, VoxelBox } from '../metadata/statistics.ts';
import { surfaceModeNames } from '../metadata/surface.ts';
import { declareAnalysis, declareList } from './declaration.ts';
import { choice, sourceAndRegion, surfaceChoice } from './shared-parameters.ts';
import { levelFacts } from './shared-results.ts';

export const defectKinds = { porosity: 'Porosity', inclusion: 'Inclusion', crack: 'Crack' } as const;
export const DefectKind = choice(defectKinds);

/** How defects cut by the border of the scan or region are treated. */
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
    id: z
      .int()
      .meta({ description: 'number starting at 1 with the largest, the same in every file and view' }),
    kind: DefectKind,
    voxels: z.int().meta({ description: 'number of voxels' }),
    volumeMm3: z.number().meta({ description: 'volume from grey values, correct for partly filled voxels' }),
    countedVolumeMm3: z.number().meta({ description: 'number of voxels times the volume of a voxel' }),
    volumeBandMm3: Pair.meta({
      description:
        'lower and upper bound of the volume: for a closed void, the 95 % interval (k = 2); for others, the volume with the threshold shifted by its uncertainty, for open ones also with the lid over the mouth shifted by 1.5 voxels',
    }),
    probability: z.number().min(0).max(1).nullable().optional().meta({
      description:
        'probability that it physically exists, as a flaw or as the part’s own shape, rather than being noise, a ring or a streak; in results of earlier versions absent, or null for anything but closed voids',
    }),
    depth: z.number().optional().meta({
      description:
        'mean difference of its grey values from the material (darker; for an inclusion: brighter), as a share of the contrast between material and air',
    }),
    significance: z.number().nullable().optional().meta({
      description:
        'for a closed void: its volume divided by the scatter of the same integral in sound material nearby, at most 1000; null for others',
    }),
    equivalentDiameterMm: z.number().meta({ description: 'diameter of the sphere of equal volume' }),
    enclosingDiameterMm: z.number().meta({ description: 'diameter of the smallest enclosing sphere' }),
    areaMm2: z.number().optional().meta({
      description: 'area of its boundary with the material; for a crack, of its middle sheet',
    }),
    openingMm: z.number().nullable().optional().meta({
      description: 'mean opening of a crack; null for other kinds',
    }),
    sphericity: z.number().nullable().meta({
      description:
        'area of the sphere of equal volume over its own area (0–1); null when open to the surface',
    }),
    compactness: z
      .number()
      .meta({ description: 'its volume over that of the smallest enclosing sphere (0–1)' }),
    centerMm: Vector3.meta({ description: 'centre in the scan’s frame' }),
    boundsMm: BoundsMm,
    distanceToSurfaceMm: z.number().nullable().meta({
      description:
        'shortest distance through material to the outer surface; 0 when open to it; null when there is none',
    }),
    projectedAreasMm2: Vector3.meta({ description: 'area projected along the grid’s x, y and z axes' }),
    surfaceConnected: z.boolean().meta({
      description: 'true: open to the outer surface; for a defect cut by the border, within the scanned part',
    }),
    gapLike: z.boolean().optional().meta({
      description:
        'true: open with a long mouth, or of constant width from mouth to end, so probably a gap, groove or bore of the part rather than a defect',
    }),
    cutAt: z.string().nullable().optional().meta({
      description:
        'sides of the scan or region that cut it, such as “x- z+”; null: none. Its sizes cover only the part inside',
    }),
    belowDetectionLimit: z
      .boolean()
      .meta({ description: 'true: too small to distinguish it reliably from noise' }),
  })
  .meta({ id: 'Defect' });
export type Defect = z.infer<typeof Defect>;

const Result = z.object({
  materialVolumeMm3: z.number().meta({
    description: 'volume enclosed by the surface, equal to that of the mesh with the same settings',
  }),
  voidVolumeMm3: z.number().meta({ description: 'total volume of voids' }),
  inclusionVolumeMm3: z.number().meta({ description: 'total volume of inclusions' }),
  porosity: z.number().meta({ description: 'volume of voids over that of material and voids (0–1)' }),
  porosityBand: Pair.optional().meta({
    description: 'only in results of earlier versions; replaced by `uncertainties.porosity`',
  }),
  closedPorosity: z.number().optional().meta({ description: 'share of voids enclosed by material (0–1)' }),
  openPorosity: z.number().optional().meta({ description: 'share of surface-connected voids (0–1)' }),
  cutPorosity: z
    .number()
    .optional()
    .meta({ description: 'share of voids cut by the border, closed or open (0–1)' }),
  defectCount: z.int().meta({ description: 'number of defects' }),
  largestVolumeMm3: z.number().meta({ description: 'volume of the largest defect' }),
  surfaceConnectedCount: z.int().meta({ description: 'number of surface-connected defects' }),
  cutCount: z.int().optional().meta({ description: 'number of defects cut by the border' }),
  cutSides: z
    .array(z.string())
    .optional()
    .meta({ description: 'sides where the part extends beyond the scan or region' }),
  borderDefects: BorderRule.optional().meta({ description: 'how defects cut by the border were treated' }),
  detectionLimitMm: z.number().meta({ description: 'diameter at which about half of all defects are found' }),
  belowDetectionLimitCount: z.int().meta({ description: 'number of defects below the detection limit' }),
  sizeDistribution: z
    .object({
      edgesMm: z.array(z.number()),
      counts: z.array(z.int()),
      volumesMm3: z.array(z.number()),
    })
    .nullable()
    .meta({ description: 'histogram by equivalent diameter; null without defects' }),
  threshold: z.number().meta({ description: 'grey value that separates voids from material' }),
  localLevels: levelFacts.localLevels,
  oneLevel: levelFacts.oneLevel,
  thresholdMode: z.enum(surfaceModeNames).meta({ description: 'how the threshold was determined' }),
  thresholdUncertainty: z.number().meta({ description: 'in grey values' }),
  airGrey: z.number().meta({ description: 'grey value of air' }),
  materialGrey: z.number().meta({ description: 'grey value of the material' }),
  noise: z.number().meta({ description: 'standard deviation of the noise, in grey values' }),
  inclusionThreshold: z.number().nullable().meta({
    description: 'grey value above which material is an inclusion; null when none were searched',
  }),
  openingBallDiameterMm: z.number().nullable().meta({
    description:
      'diameter of the ball that closes openings; null when surface-connected defects are excluded',
  }),
  kinds: z.array(DefectKind).meta({ description: 'kinds of defects that were searched for' }),
  regionCells: VoxelBox.meta({ description: 'analysed box, in voxels' }),
  defects: z.array(Defect).meta({
    description: 'the first 200 defects; /api/v2/data/{id}/defects and defects.json list all',
  }),
});

export const integrity = declareAnalysis({
  key: 'runIntegrityAnalysis',
  statusKey: 'integrityAnalysis',
  title: 'Integrity',
  purpose: 'Pores, inclusions and cracks: size and place of each, and their share of the part',
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
