import { resamplePlane } from '#kernels/grid/oblique-plane.ts';
import type { SliceAxis } from '#kernels/grid/plane-transform.ts';
import type { Vector3, Volume } from '#kernels/grid/volume.ts';
import { voxelArray } from '#kernels/grid/volume.ts';
import type { PlaneCutter } from './plane-loader.ts';
import type { SlicePlane, SliceSource } from './slice-source.ts';

const axisNumbers = { x: 0, y: 1, z: 2 } as const;
const inPlane = { x: [1, 2], y: [0, 2], z: [0, 1] } as const;

/**
 * The plane of a volume at a position along an axis, linear between the two neighbouring slices, clamped to the
 * outermost ones. A position at a slice's centre gives that slice's own values. O(values of the plane).
 *
 * @param positionMm in grid mm: originMm[axis] + index · voxelSizeMm[axis]
 */
export function extractPlane(
  volume: Volume,
  axis: SliceAxis,
  positionMm: number,
  exact: boolean,
): SlicePlane {
  const normal = axisNumbers[axis];
  const [u, v] = inPlane[axis];
  const { dimensions, voxelSizeMm, originMm, data } = volume;
  const strides: Vector3 = [1, dimensions[0], dimensions[0] * dimensions[1]];
  const place = (positionMm - originMm[normal]) / voxelSizeMm[normal];
  const last = dimensions[normal] - 1;
  const clamped = Math.min(last, Math.max(0, place));
  const nearest = Math.round(clamped);
  // Grid positions go through decimals on their way here; a millionth of a voxel is still the slice itself.
  const onSlice = Math.abs(clamped - nearest) < 1e-6;
  const lower = onSlice ? nearest : Math.floor(clamped);
  const weight = onSlice ? 0 : clamped - lower;
  const width = dimensions[u];
  const height = dimensions[v];
  const whole = !/^float/.test(volume.dataType);
  const values = voxelArray(volume.dataType, width * height);
  const first = lower * strides[normal];
  const step = weight === 0 ? 0 : strides[normal];
  let to = 0;
  for (let row = 0; row < height; row++) {
    let from = first + row * strides[v];
    for (let column = 0; column < width; column++, from += strides[u]) {
      // Every place lies within the volume: the slice is clamped to it.
      const a = data[from] as number;
      const value = weight === 0 ? a : a + ((data[from + step] as number) - a) * weight;
      values[to++] = whole ? Math.round(value) : value;
    }
  }
  return {
    width,
    height,
    values,
    originMm: [originMm[u], originMm[v]],
    spacingMm: [voxelSizeMm[u], voxelSizeMm[v]],
    exact: exact && onSlice,
  };
}

/** A volume in memory as a source of planes; `exact` says whether its voxels are the scan's own. */
export function volumeSliceSource(volume: Volume, exact = true): SliceSource {
  return {
    getPlane: async ({ axis, positionMm }) => extractPlane(volume, axis, positionMm, exact),
    sample: async (plane) => resamplePlane(volume, plane),
  };
}

/** Slices along an axis of the grid: whole ones, whatever of them is seen. */
export const cutAxis = (axis: SliceAxis): PlaneCutter => ({
  name: ({ positionMm }) => positionMm.toFixed(6),
  cut: (preview, { positionMm }, isWhole) => extractPlane(preview, axis, positionMm, isWhole),
  ask: (source, { positionMm }, level, signal) => source.getPlane({ axis, positionMm, level, signal }),
});
