/** Affine transformations of meshes, as column-major 4×4 matrices. */
export type Matrix4 = [...Column, ...Column, ...Column, ...Column];
type Column = [number, number, number, number];

/** a · b: applies b first, then a. */
export function multiply4(a: Matrix4, b: Matrix4): Matrix4 {
  const out: Matrix4 = [...a];
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

/** When negative, the matrix mirrors, which reverses the orientation of triangles. */
export const determinant3 = (m: Matrix4): number =>
  m[0] * (m[5] * m[10] - m[9] * m[6]) -
  m[4] * (m[1] * m[10] - m[9] * m[2]) +
  m[8] * (m[1] * m[6] - m[5] * m[2]);

/** @param out receives the points, from index `first` on; may be the array of the points itself */
export function transformPoints(points: ArrayLike<number>, m: Matrix4, out: Float32Array, first = 0): void {
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i];
    const y = points[i + 1];
    const z = points[i + 2];
    out[first + i] = m[0] * x + m[4] * y + m[8] * z + m[12];
    out[first + i + 1] = m[1] * x + m[5] * y + m[9] * z + m[13];
    out[first + i + 2] = m[2] * x + m[6] * y + m[10] * z + m[14];
  }
}

/** Transforms normals by the cofactor matrix, which is the inverse transpose up to scale, and normalizes them. */
export function transformNormals(source: Float32Array, m: Matrix4): Float32Array {
  const sign = determinant3(m) < 0 ? -1 : 1;
  const c = [
    m[5] * m[10] - m[9] * m[6],
    m[9] * m[2] - m[1] * m[10],
    m[1] * m[6] - m[5] * m[2],
    m[8] * m[6] - m[4] * m[10],
    m[0] * m[10] - m[8] * m[2],
    m[4] * m[2] - m[0] * m[6],
    m[4] * m[9] - m[8] * m[5],
    m[8] * m[1] - m[0] * m[9],
    m[0] * m[5] - m[4] * m[1],
  ];
  const out = new Float32Array(source.length);
  for (let i = 0; i < source.length; i += 3) {
    const [x, y, z] = [source[i], source[i + 1], source[i + 2]];
    const nx = sign * (c[0] * x + c[3] * y + c[6] * z);
    const ny = sign * (c[1] * x + c[4] * y + c[7] * z);
    const nz = sign * (c[2] * x + c[5] * y + c[8] * z);
    const length = Math.hypot(nx, ny, nz) || 1;
    out[i] = nx / length;
    out[i + 1] = ny / length;
    out[i + 2] = nz / length;
  }
  return out;
}

/** Reverses each triangle, in place. */
export function turnTriangles(indices: Uint32Array): void {
  for (let i = 0; i + 2 < indices.length; i += 3) {
    [indices[i + 1], indices[i + 2]] = [indices[i + 2], indices[i + 1]];
  }
}

/**
 * Converts corners of single triangles, of a strip (every second triangle is reversed), or of a fan about the first
 * corner to triangles.
 */
export function triangulate(
  corners: Uint32Array,
  kind: 'triangles' | 'strip' | 'fan',
): Uint32Array<ArrayBuffer> {
  if (kind === 'triangles')
    return new Uint32Array(corners.subarray(0, corners.length - (corners.length % 3)));
  const triangles = Math.max(0, corners.length - 2);
  const out = new Uint32Array(3 * triangles);
  for (let t = 0; t < triangles; t++) {
    const strip = kind === 'strip';
    out[3 * t] = strip ? corners[t] : corners[0];
    out[3 * t + 1] = strip && t % 2 === 1 ? corners[t + 2] : corners[t + 1];
    out[3 * t + 2] = strip && t % 2 === 1 ? corners[t + 1] : corners[t + 2];
  }
  return out;
}
