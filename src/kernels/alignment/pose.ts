/** Poses are 4×4 matrices, 16 numbers row by row, that map points (as column vectors). */
import type { Vector3 } from '../grid/volume.ts';

export type Matrix16 = number[];

export const identityPose = (): Matrix16 => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Applies `right` first, then `left`. */
export function multiplyPoses(left: readonly number[], right: readonly number[]): Matrix16 {
  const product: number[] = [];
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 4; column++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += left[4 * row + k] * right[4 * k + column];
      product.push(sum);
    }
  }
  return product;
}

/** Points transformed by the pose; 3 · n. */
export function movedPoints(pose: readonly number[], points: Float32Array | Float64Array): Float64Array {
  const moved = new Float64Array(points.length);
  for (let i = 0; i < points.length; i += 3) {
    const [x, y, z] = [points[i], points[i + 1], points[i + 2]];
    moved[i] = pose[0] * x + pose[1] * y + pose[2] * z + pose[3];
    moved[i + 1] = pose[4] * x + pose[5] * y + pose[6] * z + pose[7];
    moved[i + 2] = pose[8] * x + pose[9] * y + pose[10] * z + pose[11];
  }
  return moved;
}

/** Directions rotated by the pose, which is a rotation and a translation; 3 · n. */
export function turnedDirections(pose: readonly number[], directions: Float32Array): Float32Array {
  const turned = new Float32Array(directions.length);
  for (let i = 0; i < directions.length; i += 3) {
    const [x, y, z] = [directions[i], directions[i + 1], directions[i + 2]];
    turned[i] = pose[0] * x + pose[1] * y + pose[2] * z;
    turned[i + 1] = pose[4] * x + pose[5] * y + pose[6] * z;
    turned[i + 2] = pose[8] * x + pose[9] * y + pose[10] * z;
  }
  return turned;
}

/** Inverse of a rotation and a translation. */
export function invertPose(m: readonly number[]): Matrix16 {
  return [0, 1, 2]
    .flatMap((k) => [m[k], m[4 + k], m[8 + k], -(m[k] * m[3] + m[4 + k] * m[7] + m[8 + k] * m[11])])
    .concat([0, 0, 0, 1]);
}

/**
 * Rotation about the origin by the vector's length in radians, around its direction (Rodrigues 1840), followed by a
 * translation.
 */
export function makePose(rotation: Readonly<Vector3>, shift: Readonly<Vector3>): Matrix16 {
  const angle = Math.hypot(...rotation);
  const [x, y, z] = angle > 0 ? rotation.map((v) => v / angle) : [0, 0, 1];
  const [c, s, t] = [Math.cos(angle), Math.sin(angle), 1 - Math.cos(angle)];
  return [
    ...[t * x * x + c, t * x * y - s * z, t * x * z + s * y, shift[0]],
    ...[t * x * y + s * z, t * y * y + c, t * y * z - s * x, shift[1]],
    ...[t * x * z - s * y, t * y * z + s * x, t * z * z + c, shift[2]],
    ...[0, 0, 0, 1],
  ];
}

/** Determinant of the upper left 3×3: 1 for a rotation, −1 for a reflection. */
export function findTurning(m: readonly number[]): number {
  return (
    m[0] * (m[5] * m[10] - m[6] * m[9]) -
    m[1] * (m[4] * m[10] - m[6] * m[8]) +
    m[2] * (m[4] * m[9] - m[5] * m[8])
  );
}

/**
 * Largest distance between the images of a cube's corners under two poses; the cube has half side `size` around
 * `center`.
 */
export function poseDistance(
  a: readonly number[],
  b: readonly number[],
  center: Vector3,
  size: number,
): number {
  let most = 0;
  for (let corner = 0; corner < 8; corner++) {
    const p = center.map((c, k) => c + ((corner >> k) & 1 ? size : -size));
    const apart = [0, 4, 8].map(
      (row) =>
        (a[row] - b[row]) * p[0] +
        (a[row + 1] - b[row + 1]) * p[1] +
        (a[row + 2] - b[row + 2]) * p[2] +
        (a[row + 3] - b[row + 3]),
    );
    most = Math.max(most, Math.hypot(...apart));
  }
  return most;
}
