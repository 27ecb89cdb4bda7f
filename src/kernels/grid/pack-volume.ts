/** A volume prepared for the graphics card: 16 bits per voxel over its own range, with a maximum edge length. */
import { type BrickMap, mapBricks } from './brick-map.ts';
import type { Grid, Vector3, Volume } from './volume.ts';

export interface PackedVolume {
  /** of the packed voxels */
  grid: Grid;
  /** grey values of the packed 0 and 65535 */
  low: number;
  high: number;
  /** x fastest */
  voxels: Uint16Array<ArrayBuffer>;
  bricks: BrickMap;
}

/**
 * Larger volumes are reduced to means of whole blocks of voxels; a remainder at the far end is dropped. NaN and
 * infinities count as the lowest value. O(voxels).
 *
 * @param maxEdge maximum number of voxels along an axis
 */
export function packVolume(volume: Volume, maxEdge: number): PackedVolume {
  const factor = Math.ceil(Math.max(...volume.dimensions) / maxEdge);
  const { grid, values } = factor > 1 ? reduced(volume, factor) : { grid: volume, values: volume.data };
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value < low && value > -Infinity) low = value;
    if (value > high && value < Infinity) high = value;
  }
  if (!(high > low)) [low, high] = [Number.isFinite(low) ? low : 0, (Number.isFinite(low) ? low : 0) + 1];
  const voxels = new Uint16Array(values.length);
  const scale = 65535 / (high - low);
  for (let i = 0; i < values.length; i++) {
    const place = (values[i] - low) * scale + 0.5;
    voxels[i] = place >= 65535 ? 65535 : place > 0 ? place : 0;
  }
  const { dimensions, voxelSizeMm, originMm, directions } = grid;
  return {
    grid: { dimensions, voxelSizeMm, originMm, directions },
    low,
    high,
    voxels,
    bricks: mapBricks(voxels, dimensions),
  };
}

function reduced(volume: Volume, factor: number): { grid: Grid; values: Float32Array } {
  const { dimensions, voxelSizeMm, originMm, directions, data } = volume;
  const [nx, ny] = dimensions;
  const to = dimensions.map((n) => Math.max(1, Math.floor(n / factor))) as Vector3;
  // All complete blocks; an axis with fewer voxels than a block gets one shorter block.
  const block = dimensions.map((n) => Math.min(n, factor)) as Vector3;
  const values = new Float32Array(to[0] * to[1] * to[2]);
  const share = 1 / (block[0] * block[1] * block[2]);
  for (let z = 0; z < to[2] * block[2]; z++) {
    for (let y = 0; y < to[1] * block[1]; y++) {
      const row = nx * (y + ny * z);
      const at = to[0] * (Math.floor(y / block[1]) + to[1] * Math.floor(z / block[2]));
      for (let x = 0; x < to[0] * block[0]; x++)
        values[at + Math.floor(x / block[0])] += data[row + x] * share;
    }
  }
  const shift = block.map((n, k) => ((n - 1) / 2) * voxelSizeMm[k]);
  return {
    grid: {
      dimensions: to,
      voxelSizeMm: voxelSizeMm.map((size, k) => size * block[k]) as Vector3,
      originMm: originMm.map(
        (start, k) =>
          start + shift[0] * directions[k] + shift[1] * directions[3 + k] + shift[2] * directions[6 + k],
      ) as Vector3,
      directions,
    },
    values,
  };
}
