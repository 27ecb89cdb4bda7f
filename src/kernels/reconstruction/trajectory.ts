/**
 * Fits a circle about the part to the poses of source and detector at each projection, and derives the geometry for the
 * reconstruction. O(projections).
 *
 * Source: the axis of a rotation is the antisymmetric part of its matrix (Palais and Palais 2007,
 * doi:10.1080/00029890.2007.11920490).
 */

import { add, cross, dot, minus, type Pose, rotate, scale, unit } from '../grid/vectors.ts';
import type { Grid, Vector3 } from '../grid/volume.ts';
import type { GeometryDescription } from './description.ts';

/**
 * Source and detector at one projection, in the part's frame: the first axes are those of increasing columns and rows.
 */
export interface PosedView {
  sourceMm: Vector3;
  detector: Pose;
}

export interface Circle {
  description: Pick<
    GeometryDescription,
    | 'sourceToAxisMm'
    | 'sourceToDetectorMm'
    | 'sourceAngleDeg'
    | 'sourceHeightMm'
    | 'detectorPose'
    | 'axisFrame'
  >;
  /** rotation of the source about the axis since the first projection; may exceed a full turn */
  anglesDeg: number[];
  /** maximum distance of a source, or of a pixel near the detector's centre, from the circle */
  offMm: number;
  /** variation of the source's height along the axis and of its distance from it over the scan */
  riseMm: number;
  nearMm: number;
}

const toDegrees = 180 / Math.PI;
/** Tolerance for lengths in mm and sines of angles. */
const epsilon = 1e-9;
/** A smaller rotation, in radians, does not determine its axis. */
const minTurn = 1e-3;

/** Matrix of the rotation between two poses, row by row. */
function rotationBetween(from: Pose, to: Pose): number[] {
  return [0, 1, 2].flatMap((row) =>
    [0, 1, 2].map((column) =>
      [0, 1, 2].reduce((sum, axis) => sum + to.axes[axis][row] * from.axes[axis][column], 0),
    ),
  );
}

/** Axis times twice the sine of the angle. */
const antisymmetric = (m: number[]): Vector3 => [m[7] - m[5], m[2] - m[6], m[3] - m[1]];

/**
 * @param reachMm maximum distance of a detector's pixels from its centre
 * @returns undefined if nothing rotates
 */
export function fitCircle(views: readonly PosedView[], reachMm: number): Circle | undefined {
  const [first] = views;
  const rotations = views.map(({ detector }) => rotationBetween(first.detector, detector));
  const sines = rotations.map((matrix) => Math.hypot(...antisymmetric(matrix)) / 2);
  const best = sines.indexOf(Math.max(...sines));
  if (sines[best] < minTurn) return undefined;
  const found = unit(antisymmetric(rotations[best]));
  // The volume is upright if possible: its z is the axis, upwards in the part.
  const upright = [found[2], found[1], found[0]].find((part) => Math.abs(part) > epsilon) ?? 1;
  const axis = scale(found, upright < 0 ? -1 : 1);
  let before = 0;
  const angles = rotations.map((matrix) => {
    const sine = dot(axis, antisymmetric(matrix)) / 2;
    const cosine = (matrix[0] + matrix[4] + matrix[8] - 1) / 2;
    const turn = 2 * Math.PI;
    const angle = Math.atan2(sine, cosine);
    before = angle + turn * Math.round((before - angle) / turn);
    return before;
  });

  const center = findCenter(first.sourceMm, views[best].sourceMm, axis, angles[best]);
  const onCircle = (point: Vector3, angle: number) => add(center, rotate(minus(point, center), axis, angle));
  const offMm = Math.max(
    ...views.flatMap(({ sourceMm, detector }, i) => [
      distance(sourceMm, onCircle(first.sourceMm, angles[i])),
      distance(detector.centerMm, onCircle(first.detector.centerMm, angles[i])),
      ...[0, 1].map(
        (side) => reachMm * distance(detector.axes[side], rotate(first.detector.axes[side], axis, angles[i])),
      ),
    ]),
  );

  const places = views.map(({ sourceMm }) => {
    const from = minus(sourceMm, center);
    const height = dot(from, axis);
    return { height, distance: Math.hypot(...minus(from, scale(axis, height))) };
  });
  const measureRange = (values: number[]) => Math.max(...values) - Math.min(...values);
  const fromCenter = minus(first.sourceMm, center);
  const heightMm = dot(fromCenter, axis);
  const toSource = minus(fromCenter, scale(axis, heightMm));
  const sourceToAxisMm = Math.hypot(...toSource);
  if (!(sourceToAxisMm > epsilon)) return undefined;
  const x = unit(toSource);
  const y = cross(axis, x);
  const inFrame = (a: Vector3): Vector3 => [dot(a, x), dot(a, y), dot(a, axis)];
  const originMm = add(center, scale(axis, heightMm));
  const centerMm = inFrame(minus(first.detector.centerMm, originMm));
  const [alongColumns, alongRows] = first.detector.axes;
  const across = acrossAxis(axis);
  const forward = cross(axis, across);
  const directions = [...across, ...forward, ...axis] as Grid['directions'];
  const isPlain = Math.hypot(originMm[0], originMm[1]) < epsilon && distance(axis, [0, 0, 1]) < epsilon;
  return {
    description: {
      sourceToAxisMm,
      sourceToDetectorMm: sourceToAxisMm - centerMm[0],
      sourceAngleDeg: Math.atan2(dot(x, forward), dot(x, across)) * toDegrees,
      detectorPose: { centerMm, alongColumns: inFrame(alongColumns), alongRows: inFrame(alongRows) },
      ...(isPlain ? { sourceHeightMm: originMm[2] } : { axisFrame: { originMm, directions } }),
    },
    anglesDeg: angles.map((angle) => angle * toDegrees),
    offMm,
    riseMm: measureRange(places.map(({ height }) => height)),
    nearMm: measureRange(places.map(({ distance }) => distance)),
  };
}

const distance = (a: Vector3, b: Vector3): number => Math.hypot(...minus(a, b));

/** A direction perpendicular to the axis, derived from the part's x, or y if the axis is close to x. */
function acrossAxis(axis: Vector3): Vector3 {
  const start: Vector3 = Math.abs(axis[0]) > 0.9 ? [0, 1, 0] : [1, 0, 0];
  return unit(minus(start, scale(axis, dot(start, axis))));
}

/**
 * The point of the axis nearest to the part's origin: the rotation about it takes `from` to `to`, seen along the axis.
 */
function findCenter(from: Vector3, to: Vector3, axis: Vector3, angle: number): Vector3 {
  const across = acrossAxis(axis);
  const forward = cross(axis, across);
  const moved = minus(to, rotate(from, axis, angle));
  const [a, b] = [dot(moved, across), dot(moved, forward)];
  const [cosine, sine] = [1 - Math.cos(angle), Math.sin(angle)];
  // (I − R) c = moved, in the plane perpendicular to the axis
  const determinant = cosine * cosine + sine * sine;
  return add(
    scale(across, (cosine * a - sine * b) / determinant),
    scale(forward, (sine * a + cosine * b) / determinant),
  );
}
