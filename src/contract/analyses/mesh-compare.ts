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
  count: z.int().meta({ description: 'points of the surface that have a value' }),
  areaMm2: z
    .number()
    .meta({ description: 'of the surface that was measured; all figures are weighted by area' }),
  meanMm: z.number(),
  sdMm: z.number(),
  rmsMm: z.number(),
  minMm: z
    .number()
    .meta({ description: 'also of what lies beyond the search distance, and of what the scan lacks' }),
  maxMm: z.number(),
  percentilesMm: PercentilesMm,
  inToleranceShare: z.number(),
  histogram: AreaHistogram,
};

/** Whose surface something lies on. */
export const sides = { scan: 'Scan', reference: 'Reference' } as const;
const Side = choice(sides);

/** Whether a place is surely out of tolerance. */
export const placeVerdicts = { fail: 'Fail', indeterminate: 'Indeterminate' } as const;

const Place = z.object({
  side: Side.optional(),
  areaMm2: z.number(),
  notFoundAreaMm2: z
    .number()
    .optional()
    .meta({ description: 'of the area, what has no counterpart within the search distance' }),
  worstMm: z.number().nullable().meta({
    description:
      'the deviation that is furthest out; null where the other surface has nothing that faces the place',
  }),
  worstPointMm: Vector3.meta({ description: 'where that is, in the scan’s frame' }),
  uncertaintyMm: z.number().nullable().optional().meta({
    description:
      'what a deviation at that place may be off by (k = 2), which is its guard band; null where one guard band holds for all places. The one that is furthest out of all was chosen by noise, too: see the uncertainties of minimum and maximum',
  }),
  verdict: choice(placeVerdicts).optional().meta({
    description: 'fail: beyond the tolerance by more than the uncertainty or the guard band leaves open',
  }),
});

const Group = z.object({
  key: z.string(),
  name: z.string(),
  ...statistics,
  verdict: Verdict.nullable(),
  coveredShare: z.number().optional(),
  beyondToleranceMm: z.number(),
  worstPointMm: Vector3,
  uncertainties: z.record(z.string(), Uncertainty).optional().meta({
    description: 'of its numbers (k = 2), by their names',
  }),
});

/** Why a verdict is what it is. */
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

/** Of the whole part; `groups` is empty unless the reference was taken apart. */
export const CompareResult = z.object({
  ...statistics,
  fromReference: z.object(statistics).nullable().optional().meta({
    description:
      'the same, measured from the reference’s surface to the scan’s; missing material is negative',
  }),
  verdict: Verdict.nullable(),
  verdictReason: z
    .object({
      code: z.enum(Object.keys(verdictReasons) as [VerdictReasonCode, ...VerdictReasonCode[]]),
      message: z.string(),
    })
    .optional(),
  tolerance: z.object({ lowerMm: z.number(), upperMm: z.number() }),
  guardBandMm: z.number().meta({
    description: 'as a median over the surface, where each place has its own: see placeUncertainty',
  }),
  placeUncertainty: PlaceUncertainty.optional().meta({
    description:
      'of the deviation at single places (k = 2), from the surface, its noise and blur, and the alignment. Absent where the scan does not tell it; without a guard band of one’s own it is that of each place',
  }),
  maxDistanceMm: z.number(),
  measuredShare: z.number(),
  coveredShare: z.number().nullable(),
  foundShare: z.number().optional(),
  notFoundAreaMm2: z.object({ scan: z.number(), reference: z.number() }).optional(),
  notScannedAreaMm2: z.number().optional(),
  poresLeftOut: z.int(),
  alignment: z.object({ mode: Mode, ...z.object(foundPose).partial().shape, matrix: foundPose.matrix }),
  regionCount: z.int(),
  regions: z.array(Place).meta({
    description:
      'places beyond the tolerance or without a counterpart, the furthest out first, the first 200',
  }),
  groups: z.array(Group),
  unmeasuredGroupCount: z.int(),
  unmeasuredGroups: z.array(z.object({ key: z.string(), name: z.string() })),
  vertices: z.int(),
  triangles: z.int(),
  isoValue: z.number().nullable(),
  deflectionMm: z.number().nullable().meta({ description: 'of the reference’s triangles' }),
});

type CompareResult = z.infer<typeof CompareResult>;
type Place = CompareResult['regions'][number];

/** The place that is furthest out, or that is so on one side; places that were not found have no deviation. */
const findPlace = ({ regions }: CompareResult, sign: -1 | 0 | 1): Place | undefined =>
  regions.find(({ worstMm }) => worstMm !== null && (sign === 0 || Math.sign(worstMm) === sign));

/** The deviation that is furthest out, with the tolerance that it was held against. */
export function readDeviation(
  result: CompareResult & { uncertainties?: Readonly<Record<string, Uncertainty | undefined>> | undefined },
): JudgedTolerance {
  const { verdict, guardBandMm, regions } = result;
  const { lowerMm, upperMm } = result.tolerance;
  const furthest = findPlace(result, 0);
  // Where both surfaces are within the tolerance, what the reference alone shows is of edges that the scan rounds off.
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
  // Noise has chosen the place that is furthest out, which its own uncertainty does not know.
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
  // Earlier versions did not write the reason.
  if (coveredShare !== null && coveredShare < 0.99) return 'The scan does not cover the whole reference.';
  if (measuredShare < 0.99) return 'Part of the scan has no counterpart on the reference.';
  return guardBandMm > 0 ? 'Part of the surface is within the guard band of a limit.' : null;
}

/** Where the furthest deviation is; the other measures are of the whole surface. */
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

/** What of that may come from the scan and the pose, place by place. */
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
  purpose: 'Run CAD comparison analysis.',
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
