/** Measurements that a user made on a scan: points, and the numbers that the service computes from them. */
import { z } from 'zod';
import { formatCount, formatNumber, formatQuantity, withUnit } from '../base/format-number.ts';
import { Timestamp, UserSummary, Uuid, Vector3 } from '../base/primitives.ts';
import { Uncertainty } from '../metadata/uncertainty.ts';
import { Name } from './organization.ts';
import { definePage, PageQuery } from './page.ts';

/** Computed directly from the points. */
export const pointKinds = ['distance', 'angle', 'area', 'wall', 'profile'] as const;
/** Fitted to the points by least squares. */
export const fittedKinds = ['line', 'plane', 'circle', 'sphere', 'cylinder', 'cone'] as const;
/** Computed between two fitted features. */
export const relationKinds = ['featureDistance', 'featureAngle'] as const;
export const measurementKinds = [...pointKinds, ...fittedKinds, ...relationKinds] as const;
export const MeasurementKind = z.enum(measurementKinds).meta({ id: 'MeasurementKind' });
export type MeasurementKind = z.infer<typeof MeasurementKind>;

/** Names of the kinds in lists, reports and on screen. */
export const kindTitles: Record<MeasurementKind, string> = {
  distance: 'Distance',
  angle: 'Angle',
  area: 'Area',
  wall: 'Wall thickness',
  profile: 'Grey profile',
  line: 'Line',
  plane: 'Plane',
  circle: 'Circle',
  sphere: 'Sphere',
  cylinder: 'Cylinder',
  cone: 'Cone',
  featureDistance: 'Distance of features',
  featureAngle: 'Angle of features',
};

export const quantityTitles = {
  distance: 'Distance',
  angle: 'Angle',
  area: 'Area',
  perimeter: 'Perimeter',
  thickness: 'Wall thickness',
  length: 'Length',
  radius: 'Radius',
  diameter: 'Diameter',
  apexAngle: 'Apex angle',
  formError: 'Form error',
} as const;
export type MeasuredQuantity = keyof typeof quantityTitles;

export const placements = ['surface', 'edge', 'free'] as const;

export const MeasuredValue = z
  .object({
    quantity: z.enum(Object.keys(quantityTitles) as [MeasuredQuantity, ...MeasuredQuantity[]]),
    value: z.number(),
    unit: z.enum(['mm', 'mm²', '°']),
    uncertainty: Uncertainty.nullable().meta({
      description:
        'null when the uncertainty of the points is unknown: neither the scan nor redundant points provide it, or the scan shifts surfaces by an unknown amount',
    }),
  })
  .meta({ id: 'MeasuredValue' });
export type MeasuredValue = z.infer<typeof MeasuredValue>;

export const FittedFeature = z
  .object({
    kind: z.enum(fittedKinds),
    centerMm: Vector3,
    direction: Vector3.nullable().meta({
      description: 'unit vector along the axis, or normal of a plane or circle; null for a sphere',
    }),
    radiusMm: z
      .number()
      .nullable()
      .meta({ description: 'for a cone, at `centerMm`; null for a line or plane' }),
    apexAngleDeg: z.number().nullable().meta({ description: 'full angle of a cone; otherwise null' }),
    rmsMm: z
      .number()
      .meta({ description: 'root mean square of the residuals; of a circle, within its plane' }),
    formErrorMm: z
      .number()
      .meta({ description: 'peak-to-valley range of the residuals; of a circle, within its plane' }),
    pointCount: z.int(),
  })
  .meta({ id: 'FittedFeature' });
export type FittedFeature = z.infer<typeof FittedFeature>;

export const MeasurementResult = z
  .object({
    values: z.array(MeasuredValue).min(1).meta({ description: 'the first is the measurement’s main value' }),
    feature: FittedFeature.nullable().meta({ description: 'null for kinds that fit nothing' }),
    method: z.string().meta({ description: 'how the numbers and their uncertainties were computed' }),
    provenance: z.object({
      dataObjectName: z.string(),
      dataObjectVersion: z.int(),
      surfaceName: z.string().nullable().meta({ description: 'null when the points lie on no surface' }),
      voxelSizeMm: Vector3.nullable().meta({ description: 'null when no volume is known' }),
      pointUncertaintyMm: z.number().nullable().meta({
        description: 'standard uncertainty of one point along the surface normal; null when unknown',
      }),
      version: z.int().meta({ description: 'version of the computation' }),
    }),
  })
  .meta({ id: 'MeasurementResult' });
export type MeasurementResult = z.infer<typeof MeasurementResult>;

/** Increased when the same points yield different numbers. */
export const measurementVersion = 4;

const Points = z
  .array(Vector3)
  .max(1000)
  .meta({ description: 'mm in the data object’s frame; for an angle, the second point is the vertex' });
const Placement = z.enum(placements).meta({
  description:
    '`surface`: points on the surface’s mesh; `edge`: on edges of the grey values; `free`: anywhere, without uncertainty',
});

export const Measurement = z
  .object({
    id: Uuid,
    projectId: Uuid,
    dataObjectId: Uuid,
    surfaceId: Uuid.nullable().meta({ description: 'surface that the points lie on; null when none' }),
    name: z.string(),
    kind: MeasurementKind,
    points: Points,
    featureIds: z
      .array(Uuid)
      .meta({ description: 'the two measurements that a relation connects; otherwise empty' }),
    placement: Placement,
    result: MeasurementResult,
    author: UserSummary.nullable().meta({ description: 'null when the account was deleted' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Measurement' });
export type Measurement = z.infer<typeof Measurement>;
export const MeasurementPage = definePage(Measurement, 'MeasurementPage');
export const MeasurementListQuery = PageQuery;

export const MeasurementInput = z
  .strictObject({
    dataObjectId: Uuid.meta({ description: 'volume or mesh of the project' }),
    surfaceId: Uuid.nullable()
      .default(null)
      .meta({ description: 'surface that the points were placed on; null: none' }),
    name: Name,
    kind: MeasurementKind,
    points: Points.default([]),
    featureIds: z.array(Uuid).max(2).default([]),
    placement: Placement.default('free'),
  })
  .meta({ id: 'MeasurementInput' });
export type MeasurementInput = z.infer<typeof MeasurementInput>;

export const MeasurementPatch = z
  .strictObject({
    name: Name.optional(),
    points: Points.optional(),
    placement: Placement.optional(),
    surfaceId: Uuid.nullable()
      .optional()
      .meta({ description: 'surface that the points were placed on; null: none' }),
  })
  .meta({ id: 'MeasurementPatch' });
export type MeasurementPatch = z.infer<typeof MeasurementPatch>;

const usualDecimals: Record<MeasuredValue['unit'], number> = { mm: 3, 'mm²': 3, '°': 2 };

/** Decimals up to the second significant digit of the uncertainty; without an uncertainty, 1 µm or 0.01°. */
const chooseDecimals = ({ unit, uncertainty }: MeasuredValue): number => {
  const expanded = uncertainty?.expanded ?? 0;
  return expanded > 0 ? Math.min(9, Math.max(0, 1 - Math.floor(Math.log10(expanded)))) : usualDecimals[unit];
};

/** Rounds as {@link formatMeasurement} does, for export to a file. */
export const roundMeasurement = (measured: MeasuredValue) => {
  const round = (value: number) => Number(value.toFixed(chooseDecimals(measured)));
  const expanded = measured.uncertainty?.expanded;
  return { value: round(measured.value), expanded: expanded === undefined ? null : round(expanded) };
};

/** A measured number with its unit, rounded to the second digit of its uncertainty: `12.345 ± 0.012 mm`. */
export function formatMeasurement(measured: MeasuredValue): string {
  const { value, unit, uncertainty } = measured;
  const expanded = uncertainty?.expanded ?? 0;
  const decimals = chooseDecimals(measured);
  const text = formatNumber(value, decimals);
  return withUnit(expanded > 0 ? `${text} ± ${formatNumber(expanded, decimals)}` : text, unit);
}

/** The main value of a measurement, with Ø before a diameter; for a plane or line, its form error. */
export function formatHeadline([first]: readonly MeasuredValue[]): string {
  if (!first) return '';
  const text = formatMeasurement(first);
  if (first.quantity === 'diameter') return `Ø ${text}`;
  return first.quantity === 'formError' ? `${quantityTitles.formError} ${text}` : text;
}

/** Where a measurement is drawn: at its points; one between features, at their centres. mm */
export const listDrawnPoints = (
  { points, featureIds }: Pick<Measurement, 'points' | 'featureIds'>,
  measurements: readonly Pick<Measurement, 'id' | 'result'>[],
): Measurement['points'] => [
  ...points,
  ...featureIds.flatMap((featureId) => {
    const feature = measurements.find(({ id }) => id === featureId)?.result.feature;
    return feature ? [feature.centerMm] : [];
  }),
];

/** How well the points fit the feature: `24 points, RMS deviation 3.1 µm`. */
export const describeFit = ({ pointCount, rmsMm }: FittedFeature): string =>
  `${formatCount(pointCount)} points, RMS deviation ${formatQuantity(rmsMm, 'mm')}`;

/** Further numbers of a fit for export to a file: point count, RMS deviation, centre and direction. */
export function listFitNumbers(feature: FittedFeature | null): FitNumber[] {
  if (!feature) return [];
  const { pointCount, rmsMm, centerMm, direction } = feature;
  const along = (name: string, title: string, vector: readonly number[], unit: FitNumber['unit']) =>
    ['X', 'Y', 'Z'].map(
      (axis, k): FitNumber => ({
        name: `${name}${axis}`,
        title: `${title} ${axis}`,
        value: Number((vector[k] ?? 0).toFixed(6)),
        unit,
      }),
    );
  return [
    { name: 'points', title: 'Points', value: pointCount, unit: '' },
    { name: 'rms', title: 'RMS deviation', value: Number(rmsMm.toFixed(6)), unit: 'mm' },
    ...along('centre', 'Centre', centerMm, 'mm'),
    ...(direction ? along('direction', 'Direction', direction, '') : []),
  ];
}

interface FitNumber {
  name: string;
  title: string;
  value: number;
  unit: '' | 'mm';
}
