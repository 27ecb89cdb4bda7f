/** Slices of compared scans, each placed by its alignment. */
import { windowScale } from './grey-window.ts';
import { type PlaneName, planeAxes } from './plane-transform.ts';
import type { Grid, Vector3, Volume } from './volume.ts';

/** Maps a point (mm) to another frame; row-major 4 × 4 matrix. */
export type Pose = readonly number[];

/** RGBA bytes as one 32-bit number per pixel, in ImageData order. */
export interface PlanePicture {
  widthPx: number;
  heightPx: number;
  pixels: Uint32Array;
}

/** View shared by the panes of a comparison, in mm of the common frame of the scans. */
export interface CommonView {
  plane: PlaneName;
  /** centre of the pane; its depth is that of the slice */
  centre: Vector3;
  /** height of the pane */
  heightMm: number;
}

/** A point that advances by `du` and `dv` per pixel. */
export interface Walk {
  /** at the first pixel, at the upper left */
  start: Vector3;
  du: Vector3;
  dv: Vector3;
}

/**
 * Inverse of a pose: maps a point from the common frame to the scan's own.
 *
 * @throws RangeError for a singular matrix
 */
export function invertPose(pose: Pose): Pose {
  const [a = 0, b = 0, c = 0, x = 0, d = 0, e = 0, f = 0, y = 0, g = 0, h = 0, i = 0, z = 0] = pose;
  const [A, B, C] = [e * i - f * h, c * h - b * i, b * f - c * e];
  const determinant = a * A + d * B + g * C;
  if (!(Math.abs(determinant) > 1e-12)) throw new RangeError('the alignment has no inverse');
  const r = [
    A,
    B,
    C,
    f * g - d * i,
    a * i - c * g,
    c * d - a * f,
    d * h - e * g,
    b * g - a * h,
    a * e - b * d,
  ];
  const [r0 = 0, r1 = 0, r2 = 0, r3 = 0, r4 = 0, r5 = 0, r6 = 0, r7 = 0, r8 = 0] = r.map(
    (v) => v / determinant,
  );
  const row = (p: number, q: number, s: number) => [p, q, s, -(p * x + q * y + s * z)];
  return [...row(r0, r1, r2), ...row(r3, r4, r5), ...row(r6, r7, r8), 0, 0, 0, 1];
}

/** Transforms a point (mm) by a pose. */
export function placePoint(pose: Pose | null, [x, y, z]: Readonly<Vector3>): Vector3 {
  if (pose === null) return [x, y, z];
  const row = (k: number) =>
    (pose[k] ?? 0) * x + (pose[k + 1] ?? 0) * y + (pose[k + 2] ?? 0) * z + (pose[k + 3] ?? 0);
  return [row(0), row(4), row(8)];
}

/** Fractional voxel indices of a point in the scan's own frame. */
export function findVoxel(
  { originMm: o, directions: d, voxelSizeMm: s }: Grid,
  p: Readonly<Vector3>,
): Vector3 {
  const [x, y, z] = [p[0] - o[0], p[1] - o[1], p[2] - o[2]];
  return [
    (d[0] * x + d[1] * y + d[2] * z) / s[0],
    (d[3] * x + d[4] * y + d[5] * z) / s[1],
    (d[6] * x + d[7] * y + d[8] * z) / s[2],
  ];
}

/** Voxel indices under the pixels of a pane: they are linear in the pixel, whatever the orientation of the scan. */
export function walkVoxels(
  grid: Grid,
  toScan: Pose | null,
  { plane, centre, heightMm }: CommonView,
  widthPx: number,
  heightPx: number,
): Walk {
  const { u, v } = planeAxes[plane];
  const mm = heightMm / heightPx;
  const find = (x: number, y: number): Vector3 => {
    const point: Vector3 = [...centre];
    point[u] += (x + 0.5 - widthPx / 2) * mm;
    point[v] -= (y + 0.5 - heightPx / 2) * mm;
    return findVoxel(grid, placePoint(toScan, point));
  };
  const [start, right, down] = [find(0, 0), find(1, 0), find(0, 1)];
  return {
    start,
    du: [right[0] - start[0], right[1] - start[1], right[2] - start[2]],
    dv: [down[0] - start[0], down[1] - start[1], down[2] - start[2]],
  };
}

/**
 * Draws the slice of a scan that a view shows, with trilinear interpolation before windowing; pixels outside the scan
 * stay transparent. O(pixels) for any angle between scan and view.
 *
 * @param toScan from the common frame to the scan's own; null = identical
 */
export function drawScan(
  volume: Volume,
  toScan: Pose | null,
  view: CommonView,
  limits: readonly [number, number],
  { widthPx, heightPx, pixels }: PlanePicture,
): void {
  const { start, du, dv } = walkVoxels(volume, toScan, view, widthPx, heightPx);
  const toByte = windowScale(limits[0], limits[1]);
  pixels.fill(0);
  for (let y = 0, to = 0; y < heightPx; y++) {
    let [i, j, k] = [start[0] + y * dv[0], start[1] + y * dv[1], start[2] + y * dv[2]];
    for (let x = 0; x < widthPx; x++, to++, i += du[0], j += du[1], k += du[2]) {
      const value = sampleVoxels(volume, i, j, k);
      if (Number.isNaN(value)) continue;
      const byte = (value - limits[0]) * toByte + 0.5;
      const grey = byte >= 255 ? 255 : byte > 0 ? byte | 0 : 0;
      pixels[to] = 0xff000000 | (grey * 0x010101);
    }
  }
}

/** Trilinear interpolation between voxels; NaN more than half a voxel outside. */
export function sampleVoxels(
  { dimensions: [nx, ny, nz], data }: Volume,
  i: number,
  j: number,
  k: number,
): number {
  if (!(i >= -0.5 && j >= -0.5 && k >= -0.5 && i <= nx - 0.5 && j <= ny - 0.5 && k <= nz - 0.5))
    return Number.NaN;
  const [x, y, z] = [clampTo(i, nx - 1), clampTo(j, ny - 1), clampTo(k, nz - 1)];
  const [x0, y0, z0] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  const [wx, wy, wz] = [x - x0, y - y0, z - z0];
  const right = x0 + 1 < nx ? 1 : 0;
  const up = y0 + 1 < ny ? nx : 0;
  const above = z0 + 1 < nz ? nx * ny : 0;
  const at = x0 + nx * (y0 + ny * z0);
  const row = (from: number): number => {
    const first = data[from] ?? 0;
    return first + ((data[from + right] ?? 0) - first) * wx;
  };
  const layer = (from: number): number => {
    const first = row(from);
    return first + (row(from + up) - first) * wy;
  };
  const lower = layer(at);
  return lower + (layer(at + above) - lower) * wz;
}

const clampTo = (value: number, most: number) => (value < 0 ? 0 : value > most ? most : value);
