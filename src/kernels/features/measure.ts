/** Computes measured values and their uncertainties from points. Lengths in mm, areas in mm², angles in degrees. */
import { add, cross, dot, minus, scale, unit } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import { type Feature, type FeatureKind, type Fit, featureKinds } from './feature.ts';
import { fitFeature, measureOffset } from './fit-feature.ts';
import { spanPlane } from './guess-feature.ts';
import { findCoherence, type PointUncertainty } from './point-uncertainty.ts';
import { measureAngle, measureDistance } from './relate-features.ts';

export const pointKinds = ['distance', 'angle', 'area', 'wall', 'profile'] as const;
export type PointKind = (typeof pointKinds)[number];
export const relationKinds = ['featureDistance', 'featureAngle'] as const;
export type RelationKind = (typeof relationKinds)[number];

export interface MeasuredValue {
  quantity:
    | 'distance'
    | 'angle'
    | 'area'
    | 'perimeter'
    | 'thickness'
    | 'length'
    | 'radius'
    | 'diameter'
    | 'apexAngle'
    | 'formError';
  value: number;
  unit: 'mm' | 'mm²' | '°';
  /** standard uncertainty; null if unknown */
  standard: number | null;
}

/** The first value is the primary one. */
export interface Measured {
  values: [MeasuredValue, ...MeasuredValue[]];
  fit: Fit | null;
}

/** Message if the points were rejected; null for any other error. */
export const explainRefusal = (error: unknown): string | null =>
  error instanceof KernelError ? error.message : null;

const degrees = 180 / Math.PI;

/** Minimum and maximum number of points for each kind. */
export const pointCounts: Record<PointKind, readonly [number, number]> = {
  distance: [2, 2],
  angle: [3, 3],
  area: [3, 1000],
  wall: [2, 2],
  profile: [2, 2],
};

/**
 * @param points mm; angle: the second is the vertex; area: corners in order; wall: entry and exit of a ray
 * @param uncertainty of the points; null if they are not on the determined surface
 * @throws KernelError BAD_INPUT if the points don't determine the value
 */
export function measurePoints(
  kind: PointKind | FeatureKind,
  points: readonly Vector3[],
  uncertainty: PointUncertainty | null,
): Measured {
  if (isFeatureKind(kind)) return measureFit(fitFeature(kind, points), points, uncertainty);
  const [least, most] = pointCounts[kind];
  if (points.length < least || points.length > most)
    throw new KernelError(
      'BAD_INPUT',
      `The kind ${kind} takes ${least === most ? least : `${least} to ${most}`} points; there are ${points.length}.`,
    );
  const at = points.findIndex((point) => !point.every(Number.isFinite));
  if (at >= 0) throw new KernelError('BAD_INPUT', `Point ${at + 1} has a coordinate that is no number.`);
  const value = (
    quantity: MeasuredValue['quantity'],
    unit: MeasuredValue['unit'],
    read: (points: readonly Vector3[]) => number,
  ): MeasuredValue => ({
    quantity,
    unit,
    value: read(points),
    standard: uncertainty && propagate(read, points, uncertainty),
  });
  switch (kind) {
    case 'distance':
      return { values: [value('distance', 'mm', measureLength)], fit: null };
    case 'wall':
      return { values: [value('thickness', 'mm', measureLength)], fit: null };
    case 'profile':
      return { values: [value('length', 'mm', measureLength)], fit: null };
    case 'angle':
      return { values: [value('angle', '°', measureVertexAngle)], fit: null };
    case 'area':
      return {
        values: [value('area', 'mm²', measureArea), value('perimeter', 'mm', measurePerimeter)],
        fit: null,
      };
  }
}

export const isFeatureKind = (kind: string): kind is FeatureKind =>
  (featureKinds as readonly string[]).includes(kind);

function measureLength([from, to]: readonly Vector3[]): number {
  const length = Math.hypot(...minus(to, from));
  if (length > 0) return length;
  throw new KernelError('BAD_INPUT', 'Both points lie at the same place. Choose two different ones.');
}

function measureVertexAngle([one, vertex, other]: readonly Vector3[]): number {
  const [a, b] = [minus(one, vertex), minus(other, vertex)];
  if (Math.hypot(...a) > 0 && Math.hypot(...b) > 0)
    return Math.atan2(Math.hypot(...cross(a, b)), dot(a, b)) * degrees;
  throw new KernelError(
    'BAD_INPUT',
    'The vertex (second point) lies on one of the others. Choose three different points.',
  );
}

/** Area of the polygon, seen along its mean normal. */
function measureArea(points: readonly Vector3[]): number {
  const sum = points.reduce<Vector3>(
    (total, point, i) => {
      const next = points[(i + 1) % points.length];
      return add(total, cross(minus(point, points[0]), minus(next, points[0])));
    },
    [0, 0, 0],
  );
  const area = Math.hypot(...sum) / 2;
  if (area > 0) return area;
  throw new KernelError(
    'BAD_INPUT',
    'All corners lie on one line, so there is no area. Choose corners around it.',
  );
}

const measurePerimeter = (points: readonly Vector3[]): number =>
  points.reduce((sum, point, i) => sum + Math.hypot(...minus(points[(i + 1) % points.length], point)), 0);

/**
 * First-order propagation (JCGM 100:2008, 5.1.2): independent contributions are added in quadrature; one that is common
 * to all points adds linearly, each point in the direction that changes the value most.
 */
function propagate(
  read: (points: readonly Vector3[]) => number,
  points: readonly Vector3[],
  { randomMm, systematicMm }: PointUncertainty,
): number {
  const size = Math.hypot(...points.flatMap((point) => minus(point, points[0])));
  const step = 1e-5 * size;
  const slopes = points.map((point, i) => {
    const slope = [0, 1, 2].map((axis) => {
      const moved = (by: number) => {
        const there: Vector3 = [...point];
        there[axis] += by;
        return read(points.with(i, there));
      };
      return (moved(step) - moved(-step)) / (2 * step);
    });
    return Math.hypot(...slope);
  });
  const sum = slopes.reduce((total, slope) => total + slope, 0);
  return Math.hypot(randomMm * Math.hypot(...slopes), systematicMm * sum);
}

/** Standard uncertainties of a fitted feature. */
export interface FeatureUncertainty {
  centerMm: number;
  /** of a plane along its normal, from what all points have in common; 0 for the others */
  shiftMm: number;
  /** the same from the voxel grid, which moves each face independently */
  gridMm: number;
  directionRad: number;
  radiusMm: number;
  apexAngleRad: number;
  pointMm: number;
}

/**
 * The uncertainty per point is that estimated from the scan or the scatter of the points, whichever is larger, so that
 * a form deviation widens the interval. Null if the scan gives no estimate and there are no degrees of freedom.
 */
export function estimateFeatureUncertainty(
  { feature, freedom, alike, residualsMm, sensitivity }: Fit,
  points: readonly Vector3[],
  uncertainty: PointUncertainty | null,
): FeatureUncertainty | null {
  const squares = residualsMm.reduce((sum, value) => sum + value * value, 0);
  const scatter = freedom > 0 ? alike * Math.sqrt(squares / freedom) : 0;
  if (!uncertainty && freedom <= 0) return null;
  const pointMm = Math.max(scatter, uncertainty?.randomMm ?? 0);
  const shift = uncertainty?.systematicMm ?? 0;
  const grid = uncertainty?.grid;
  const gridMm = grid ? grid.standardMm * findCoherence(...listFaces(feature, points), grid.frame) : 0;
  const { kind, radiusMm } = feature;
  const isPlane = kind === 'plane';
  const bend = radiusMm === null ? 0 : (kind === 'sphere' ? 1 : 0.5) / radiusMm;
  return {
    pointMm,
    centerMm: sensitivity.center * pointMm,
    // A systematic shift moves a plane as a whole; for round features, it moves opposite sides apart.
    shiftMm: isPlane ? shift : 0,
    gridMm: isPlane ? gridMm : 0,
    directionRad: sensitivity.directionRad * pointMm,
    radiusMm: Math.hypot(sensitivity.radius * pointMm, shift, gridMm, bend * (uncertainty?.roundingMm2 ?? 0)),
    apexAngleRad: sensitivity.apexAngleRad * pointMm,
  };
}

/** Places of a feature's surface next to the points, without their noise, and the directions that it looks there. */
function listFaces(feature: Feature, points: readonly Vector3[]): [places: Vector3[], normals: Vector3[]] {
  const normals = points.map((point): Vector3 => {
    const { kind, centerMm, direction } = feature;
    if (kind === 'plane' && direction) return direction;
    const off = minus(point, centerMm);
    return unit(direction ? minus(off, scale(direction, dot(off, direction))) : off);
  });
  const places = points.map((point, i) => minus(point, scale(normals[i], measureOffset(feature, point))));
  return [places, normals];
}

function measureFit(fit: Fit, points: readonly Vector3[], uncertainty: PointUncertainty | null): Measured {
  const { feature, formErrorMm } = fit;
  const known = estimateFeatureUncertainty(fit, points, uncertainty);
  const { radiusMm, apexAngleDeg } = feature;
  const values: MeasuredValue[] = [];
  if (apexAngleDeg !== null)
    values.push({
      quantity: 'apexAngle',
      unit: '°',
      value: apexAngleDeg,
      standard: known && known.apexAngleRad * degrees,
    });
  else if (radiusMm !== null)
    values.push(
      { quantity: 'diameter', unit: 'mm', value: 2 * radiusMm, standard: known && 2 * known.radiusMm },
      { quantity: 'radius', unit: 'mm', value: radiusMm, standard: known?.radiusMm ?? null },
    );
  const form: MeasuredValue = {
    quantity: 'formError',
    unit: 'mm',
    value: formErrorMm,
    // From its highest and its lowest point.
    standard: uncertainty && Math.SQRT2 * uncertainty.randomMm,
  };
  const [first, ...more] = [...values, form];
  return { values: [first, ...more], fit };
}

/** One of the two features of a distance or an angle. */
export interface RelatedFeature {
  feature: Feature;
  uncertainty: FeatureUncertainty | null;
}

/** @throws KernelError BAD_INPUT if the features have no such distance or angle */
export function measureRelation(kind: RelationKind, one: RelatedFeature, other: RelatedFeature): Measured {
  const [a, b] = [one.uncertainty, other.uncertainty];
  if (kind === 'featureAngle') {
    const value = measureAngle(one.feature, other.feature);
    const standard = a && b && Math.hypot(a.directionRad, b.directionRad) * degrees;
    return { values: [{ quantity: 'angle', unit: '°', value, standard }], fit: null };
  }
  const value = measureDistance(one.feature, other.feature);
  const standard =
    a &&
    b &&
    Math.hypot(
      ...propagateFeature(one.feature, a, (moved) => measureDistance(moved, other.feature) - value),
      ...propagateFeature(other.feature, b, (moved) => measureDistance(one.feature, moved) - value),
      // The shifts of two faces that look away from each other add up, as those of two points do.
      a.shiftMm + b.shiftMm,
      a.gridMm,
      b.gridMm,
    );
  return { values: [{ quantity: 'distance', unit: 'mm', value, standard }], fit: null };
}

/**
 * Standard uncertainties that the position and the direction of a feature give a distance. Of both ways the larger
 * effect counts: the distance of crossing axes grows either way.
 * @param readChange of the distance, with the feature moved
 */
function propagateFeature(
  feature: Feature,
  { centerMm, directionRad }: FeatureUncertainty,
  readChange: (moved: Feature) => number,
): number[] {
  const step = 1e-6;
  const measureEffect = (standard: number, move: (by: number) => Feature) =>
    (standard * Math.max(...[step, -step].map((by) => Math.abs(readChange(move(by)))))) / step;
  const { centerMm: center, direction } = feature;
  return [
    ...[0, 1, 2].map((axis) =>
      measureEffect(centerMm, (by) => ({
        ...feature,
        centerMm: center.with(axis, center[axis] + by) as Vector3,
      })),
    ),
    ...(direction ? spanPlane(direction) : []).map((across) =>
      measureEffect(directionRad, (by) => ({
        ...feature,
        direction: unit(add(direction ?? across, scale(across, by))),
      })),
    ),
  ];
}
