import { z } from 'zod';
import { Vector3 } from '../base/primitives.ts';
import { AreaHistogram, PercentilesMm } from '../metadata/statistics.ts';
import { declareAnalysis, declareList } from './declaration.ts';
import { choice, onlyWhen, sourceAndRegion, surfaceDetermination } from './shared-parameters.ts';
import { levelFacts, percentileMeasures, smoothingFacts } from './shared-results.ts';

export const thicknessMethods = { sphere: 'Sphere', ray: 'Ray' } as const;
const Method = choice(thicknessMethods);

const Parameters = z
  .strictObject({
    ...sourceAndRegion,
    method: Method.default('sphere').meta({
      title: 'Method',
      description:
        'Sphere: diameter of the largest inscribed sphere that touches the surface point. Ray: distance to the opposite surface',
    }),
    minThicknessMm: z.number().positive().optional().meta({
      title: 'Minimum thickness',
      description: 'thinner walls count as below the minimum and are listed as regions',
      'x-unit': 'mm',
    }),
    maxThicknessMm: z.number().positive().optional().meta({
      title: 'Maximum thickness',
      description: 'how far to search for the opposite wall; default: the whole part',
      'x-unit': 'mm',
    }),
    searchAngleDeg: z
      .number()
      .min(0)
      .max(60)
      .default(0)
      .meta({
        title: 'Search angle',
        description: 'half the opening angle of the cone in which the nearest opposite surface is searched',
        'x-unit': '°',
        'x-advanced': true,
        ...onlyWhen('method', 'ray'),
      }),
    ...surfaceDetermination,
  })
  .refine(
    ({ minThicknessMm, maxThicknessMm }) =>
      minThicknessMm === undefined || maxThicknessMm === undefined || minThicknessMm < maxThicknessMm,
    { path: ['maxThicknessMm'], message: 'the maximum must be greater than the minimum' },
  )
  .meta({ id: 'WallThicknessParameters' });

const ThinRegion = z.object({
  areaMm2: z.number().meta({ description: 'area of the region' }),
  minMm: z.number().meta({ description: 'smallest thickness in the region' }),
  thinnestMm: Vector3.optional().meta({ description: 'position of the smallest thickness' }),
  centerMm: Vector3.meta({ description: 'centre of the region' }),
  disagreementShare: z.number().nullable().optional().meta({
    description: 'share of the area (0–1) where ray and sphere thickness disagree; null when not determined',
  }),
});

const ThinWalls = z.object({
  areaShare: z.number().meta({ description: 'share of the surface on walls thinner than 4.5 voxels (0–1)' }),
  profileShare: z.number().meta({
    description:
      'share of these measured by the grey-value profile across the wall (0–1); the others, such as rims, are measured between the faces of the surface',
  }),
  detectionLimitMm: z
    .number()
    .meta({ description: 'thinner walls leave no surface and are not included in any number' }),
  uncertaintyMm: z.number().nullable().meta({
    description:
      'expanded uncertainty (k = 2) of the mean thickness of a wall measured by its profile; null when unknown',
  }),
  contrastGray: z.number().nullable().meta({
    description:
      'contrast between material and air determined at these walls, in grey values; null when unknown',
  }),
  blurMm: z
    .number()
    .nullable()
    .meta({ description: 'edge blur at these walls (standard deviation); null when unknown' }),
});

const Result = z.object({
  method: Method,
  count: z.int().meta({ description: 'number of surface points with a value' }),
  notMeasured: z.int().meta({ description: 'number of surface points without a value' }),
  minMm: z.number().meta({ description: 'smallest thickness' }),
  meanMm: z.number().meta({ description: 'mean thickness, weighted by area' }),
  sdMm: z.number().meta({ description: 'standard deviation of the thickness' }),
  maxMm: z.number().meta({ description: 'largest thickness' }),
  percentilesMm: PercentilesMm.meta({ description: 'percentiles of the thickness, weighted by area' }),
  histogram: AreaHistogram.meta({ description: 'area by thickness' }),
  minThicknessMm: z.number().nullable().meta({ description: 'minimum thickness required; null: none given' }),
  maxThicknessMm: z.number().nullable().meta({ description: 'search distance; null: the whole part' }),
  belowMinimumShare: z
    .number()
    .nullable()
    .meta({ description: 'share of the area below the minimum thickness (0–1); null: no minimum given' }),
  disagreementShare: z.number().nullable().optional().meta({
    description: 'share of the area (0–1) where ray and sphere thickness disagree; null when not determined',
  }),
  thinWalls: ThinWalls.nullable().optional().meta({
    description: 'walls only a few voxels thick and how they were measured; null when there are none',
  }),
  regionCount: z.int().meta({ description: 'number of regions below the minimum thickness' }),
  regions: z.array(ThinRegion).meta({ description: 'the first 200 regions below the minimum thickness' }),
  vertices: z.int(),
  triangles: z.int(),
  ...levelFacts,
  ...smoothingFacts,
});

export const wallThickness = declareAnalysis({
  key: 'runWallThickness',
  statusKey: 'wallThickness',
  title: 'Wall thickness',
  purpose: 'Wall thickness at every point of the surface, and walls below a minimum',
  help: 'Measures the wall thickness at every point of the surface and finds walls below the minimum.',
  module: { key: 'wallThickness', name: 'Wall thickness' },
  stepKey: 'thickness',
  parameters: Parameters,
  needs: { source: ['volume'], reference: [] },
  restsOn: 'walls',
  makes: 'wallThickness',
  surface: 'part',
  result: Result,
  measures: [
    { path: 'minMm', label: 'Thinnest wall', quantity: 'length', better: 'higher' },
    { path: 'meanMm', label: 'Mean thickness', quantity: 'length', better: 'higher' },
    { path: 'maxMm', label: 'Thickest wall', quantity: 'length', better: 'lower' },
    { path: 'sdMm', label: 'Standard deviation of thickness', quantity: 'length', better: 'lower' },
    {
      path: 'belowMinimumShare',
      label: 'Area below the minimum thickness',
      quantity: 'share',
      better: 'lower',
    },
    { path: 'regionCount', label: 'Regions below the minimum thickness', quantity: 'count', better: 'lower' },
    {
      path: 'disagreementShare',
      label: 'Ray–sphere disagreement',
      quantity: 'share',
      better: 'lower',
      help: 'Area where the ray is much longer or shorter than the sphere: at corners, ribs and slopes. There the thickness depends on the method.',
    },
    ...percentileMeasures('thickness'),
  ],
  places: declareList(ThinRegion, {
    list: 'regions',
    count: 'regionCount',
    title: 'Thin regions',
    noun: 'Region',
    columns: [
      { path: 'minMm', title: 'Thinnest', quantity: 'length' },
      { path: 'areaMm2', title: 'Area', quantity: 'area' },
      { path: 'disagreementShare', title: 'Ray–sphere disagreement', quantity: 'share' },
    ],
    point: 'thinnestMm',
  }),
  scalars: [{ name: 'thicknessMm', title: 'Wall thickness', unit: 'mm', center: 'none', marks: 'walls' }],
  findPlace({ regions }, path) {
    if (!['minMm', 'belowMinimumShare', 'regionCount'].includes(path) || regions.length === 0) return null;
    const thinnest = regions.reduce((a, b) => (b.minMm < a.minMm ? b : a));
    return thinnest.thinnestMm ?? thinnest.centerMm;
  },
});
