import { z } from 'zod';
import { Vector3 } from '../base/primitives.ts';
import { AreaHistogram, PercentilesMm } from '../metadata/statistics.ts';
import { Uncertainty } from '../metadata/uncertainty.ts';
import { Verdict } from '../metadata/verdict.ts';
import { foundPose } from './auto-align.ts';
import {
  declareAnalysis,
  declareList,
  type JudgedTolerance,
  type Measure,
  type SurfaceScalar,
} from './declaration.ts';
import { comparison } from './modules.ts';
import { choice, matrixFor, reference, sourceAndRegion, Tolerance } from './shared-parameters.ts';
import { PlaceUncertainty, percentileMeasures } from './shared-results.ts';

export const alignmentModes = {
  none: 'Current position',
  autoAlign: 'Automatic (best fit)',
  matrix: 'Matrix',
} as const;
const Mode = choice(alignmentModes);

export const compareParameters = {
  ...sourceAndRegion,
  referenceDataObjectId: reference('compare with'),
  alignment: Mode.default('autoAlign').meta({
    title: 'Alignment',
    description: 'Automatic: the scan is aligned with the reference first. Or your own matrix',
  }),
  matrix: matrixFor('alignment'),
  tolerance: Tolerance.default({ lowerMm: -0.1, upperMm: 0.1 }),
  maxDistanceMm: z.number().positive().default(1).meta({
    title: 'Search distance',
    description: 'anything further away has no counterpart and is listed as not found',
    'x-unit': 'mm',
  }),
  guardBandMm: z.number().min(0).optional().meta({
    title: 'Guard band',
    description:
      'narrows the tolerance for a pass and widens it for a fail; default: the uncertainty of each place (k = 2), or a tenth of a voxel where it is not known',
    'x-unit': 'mm',
    'x-advanced': true,
  }),
};

export const needsMatrix = (given: { alignment: string; matrix?: unknown }): boolean =>
  given.alignment !== 'matrix' || given.matrix !== undefined;
export const matrixIsMissing = { path: ['matrix'], message: 'the alignment “matrix” needs a matrix' };

const statistics = {
  count: z.int().meta({ description: 'number of surface points with a value' }),
  areaMm2: z.number().meta({ description: 'measured area; all statistics are weighted by area' }),
  meanMm: z.number().meta({ description: 'mean deviation' }),
  sdMm: z.number().meta({ description: 'standard deviation of the deviation' }),
  rmsMm: z.number().meta({ description: 'RMS deviation' }),
  minMm: z.number().meta({
    description: 'minimum deviation, including places beyond the search distance and missing material',
  }),
  maxMm: z.number().meta({ description: 'maximum deviation' }),
  percentilesMm: PercentilesMm.meta({ description: 'percentiles of the deviation, weighted by area' }),
  inToleranceShare: z.number().meta({ description: 'share of the measured area within tolerance (0–1)' }),
  histogram: AreaHistogram.meta({ description: 'area by deviation' }),
};

/** The surface on which a place lies. */
export const sides = { scan: 'Scan', reference: 'Reference' } as const;
const Side = choice(sides);

/** Verdict of a place: certainly out of tolerance, or undecided. */
export const placeVerdicts = { fail: 'Fail', indeterminate: 'Indeterminate' } as const;

const Place = z.object({
  side: Side.optional(),
  areaMm2: z.number(),
  notFoundAreaMm2: z
    .number()
    .optional()
    .meta({ description: 'part of the area without a counterpart within the search distance' }),
  worstMm: z.number().nullable().meta({
    description: 'worst deviation; null when the other surface has no part facing this place',
  }),
  worstPointMm: Vector3.meta({ description: 'position of the worst deviation, in the scan’s frame' }),
  uncertaintyMm: z.number().nullable().optional().meta({
    description:
      'expanded uncertainty (k = 2) of the deviation at this place, used as its guard band; null when one guard band applies to all places. It does not account for the selection of the worst place by noise; the uncertainties of minMm and maxMm do',
  }),
  verdict: choice(placeVerdicts).optional().meta({
    description: '`fail`: beyond the tolerance by more than the uncertainty or guard band',
  }),
});

const Group = z.object({
  key: z.string(),
  name: z.string(),
  ...statistics,
  verdict: Verdict.nullable(),
  coveredShare: z
    .number()
    .optional()
    .meta({ description: 'share of the group’s surface with the scan within tolerance (0–1)' }),
  beyondToleranceMm: z
    .number()
    .meta({ description: 'distance of the worst point beyond the tolerance; 0 when within' }),
  worstPointMm: Vector3,
  uncertainties: z.record(z.string(), Uncertainty).optional().meta({
    description: 'uncertainty (k = 2) of its numbers, by name',
  }),
});

export const verdictReasons = {
  WITHIN_TOLERANCE: 'both surfaces are within the tolerance everywhere',
  BEYOND_TOLERANCE: 'places are beyond the tolerance by more than the guard band',
  WITHIN_GUARD_BAND: 'places are so close to a limit that the guard band leaves it open',
  NOT_FOUND: 'places have no counterpart within the search distance',
  NOT_SCANNED: 'part of the reference lies outside of the scan’s field of view',
  POSE_AMBIGUOUS: 'the part fits as well in other poses, in which the verdict is another',
  POSE_OF_CUT_SCAN:
    'places are out of tolerance in a pose that was found from a scan that shows only a part of the body',
  SCAN_QUALITY: 'the scan can’t carry the verdict, as a warning says',
  SELF_COMPARISON: 'the reference comes from the same scan, so that it can’t judge it: there is no verdict',
} as const;
export type VerdictReasonCode = keyof typeof verdictReasons;

/** Result for the whole part; `groups` is empty unless the reference was decomposed. */
export const CompareResult = z.object({
  ...statistics,
  fromReference: z.object(statistics).nullable().optional().meta({
    description:
      'the same statistics measured from the reference’s surface to the scan’s; negative: missing material',
  }),
  verdict: Verdict.nullable().meta({
    description: 'verdict on the tolerance; null when the comparison can’t judge the part',
  }),
  verdictReason: z
    .object({
      code: z.enum(Object.keys(verdictReasons) as [VerdictReasonCode, ...VerdictReasonCode[]]),
      message: z.string(),
    })
    .optional(),
  tolerance: z
    .object({ lowerMm: z.number(), upperMm: z.number() })
    .meta({ description: 'limits of the deviation' }),
  guardBandMm: z.number().meta({
    description:
      'guard band around the limits; the median over the surface when each place has its own (see placeUncertainty)',
  }),
  placeUncertainty: PlaceUncertainty.optional().meta({
    description:
      'expanded uncertainty (k = 2) of the deviation at single places, due to surface determination, noise, blur and alignment; the default guard band of each place. Absent when it can’t be determined',
  }),
  maxDistanceMm: z.number().meta({ description: 'search distance' }),
  measuredShare: z
    .number()
    .meta({ description: 'share of the scan’s surface with the reference within the search distance (0–1)' }),
  coveredShare: z
    .number()
    .nullable()
    .meta({ description: 'share of the reference’s surface with the scan within tolerance (0–1)' }),
  foundShare: z
    .number()
    .optional()
    .meta({ description: 'share of the reference’s surface with the scan within the search distance (0–1)' }),
  notFoundAreaMm2: z
    .object({ scan: z.number(), reference: z.number() })
    .optional()
    .meta({ description: 'area without a counterpart within the search distance, by surface' }),
  notScannedAreaMm2: z
    .number()
    .optional()
    .meta({ description: 'area of the reference outside the scan’s field of view' }),
  poresLeftOut: z.int().meta({ description: 'number of pores in the scan that were excluded' }),
  alignment: z
    .object({ mode: Mode, ...z.object(foundPose).partial().shape, matrix: foundPose.matrix })
    .meta({ description: 'pose of the scan in which it was compared' }),
  regionCount: z
    .int()
    .meta({ description: 'number of places beyond the tolerance or without a counterpart' }),
  regions: z.array(Place).meta({
    description: 'the first 200 places beyond the tolerance or without a counterpart, worst first',
  }),
  groups: z.array(Group).meta({ description: 'results for each group of the reference, worst first' }),
  unmeasuredGroupCount: z.int().meta({ description: 'number of groups without a measured point' }),
  unmeasuredGroups: z
    .array(z.object({ key: z.string(), name: z.string() }))
    .meta({ description: 'groups without a measured point' }),
  vertices: z.int(),
  triangles: z.int(),
  isoValue: z.number().nullable().meta({ description: 'grey value of the scan’s surface; null for a mesh' }),
  deflectionMm: z.number().nullable().meta({
    description:
      'upper bound of the distance between the reference’s triangles and its CAD surface; null without CAD',
  }),
});

type CompareResult = z.infer<typeof CompareResult>;
type Place = CompareResult['regions'][number];

/** The place with the worst deviation, optionally of one sign; places without a counterpart have no deviation. */
const findPlace = ({ regions }: CompareResult, sign: -1 | 0 | 1): Place | undefined =>
  regions.find(({ worstMm }) => worstMm !== null && (sign === 0 || Math.sign(worstMm) === sign));

/** The worst deviation with the tolerance it was compared with. */
export function readDeviation(
  result: CompareResult & { uncertainties?: Readonly<Record<string, Uncertainty | undefined>> | undefined },
): JudgedTolerance {
  const { verdict, guardBandMm, regions } = result;
  const { lowerMm, upperMm } = result.tolerance;
  const furthest = findPlace(result, 0);
  // When the verdict is a pass, deviations measured only from the reference come from edges that the scan rounds off.
  const fromReference = verdict === 'pass' ? null : result.fromReference;
  const minMm = Math.min(result.minMm, fromReference?.minMm ?? result.minMm);
  const maxMm = Math.max(result.maxMm, fromReference?.maxMm ?? result.maxMm);
  const measured = furthest?.worstMm ?? (lowerMm - minMm > maxMm - upperMm ? minMm : maxMm);
  const measure = measured > 0 ? 'maxMm' : 'minMm';
  const path =
    result[measure] === measured
      ? measure
      : fromReference?.[measure] === measured
        ? `fromReference.${measure}`
        : null;
  // The worst place was selected partly by noise, which its own uncertainty does not include.
  const stated = path === null ? undefined : result.uncertainties?.[path];
  return {
    measure,
    nominal: 0,
    lower: lowerMm,
    upper: upperMm,
    measured,
    unit: 'mm',
    uncertainty: stated?.expanded ?? furthest?.uncertaintyMm ?? null,
    guardBand: furthest?.uncertaintyMm ? Number(furthest.uncertaintyMm.toPrecision(2)) : guardBandMm,
    positionMm: (furthest ?? regions[0])?.worstPointMm ?? null,
    reason: explainDeviation(result, verdict === 'pass' && (measured < lowerMm || measured > upperMm)),
  };
}

function explainDeviation(
  { verdict, verdictReason, coveredShare, measuredShare, guardBandMm }: CompareResult,
  isBeyond: boolean,
): string | null {
  if (isBeyond) return 'Only places smaller than the scan can resolve are beyond the limits.';
  if (verdict !== 'indeterminate') return null;
  if (verdictReason) return verdictReason.message;
  // Earlier versions did not store the reason.
  if (coveredShare !== null && coveredShare < 0.99) return 'The scan does not cover the whole reference.';
  if (measuredShare < 0.99) return 'Part of the scan has no counterpart on the reference.';
  return guardBandMm > 0 ? 'Part of the surface is within the guard band of a limit.' : null;
}

/** Position of the worst deviation; null for measures of the whole surface. */
export function findDeviationPlace(result: CompareResult, path: string): Place['worstPointMm'] | null {
  const sign = path.endsWith('minMm') ? -1 : path.endsWith('maxMm') ? 1 : 0;
  if (sign === 0 && path !== 'inToleranceShare' && path !== 'regionCount') return null;
  return findPlace(result, sign)?.worstPointMm ?? null;
}

export const deviationPlaces = declareList(Place, {
  list: 'regions',
  count: 'regionCount',
  title: 'Places out of tolerance',
  noun: 'Place',
  columns: [
    { path: 'worstMm', title: 'Worst', quantity: 'length' },
    { path: 'uncertaintyMm', title: 'Guard band', quantity: 'length' },
    { path: 'verdict', title: 'Verdict', words: placeVerdicts },
    { path: 'areaMm2', title: 'Area', quantity: 'area' },
    { path: 'notFoundAreaMm2', title: 'Not found', quantity: 'area' },
    { path: 'side', title: 'On', words: sides },
  ],
  point: 'worstPointMm',
});

export const deviationMeasures = [
  { path: 'inToleranceShare', label: 'Within tolerance', quantity: 'share', better: 'higher' },
  { path: 'meanMm', label: 'Mean deviation', quantity: 'length', better: 'none' },
  { path: 'sdMm', label: 'Standard deviation of deviation', quantity: 'length', better: 'lower' },
  { path: 'rmsMm', label: 'RMS deviation', quantity: 'length', better: 'lower' },
  { path: 'minMm', label: 'Minimum deviation', quantity: 'length', better: 'higher' },
  { path: 'maxMm', label: 'Maximum deviation', quantity: 'length', better: 'lower' },
  {
    path: 'fromReference.minMm',
    label: 'Minimum, from the reference',
    quantity: 'length',
    better: 'higher',
    help: 'Measured from the reference to the scan: missing material shows at its true size.',
  },
  {
    path: 'fromReference.maxMm',
    label: 'Maximum, from the reference',
    quantity: 'length',
    better: 'lower',
    help: 'Measured from the reference to the scan.',
  },
  {
    path: 'measuredShare',
    label: 'Scan matched',
    quantity: 'share',
    better: 'higher',
    help: 'Share of the scan’s surface with the reference within the search distance. The rest is drawn in grey.',
  },
  {
    path: 'coveredShare',
    label: 'Reference covered',
    quantity: 'share',
    better: 'higher',
    help: 'Share of the reference’s surface with the scan within tolerance.',
  },
  { path: 'regionCount', label: 'Regions out of tolerance', quantity: 'count', better: 'lower' },
  ...percentileMeasures('deviation'),
] as const satisfies Measure[];

export const deviationScalar = {
  name: 'deviationMm',
  title: 'Deviation',
  unit: 'mm',
  center: 'zero',
  limits: ['tolerance.lowerMm', 'tolerance.upperMm'],
  marks: 'whiskers',
} as const satisfies SurfaceScalar;

/** Uncertainty of the deviation due to scan and pose, place by place. */
export const deviationUncertaintyScalar = {
  name: 'deviationUncertaintyMm',
  title: 'Deviation uncertainty',
  unit: 'mm',
  center: 'none',
  onDemand: true,
} as const satisfies SurfaceScalar;

export const comparedWith = {
  source: ['volume', 'mesh'],
  reference: ['cad', 'mesh', 'volume'],
  pose: true,
} as const;

export const meshCompare = declareAnalysis({
  key: 'runMeshCompare',
  statusKey: 'meshCompare',
  title: 'CAD comparison',
  titleWithoutCad: 'Surface comparison',
  purpose: 'Deviation of the surface from a CAD model or another scan, with tolerances',
  help: 'Measures at every point of the surface how far the part is from its CAD model or from another scan, and whether that is within the tolerance.',
  module: comparison,
  stepKey: 'compare',
  parameters: z
    .strictObject(compareParameters)
    .refine(needsMatrix, matrixIsMissing)
    .meta({ id: 'MeshCompareParameters' }),
  needs: comparedWith,
  restsOn: 'deviation',
  makes: 'meshCompare',
  surface: 'part',
  result: CompareResult,
  places: deviationPlaces,
  measures: deviationMeasures,
  scalars: [deviationScalar, deviationUncertaintyScalar],
  heldIn: 'alignment.matrix',
  verdict: 'verdict',
  judgedTolerance: readDeviation,
  findPlace: findDeviationPlace,
});
