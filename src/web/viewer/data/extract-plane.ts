import type { SliceAxis } from '#kernels/grid/plane-transform.ts';
import {
  type Grid,
  mapVector,
  type Vector3,
  type Volume,
  type VoxelArray,
  voxelArray,
} from '#kernels/grid/volume.ts';
import { CutPlane } from './cut-plane.ts';
import type { PlaneCutter } from './plane-loader.ts';
import type { SlicePlane, VolumeDescription } from './slice-source.ts';

const axisNumbers = { x: 0, y: 1, z: 2 } as const;
const inPlane = { x: [1, 2], y: [0, 2], z: [0, 1] } as const;

/**
 * The plane of a volume at a position along an axis: linear between the two neighbouring slices, clamped to the
 * outermost ones. A position at a slice's centre gives that slice's own values. O(values of the plane).
 *
 * @param positionMm in grid mm: originMm[axis] + index · voxelSizeMm[axis]
 */
export function extractPlane(volume: Volume, axis: SliceAxis, positionMm: number, exact: boolean): CutPlane {
  const normal = axisNumbers[axis];
  const [u, v] = inPlane[axis];
  const { dimensions, voxelSizeMm, originMm, data } = volume;
  const strides: Vector3 = [1, dimensions[0], dimensions[0] * dimensions[1]];
  const place = (positionMm - originMm[normal]) / voxelSizeMm[normal];
  const last = dimensions[normal] - 1;
  const clamped = Math.min(last, Math.max(0, place));
  const nearest = Math.round(clamped);
  // Grid positions are rounded to decimals on their way here; within a millionth of a voxel it is the slice itself.
  const onSlice = Math.abs(clamped - nearest) < 1e-6;
  const lower = onSlice ? nearest : Math.floor(clamped);
  const weight = onSlice ? 0 : clamped - lower;
  const frame: Omit<SlicePlane, 'values'> = {
    width: dimensions[u],
    height: dimensions[v],
    originMm: [originMm[u], originMm[v]],
    spacingMm: [voxelSizeMm[u], voxelSizeMm[v]],
    exact: exact && onSlice,
  };
  const isRounded = !/^float/.test(volume.dataType);
  const read = (): VoxelArray => {
    const values = voxelArray(volume.dataType, frame.width * frame.height);
    const first = lower * strides[normal];
    const step = weight === 0 ? 0 : strides[normal];
    let to = 0;
    for (let row = 0; row < frame.height; row++) {
      let from = first + row * strides[v];
      for (let column = 0; column < frame.width; column++, from += strides[u]) {
        // Every index is valid, because the slice is clamped to the volume.
        const a = data[from] as number;
        const value = weight === 0 ? a : a + ((data[from + step] as number) - a) * weight;
        values[to++] = isRounded ? Math.round(value) : value;
      }
    }
    return values;
  };
  return new CutPlane(frame, { volume, cut: { normal, slice: lower, weight, isRounded } }, read);
}

/** Edge length of a tile, in pixels of its level. */
const tilePx = 512;

/** Slices along an axis of the grid, in tiles whose boundaries do not depend on the pane's position. */
export const cutAxis = (axis: SliceAxis): PlaneCutter => {
  const normal = axisNumbers[axis];
  return {
    name: ({ positionMm }) => positionMm.toFixed(6),
    cut: (preview, { positionMm }, isWhole) => extractPlane(preview, axis, positionMm, isWhole),
    stepMm: (volume, level) => describeLevel(volume, level).voxelSizeMm[normal],
    isLighter: true,
    listTiles: (volume, { positionMm, view }, level) => {
      const { dimensions, voxelSizeMm, originMm } = describeLevel(volume, level);
      const index = Math.round((positionMm - originMm[normal]) / voxelSizeMm[normal]);
      if (index < 0 || index >= dimensions[normal]) return [];
      const places = [
        [view.centreU, (view.heightMm * view.widthPx) / view.heightPx],
        [view.centreV, view.heightMm],
      ] as const;
      const [columns, rows] = inPlane[axis].map((k, side) => {
        const [middleMm, sizeMm] = places[side as 0 | 1];
        const pixel = (mm: number) => (mm - originMm[k]) / voxelSizeMm[k];
        return listRanges(pixel(middleMm - sizeMm / 2), pixel(middleMm + sizeMm / 2), dimensions[k]);
      }) as [TileRange[], TileRange[]];
      const request = { axis, level, positionMm: originMm[normal] + index * voxelSizeMm[normal] };
      return columns
        .flatMap((column) => rows.map((row) => ({ column, row })))
        .sort((a, b) => a.column.away + a.row.away - b.column.away - b.row.away)
        .map(({ column, row }) => ({
          name: `${axis} ${level} ${index} ${column.from} ${row.from}`,
          ask: async (source, signal) => ({
            ...(await source.getPlane({
              ...request,
              rect: [column.from, row.from, column.to, row.to],
              signal,
            })),
            goesOn: { left: column.from > 0, right: column.goesOn, below: row.from > 0, above: row.goesOn },
          }),
        }));
    },
  };
};

/** The grid of a level: coarser voxels average whole voxels, starting at the volume's corner. */
function describeLevel(volume: VolumeDescription, level: number): Omit<Grid, 'directions'> {
  const { dimensions, voxelSizeMm } = volume.levels?.[level] ?? volume;
  const originMm = mapVector(volume.originMm, (mm, k) => mm + (voxelSizeMm[k] - volume.voxelSizeMm[k]) / 2);
  return { dimensions, voxelSizeMm, originMm };
}

/**
 * Pixels from `from` up to, but excluding, `to`; a tile that is not the last includes one pixel of the next, for
 * interpolation.
 */
interface TileRange {
  from: number;
  to: number;
  goesOn: boolean;
  /** distance of its centre from the centre of the view, in pixels */
  away: number;
}

function listRanges(low: number, high: number, size: number): TileRange[] {
  const count = Math.max(1, Math.ceil((size - 1) / tilePx));
  const first = Math.max(0, Math.floor(low / tilePx));
  const last = Math.min(count - 1, Math.floor(high / tilePx));
  if (high < -0.5 || low > size - 0.5) return [];
  return Array.from({ length: Math.max(1, last - first + 1) }, (_, n) => {
    const from = Math.min(first + n, count - 1) * tilePx;
    const goesOn = from + tilePx + 1 < size;
    const away = Math.abs(from + tilePx / 2 - (low + high) / 2);
    return { from, to: goesOn ? from + tilePx + 1 : size, goesOn, away };
  });
}
