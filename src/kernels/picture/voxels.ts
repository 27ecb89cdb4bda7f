/** Trilinear access to packed volumes, as filtered by a graphics card. */
import type { PackedVolume } from '../grid/pack-volume.ts';
import { gridMmToWorld } from '../grid/plane-transform.ts';
import type { Vector3 } from '../grid/volume.ts';

/**
 * Twelve numbers, row by row, that convert a point of the world to voxels: from 0 at the first face to the dimension at
 * the last.
 */
export function voxelRows({ grid }: PackedVolume): Float64Array {
  const { directions: d, voxelSizeMm, originMm } = grid;
  const rows = new Float64Array(12);
  const corner = gridMmToWorld(grid, originMm.map((mm, k) => mm - voxelSizeMm[k] / 2) as Vector3);
  for (let i = 0; i < 3; i++) {
    for (let k = 0; k < 3; k++) rows[4 * i + k] = d[3 * i + k] / voxelSizeMm[i];
    for (let k = 0; k < 3; k++) rows[4 * i + 3] -= rows[4 * i + k] * corner[k];
  }
  return rows;
}

/** Value, 0 to 65535, at a position in voxels, clamped to the outermost centres. */
export function voxelAt({ voxels, grid }: PackedVolume, x: number, y: number, z: number): number {
  const [nx, ny, nz] = grid.dimensions;
  const px = x < 0.5 ? 0 : x > nx - 0.5 ? nx - 1 : x - 0.5;
  const py = y < 0.5 ? 0 : y > ny - 0.5 ? ny - 1 : y - 0.5;
  const pz = z < 0.5 ? 0 : z > nz - 0.5 ? nz - 1 : z - 0.5;
  const i = px | 0;
  const j = py | 0;
  const k = pz | 0;
  const fx = px - i;
  const fy = py - j;
  const fz = pz - k;
  const right = i + 1 < nx ? 1 : 0;
  const up = j + 1 < ny ? nx : 0;
  const far = k + 1 < nz ? nx * ny : 0;
  const at = i + nx * (j + ny * k);
  const below = at + up;
  const a = voxels[at] + (voxels[at + right] - voxels[at]) * fx;
  const b = voxels[below] + (voxels[below + right] - voxels[below]) * fx;
  const c = voxels[at + far] + (voxels[at + far + right] - voxels[at + far]) * fx;
  const d = voxels[below + far] + (voxels[below + far + right] - voxels[below + far]) * fx;
  const front = a + (b - a) * fy;
  return front + (c + (d - c) * fy - front) * fz;
}

/** The grey value at a point of the world; NaN outside the volume. */
export function openGreyValues(packed: PackedVolume): (x: number, y: number, z: number) => number {
  const r = voxelRows(packed);
  const [nx, ny, nz] = packed.grid.dimensions;
  const scale = (packed.high - packed.low) / 65535;
  return (x, y, z) => {
    const i = r[0] * x + r[1] * y + r[2] * z + r[3];
    const j = r[4] * x + r[5] * y + r[6] * z + r[7];
    const k = r[8] * x + r[9] * y + r[10] * z + r[11];
    if (i < 0 || j < 0 || k < 0 || i > nx || j > ny || k > nz) return Number.NaN;
    return packed.low + voxelAt(packed, i, j, k) * scale;
  };
}
