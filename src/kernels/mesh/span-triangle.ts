/**
 * The normal of a triangle with counterclockwise corners, with twice its area as length.
 *
 * @param positions three numbers per point
 * @param a index of the first corner's x in `positions`; `b` and `c` likewise
 * @param normal receives x, y and z
 */
export function spanTriangle(
  positions: Float32Array,
  a: number,
  b: number,
  c: number,
  normal: Float64Array,
): void {
  const ux = positions[b] - positions[a];
  const uy = positions[b + 1] - positions[a + 1];
  const uz = positions[b + 2] - positions[a + 2];
  const vx = positions[c] - positions[a];
  const vy = positions[c + 1] - positions[a + 1];
  const vz = positions[c + 2] - positions[a + 2];
  normal[0] = uy * vz - uz * vy;
  normal[1] = uz * vx - ux * vz;
  normal[2] = ux * vy - uy * vx;
}
