/** Vectors and poses; angles in radians. */
import type { Vector3 } from './volume.ts';

/** Position and orientation: a right-handed set of unit vectors. */
export interface Pose {
  centerMm: Vector3;
  axes: [Vector3, Vector3, Vector3];
}

export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vector3, b: Vector3): Vector3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const add = (a: Vector3, b: Vector3): Vector3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const minus = (a: Vector3, b: Vector3): Vector3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vector3, factor: number): Vector3 => [a[0] * factor, a[1] * factor, a[2] * factor];
export const unit = (a: Vector3): Vector3 => scale(a, 1 / Math.hypot(...a));

/** Rotates about a unit vector, counterclockwise as seen from its tip (Rodrigues). */
export function rotate(a: Vector3, axis: Vector3, angle: number): Vector3 {
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  const along = dot(axis, a) * (1 - cosine);
  const across = cross(axis, a);
  return [0, 1, 2].map((k) => a[k] * cosine + across[k] * sine + axis[k] * along) as Vector3;
}

/** The pose relative to another one. */
export function poseFrom({ centerMm, axes }: Pose, other: Pose): Pose {
  const inAxes = (a: Vector3): Vector3 => other.axes.map((axis) => dot(axis, a)) as Vector3;
  return { centerMm: inAxes(minus(centerMm, other.centerMm)), axes: axes.map(inAxes) as Pose['axes'] };
}
