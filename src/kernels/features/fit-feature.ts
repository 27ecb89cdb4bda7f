/**
 * Least-squares features: minimize the sum of squared orthogonal distances (definitions of Shakarji 1998,
 * doi:10.6028/jres.103.043). Points are first centred and scaled to a spread of 1, so that position and size of the
 * part cost no digits.
 */
import { principalAxes } from '../alignment/principal-axes.ts';
import { add, cross, dot, minus, scale, unit } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import { type Minimum, minimize } from '../linear/least-squares.ts';
import { type Feature, type FeatureKind, type Fit, minPoints, type Sensitivity } from './feature.ts';
import { findAxes, guessCircle, guessSphere, type Shape, spanPlane } from './guess-feature.ts';

/** Spreads below this share of the largest count as zero: points on a line, or in a plane. */
const flat = 1e-6;
/** A radius beyond this multiple of the points' extent is not determined by them. */
const farRadius = 1000;

/**
 * Fits one feature. O(points) per step, and O(points²) once; axes are searched in 200 directions with 300 of the points.
 * @param points mm
 * @throws KernelError BAD_INPUT if there are too few points or they don't determine the feature
 */
export function fitFeature(kind: FeatureKind, points: readonly Vector3[]): Fit {
  checkPoints(kind, points);
  const { center, axes, spreadMm } = principalAxes(Float64Array.from(points.flat()));
  checkSpread(kind, spreadMm);
  const size = Math.hypot(...spreadMm);
  const scaled = points.map((point) => scale(minus(point, center), 1 / size));
  const { shape, minimum, count } = fitScaled(kind, scaled, axes);
  const extent = Math.max(...scaled.map((point) => Math.hypot(...point)));
  if (shape.radius > farRadius * extent)
    throw new KernelError(
      'BAD_INPUT',
      `The points lie on so small a part of the ${kind} that its radius is not determined. Choose points that are farther apart around it.`,
    );
  if (!minimum.covariance)
    throw new KernelError(
      'BAD_INPUT',
      `The points don't determine a ${kind}: several fit them equally well. Choose points spread over more of it.`,
    );
  const residualsMm = Float64Array.from(scaled, (point) => size * measureResidual(kind, shape, point));
  // A circle's form lies in its plane; its residuals include the distance from the plane.
  const formMm =
    kind === 'circle' ? scaled.map((point) => size * measureRadial(shape, point)) : [...residualsMm];
  const squares = formMm.reduce((sum, value) => sum + value * value, 0);
  const [least, most] = [Math.min(...formMm), Math.max(...formMm)];
  const angleRad = 2 * Math.atan(shape.slope);
  return {
    feature: {
      kind,
      centerMm: add(center, scale(shape.center, size)),
      direction: shape.direction,
      radiusMm: kind === 'line' || kind === 'plane' ? null : shape.radius * size,
      apexAngleDeg: kind === 'cone' ? (angleRad * 180) / Math.PI : null,
    },
    residualsMm,
    rmsMm: Math.sqrt(squares / points.length),
    formErrorMm: kind === 'line' ? 2 * most : most - least,
    pointCount: points.length,
    freedom: count - minimum.parameters.length,
    alike: findAlike(listResiduals(kind, shape, scaled), scaled),
    sensitivity: readSensitivity(kind, shape, minimum.covariance, size),
  };
}

function checkPoints(kind: FeatureKind, points: readonly Vector3[]): void {
  if (points.length < minPoints[kind])
    throw new KernelError(
      'BAD_INPUT',
      `A ${kind} needs at least ${minPoints[kind]} points; there are ${points.length}.`,
    );
  const at = points.findIndex((point) => !point.every(Number.isFinite));
  if (at >= 0) throw new KernelError('BAD_INPUT', `Point ${at + 1} has a coordinate that is no number.`);
}

function checkSpread(kind: FeatureKind, [first, second, third]: Vector3): void {
  const refuse = (what: string) => {
    throw new KernelError(
      'BAD_INPUT',
      `${what}, which does not determine a ${kind}. Choose points farther apart.`,
    );
  };
  if (!(first > 0)) refuse('All points lie at the same place');
  if (kind === 'line') return;
  if (second <= flat * first) refuse('All points lie on one line');
  if (kind !== 'plane' && kind !== 'circle' && third <= flat * first) refuse('All points lie in one plane');
}

interface ScaledFit {
  shape: Shape;
  minimum: Minimum;
  /** number of residuals minimized */
  count: number;
}

function fitScaled(kind: FeatureKind, points: readonly Vector3[], axes: readonly Vector3[]): ScaledFit {
  const origin: Vector3 = [0, 0, 0];
  switch (kind) {
    case 'line':
      return refine(kind, points, { center: origin, direction: axes[0], radius: 0, slope: 0 });
    case 'plane':
      return refine(kind, points, { center: origin, direction: axes[2], radius: 0, slope: 0 });
    case 'circle':
      return refine(kind, points, guessCircle(points, axes[2]));
    case 'sphere':
      return refine(kind, points, guessSphere(points));
    case 'cylinder':
    case 'cone': {
      const some = points.filter((_, i) => i % Math.ceil(points.length / 300) === 0);
      const tried = findAxes(kind, some, axes).map((start) => refine(kind, some, start));
      tried.sort((a, b) => a.minimum.sumOfSquares - b.minimum.sumOfSquares);
      return refine(kind, points, tried[0].shape);
    }
  }
}

/** Parameters of each kind in order: two rotations, a shift in space or across, radius, slope. */
const freedoms: Record<
  FeatureKind,
  { turns: boolean; shifts: 'space' | 'across' | 'along'; radius: boolean; slope: boolean }
> = {
  line: { turns: true, shifts: 'across', radius: false, slope: false },
  plane: { turns: true, shifts: 'along', radius: false, slope: false },
  circle: { turns: true, shifts: 'space', radius: true, slope: false },
  sphere: { turns: false, shifts: 'space', radius: true, slope: false },
  cylinder: { turns: true, shifts: 'across', radius: true, slope: false },
  cone: { turns: true, shifts: 'across', radius: true, slope: true },
};

/** Applies parameters to an initial shape; all zero gives the initial shape. */
function changeShape(kind: FeatureKind, start: Shape, parameters: readonly number[]): Shape {
  const { turns, shifts, radius, slope } = freedoms[kind];
  const along = start.direction ?? [0, 0, 1];
  const [u, v] = spanPlane(along);
  let at = 0;
  const take = () => parameters[at++];
  const direction = turns ? unit(add(along, add(scale(u, take()), scale(v, take())))) : start.direction;
  const by =
    shifts === 'along'
      ? scale(along, take())
      : add(add(scale(u, take()), scale(v, take())), shifts === 'space' ? scale(along, take()) : [0, 0, 0]);
  return {
    center: add(start.center, by),
    direction,
    radius: start.radius + (radius ? take() : 0),
    slope: start.slope + (slope ? take() : 0),
  };
}

function refine(kind: FeatureKind, points: readonly Vector3[], start: Shape): ScaledFit {
  const { turns, shifts, radius, slope } = freedoms[kind];
  const size = (turns ? 2 : 0) + { space: 3, across: 2, along: 1 }[shifts] + Number(radius) + Number(slope);
  let shape = start;
  let minimum: Minimum = { parameters: [], sumOfSquares: Infinity, covariance: null };
  // Restarts from the result, because rotations are relative to the start and become inaccurate when large.
  for (let round = 0; round < 3; round++) {
    const from = shape;
    const residualsAt = (parameters: readonly number[]) =>
      listResiduals(kind, changeShape(kind, from, parameters), points);
    minimum = minimize(residualsAt, new Array<number>(size).fill(0));
    shape = slideToMiddle(kind, changeShape(kind, from, minimum.parameters));
  }
  // A cone with negated slope and direction is the same cone.
  if (shape.slope < 0 && shape.direction)
    shape = { ...shape, direction: scale(shape.direction, -1), slope: -shape.slope };
  const perPoint = kind === 'line' || kind === 'circle' ? 2 : 1;
  return { shape, minimum, count: perPoint * points.length };
}

/** The position along an axis is arbitrary: moves it next to the centroid of the points, which is 0. */
function slideToMiddle(kind: FeatureKind, shape: Shape): Shape {
  const { direction, center } = shape;
  if (!direction || kind === 'circle') return shape;
  if (kind === 'plane') return { ...shape, center: scale(direction, dot(center, direction)) };
  const along = -dot(center, direction);
  return {
    ...shape,
    center: add(center, scale(direction, along)),
    radius: shape.radius + shape.slope * along,
  };
}

/** Residuals to minimize: one per point, two for lines and circles. */
function listResiduals(kind: FeatureKind, shape: Shape, points: readonly Vector3[]): Float64Array {
  if (kind !== 'line' && kind !== 'circle')
    return Float64Array.from(points, (point) => measureResidual(kind, shape, point));
  const direction = shape.direction as Vector3;
  const [u, v] = spanPlane(direction);
  const residuals = new Float64Array(2 * points.length);
  for (const [i, point] of points.entries()) {
    const off = minus(point, shape.center);
    const across = [dot(off, u), dot(off, v)];
    residuals[2 * i] = kind === 'line' ? across[0] : Math.hypot(...across) - shape.radius;
    residuals[2 * i + 1] = kind === 'line' ? across[1] : dot(off, direction);
  }
  return residuals;
}

/** Points closer than this share of their spread may have residuals that are alike. */
const alikeWithin = 0.7;

/**
 * Standard uncertainty of a mean of correlated residuals over that of independent ones, from the products of the
 * residuals of neighbouring points with weights that fall to 0 (Conley 1999, doi:10.1016/S0304-4076(98)00084-0); at
 * least 1. Noise, streaks and bands of a scan shift neighbouring points together. O(points²).
 * @param residuals one or two per point
 * @param points with a spread of 1
 */
function findAlike(residuals: Float64Array, points: readonly Vector3[]): number {
  const each = residuals.length / points.length;
  let [sum, squares] = [0, 0];
  for (let i = 0; i < points.length; i++)
    for (let j = 0; j <= i; j++) {
      const apart = minus(points[i], points[j]);
      const weight = 1 - Math.sqrt(dot(apart, apart)) / alikeWithin;
      if (weight <= 0) continue;
      let product = 0;
      for (let k = 0; k < each; k++) product += residuals[each * i + k] * residuals[each * j + k];
      if (i === j) squares += product;
      sum += (i === j ? 1 : 2) * weight * product;
    }
  return squares > 0 ? Math.sqrt(Math.max(1, sum / squares)) : 1;
}

/** Orthogonal distance of a point from a feature in mm, outwards positive; for line and circle unsigned. */
export function measureOffset(feature: Feature, point: Vector3): number {
  const { kind, centerMm: center, direction, radiusMm, apexAngleDeg } = feature;
  const slope = Math.tan(((apexAngleDeg ?? 0) * Math.PI) / 360);
  return measureResidual(kind, { center, direction, radius: radiusMm ?? 0, slope }, point);
}

/** Orthogonal residual of one point. */
function measureResidual(kind: FeatureKind, shape: Shape, point: Vector3): number {
  const off = minus(point, shape.center);
  if (kind === 'sphere') return Math.hypot(...off) - shape.radius;
  const direction = shape.direction as Vector3;
  const along = dot(off, direction);
  if (kind === 'plane') return along;
  const across = Math.hypot(...cross(off, direction));
  switch (kind) {
    case 'line':
      return across;
    case 'circle':
      return Math.hypot(across - shape.radius, along);
    default:
      return (across - shape.radius - shape.slope * along) / Math.hypot(1, shape.slope);
  }
}

/** Distance of a point from a circle within the circle's plane, outwards positive. */
const measureRadial = ({ center, direction, radius }: Shape, point: Vector3): number =>
  Math.hypot(...cross(minus(point, center), direction as Vector3)) - radius;

function readSensitivity(
  kind: FeatureKind,
  shape: Shape,
  covariance: readonly number[][],
  size: number,
): Sensitivity {
  const { turns, shifts, radius, slope } = freedoms[kind];
  const variances = covariance.map((row, i) => row[i]);
  let at = 0;
  const take = (count: number) => {
    at += count;
    return Math.sqrt(Math.max(0, ...variances.slice(at - count, at)));
  };
  const direction = turns ? take(2) : 0;
  const center = take({ space: 3, across: 2, along: 1 }[shifts]);
  const radial = radius ? take(1) : 0;
  const angle = slope ? (2 * take(1)) / (1 + shape.slope * shape.slope) : 0;
  // Shifts and radii were scaled like the points, angles were not.
  return { center, directionRad: direction / size, radius: radial, apexAngleRad: angle / size };
}
