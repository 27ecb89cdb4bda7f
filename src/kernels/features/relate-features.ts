/** Distances and angles between fitted features. Lengths in mm, angles in degrees. */
import { cross, dot, minus } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import type { Feature } from './feature.ts';

/** Axes and planes within this angle count as parallel; their distance is that between their centres. */
const parallelDeg = 5;

type Extent = 'point' | 'axis' | 'plane';
const extents: Record<Feature['kind'], Extent> = {
  circle: 'point',
  sphere: 'point',
  line: 'axis',
  cylinder: 'axis',
  cone: 'axis',
  plane: 'plane',
};

const measureFromAxis = (point: Vector3, { centerMm, direction }: Feature): number =>
  Math.hypot(...cross(minus(point, centerMm), direction as Vector3));
const measureFromPlane = (point: Vector3, { centerMm, direction }: Feature): number =>
  Math.abs(dot(minus(point, centerMm), direction as Vector3));

/**
 * Shortest distance of centres, axes and planes; for parallel axes and planes (within 5°) the mean of the distances of
 * each centre from the other feature.
 * @throws KernelError BAD_INPUT for nonparallel planes, or a plane and an axis
 */
export function measureDistance(one: Feature, other: Feature): number {
  const [a, b] = [one, other].sort((x, y) => rank(x) - rank(y));
  const pair = `${extents[a.kind]}-${extents[b.kind]}`;
  if (pair === 'point-point') return Math.hypot(...minus(a.centerMm, b.centerMm));
  if (pair === 'point-axis') return measureFromAxis(a.centerMm, b);
  if (pair === 'point-plane') return measureFromPlane(a.centerMm, b);
  const angle = measureAngle(a, b);
  if (pair === 'axis-axis') {
    if (angle <= parallelDeg) return (measureFromAxis(a.centerMm, b) + measureFromAxis(b.centerMm, a)) / 2;
    const across = cross(a.direction as Vector3, b.direction as Vector3);
    return Math.abs(dot(minus(b.centerMm, a.centerMm), across)) / Math.hypot(...across);
  }
  if (angle > parallelDeg)
    throw new KernelError(
      'BAD_INPUT',
      `The ${a.kind} and the ${b.kind} are not parallel (${angle.toFixed(1)}°), so they have no distance. Measure the angle between them.`,
    );
  if (pair === 'axis-plane') return measureFromPlane(a.centerMm, b);
  return (measureFromPlane(a.centerMm, b) + measureFromPlane(b.centerMm, a)) / 2;
}

const rank = ({ kind }: Feature): number => ['point', 'axis', 'plane'].indexOf(extents[kind]);

/**
 * Angle between axes, between planes (a circle counts as its plane), or between an axis and a plane; 0 to 90°.
 * @throws KernelError BAD_INPUT if one is a sphere, which has no direction
 */
export function measureAngle(one: Feature, other: Feature): number {
  const directions = [one, other].map(({ kind, direction }) => {
    if (!direction)
      throw new KernelError(
        'BAD_INPUT',
        `A ${kind} has no direction, so there is no angle. Choose another feature.`,
      );
    return direction;
  });
  const sine = Math.hypot(...cross(directions[0], directions[1]));
  const between = (Math.atan2(sine, Math.abs(dot(directions[0], directions[1]))) * 180) / Math.PI;
  const isAxis = ({ kind }: Feature) => extents[kind] === 'axis';
  return isAxis(one) === isAxis(other) ? between : 90 - between;
}
