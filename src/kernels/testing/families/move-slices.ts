/** Slices in the wrong order, as from a badly sorted stack of files, and parts that move during the scan. */
import type { Volume } from '../../grid/volume.ts';
import { seededNormal } from '../../random.ts';
import { addNoise } from '../carve.ts';

/**
 * A copy with its slices rearranged. @param from for each place, the number of the source slice and its shift along x
 * and y, in whole voxels
 */
function copySlices(
  volume: Volume,
  from: (z: number) => [slice: number, dx: number, dy: number],
  planes = volume.dimensions[2],
): Volume {
  const { dimensions, data: before } = volume;
  const [nx, ny, nz] = dimensions;
  const data = new Uint16Array(nx * ny * planes);
  const clamp = (n: number, end: number) => Math.min(end - 1, Math.max(0, n));
  for (let z = 0, i = 0; z < planes; z++) {
    const [slice, dx, dy] = from(z);
    for (let y = 0; y < ny; y++)
      for (let x = 0; x < nx; x++, i++)
        data[i] = before[(clamp(slice, nz) * ny + clamp(y + dy, ny)) * nx + clamp(x + dx, nx)];
  }
  return { ...volume, dimensions: [nx, ny, planes], dataType: 'uint16', data };
}

/** Swaps each pair of neighbouring slices. */
export const swapSlices = (volume: Volume): Volume => copySlices(volume, (z) => [z ^ 1, 0, 0]);

/** Swaps each pair of neighbours along an axis within the slices: columns across x, rows across y. */
export function swapRows(volume: Volume, axis: 0 | 1): Volume {
  const { dimensions, data: before } = volume;
  const [nx, ny] = dimensions;
  const [cells, stride] = axis === 0 ? [nx, 1] : [ny, nx];
  const data = new Uint16Array(before.length);
  for (let at = 0; at < data.length; at++) {
    const place = Math.floor(at / stride) % cells;
    data[at] = before[at + (Math.min(cells - 1, place ^ 1) - place) * stride];
  }
  return { ...volume, dataType: 'uint16', data };
}

/** Shifts each slice along x and y. @param deviation standard deviation, in voxels */
export function shakeSlices(volume: Volume, deviation: number, seed: number): Volume {
  const normal = seededNormal(seed);
  return copySlices(volume, (z) => [z, Math.round(deviation * normal()), Math.round(deviation * normal())]);
}

/**
 * Shifts each slice along x and y by smooth curves over the height. @param noise standard deviation of the noise then
 * added to each slice
 */
export function swaySlices(
  volume: Volume,
  voxels: number,
  period: number,
  noise: number,
  seed: number,
): Volume {
  const { dimensions, data: before } = volume;
  const [nx, ny, nz] = dimensions;
  const clamp = (n: number, end: number) => Math.min(end - 1, Math.max(0, n));
  const data = new Uint16Array(before.length);
  for (let z = 0, at = 0; z < nz; z++) {
    const [dx, dy] = [1, 1.3].map((share, k) => voxels * Math.sin((6.28 * z * share) / period + seed + k));
    const [u, v] = [weighFour(dx - Math.floor(dx)), weighFour(dy - Math.floor(dy))];
    const [left, top] = [Math.floor(dx) - 1, Math.floor(dy) - 1];
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++, at++) {
        let sum = 0;
        for (let n = 0; n < 16; n++) {
          const i = clamp(x + left + (n & 3), nx);
          const j = clamp(y + top + (n >> 2), ny);
          sum += u[n & 3] * v[n >> 2] * before[(z * ny + j) * nx + i];
        }
        data[at] = Math.min(65_535, Math.max(0, Math.round(sum)));
      }
    }
  }
  const swayed: Volume = { ...volume, dataType: 'uint16', data };
  addNoise(swayed, noise, seed);
  return swayed;
}

/**
 * Mean of a scan and a copy of it shifted by whole voxels. @param noise standard deviation of the noise then added
 * @param share weight of the shifted copy
 */
export function doubleScan(
  volume: Volume,
  [dx, dy]: readonly [number, number],
  noise: number,
  seed: number,
  share = 0.5,
): Volume {
  const moved = copySlices(volume, (z) => [z, dx, dy]);
  const data = new Uint16Array(volume.data.length);
  for (let at = 0; at < data.length; at++) data[at] = (1 - share) * volume.data[at] + share * moved.data[at];
  const doubled: Volume = { ...moved, data };
  addNoise(doubled, noise, seed);
  return doubled;
}

/** Catmull-Rom weights of four voxels in a row, for a position between the middle two. */
const weighFour = (t: number) => [
  t * (-0.5 + t - 0.5 * t * t),
  1 + t * t * (1.5 * t - 2.5),
  t * (0.5 + 2 * t - 1.5 * t * t),
  t * t * (0.5 * t - 0.5),
];

/**
 * Two scans joined at three eighths of their height with the wrong overlap: `doubled` slices are repeated or, when
 * negative, missing.
 * @param noise standard deviation of the noise added to each slice; 0: doubled slices are copies
 */
export function joinScans(volume: Volume, doubled: number, noise = 0): Volume {
  const planes = volume.dimensions[2];
  const joined = copySlices(volume, (z) => [z < (3 * planes) >> 3 ? z : z - doubled, 0, 0], planes + doubled);
  addNoise(joined, noise, planes);
  return joined;
}
