import type { Vector3 } from '#kernels/grid/volume.ts';

/**
 * Whether a triangle of a surface is between a place and the viewer in direction `towards` (from the place to the
 * viewer, unit length), further from the place than `marginMm`. Tests every triangle: a few milliseconds per place.
 * Möller and Trumbore 1997, doi:10.1080/10867651.1997.10487468.
 */
export function isHidden(
  place: Vector3,
  towards: Vector3,
  marginMm: number,
  positions: Float32Array,
  indices: Uint32Array,
): boolean {
  const [dx, dy, dz] = towards;
  const readCorner = (corner: number): Vector3 => {
    const first = 3 * (indices[corner] ?? 0);
    return [positions[first] ?? 0, positions[first + 1] ?? 0, positions[first + 2] ?? 0];
  };
  for (let t = 0; t < indices.length; t += 3) {
    const [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = [readCorner(t), readCorner(t + 1), readCorner(t + 2)];
    const [ux, uy, uz] = [bx - ax, by - ay, bz - az];
    const [vx, vy, vz] = [cx - ax, cy - ay, cz - az];
    const [px, py, pz] = [dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx];
    const determinant = ux * px + uy * py + uz * pz;
    if (Math.abs(determinant) < 1e-15) continue;
    const [sx, sy, sz] = [place[0] - ax, place[1] - ay, place[2] - az];
    const u = (sx * px + sy * py + sz * pz) / determinant;
    if (u < 0 || u > 1) continue;
    const [qx, qy, qz] = [sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux];
    const v = (dx * qx + dy * qy + dz * qz) / determinant;
    if (v < 0 || u + v > 1) continue;
    if ((vx * qx + vy * qy + vz * qz) / determinant > marginMm) return true;
  }
  return false;
}
