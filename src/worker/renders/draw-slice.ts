import type { VolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { type GreyWindow, windowedByte, windowLimits, windowScale } from '#kernels/grid/grey-window.ts';
import {
  gridMmToWorld,
  mmPerPixel,
  type PlaneName,
  type PlaneView,
  paneToPlane,
  planeAxes,
  sliceIndex,
  slicePositionMm,
} from '#kernels/grid/plane-transform.ts';
import type { Grid, Vector3 } from '#kernels/grid/volume.ts';
import { fillPane, type Pane } from '#kernels/picture/pane.ts';

/** What lies outside of the volume, as in the viewer. */
const ground = [0x0b, 0x0d, 0x10] as const;

export interface SliceDrawing {
  name: PlaneName;
  view: PlaneView;
  /** of the slice along the plane's normal */
  index: number;
  window: GreyWindow;
  /** interpolated between voxels, or each voxel as it is */
  smooth: boolean;
}

/**
 * Draws one slice of a volume into a pane: the grey values at the middle of each pixel, from the
 * coarsest level that is still as fine as the pixels.
 */
export async function drawSlice(
  pane: Pane,
  reader: VolumeReader,
  { name, view, index, window, smooth }: SliceDrawing,
  signal: AbortSignal,
): Promise<void> {
  fillPane(pane, ground);
  const { u, v } = planeAxes[name];
  const pixelMm = mmPerPixel(view);
  const level = reader.meta.levels.findLastIndex(
    ({ voxelSizeMm }) => Math.max(voxelSizeMm[u], voxelSizeMm[v]) <= pixelMm,
  );
  const drawn = Math.max(0, level);
  const values = smooth
    ? await interpolated(pane, reader, { name, view, index }, drawn, signal)
    : await nearest(pane, reader, { name, view, index }, drawn, signal);
  const [low, high] = windowLimits(window);
  const scale = windowScale(low, high);
  for (let y = 0; y < pane.height; y++) {
    let at = ((pane.y + y) * pane.picture.width + pane.x) * 3;
    for (let x = 0; x < pane.width; x++, at += 3) {
      const value = values[y * pane.width + x];
      if (Number.isNaN(value)) continue;
      pane.picture.samples.fill(windowedByte(value, low, scale), at, at + 3);
    }
  }
}

type Place = Pick<SliceDrawing, 'name' | 'view' | 'index'>;

/** Trilinear; not-a-number outside of the volume. */
function interpolated(
  pane: Pane,
  reader: VolumeReader,
  { name, view, index }: Place,
  level: number,
  signal: AbortSignal,
): Promise<Float32Array> {
  const grid: Grid = reader.meta;
  const { u, v, normal } = planeAxes[name];
  const worldAt = (xPx: number, yPx: number): Vector3 => {
    const point: Vector3 = [0, 0, 0];
    [point[u], point[v]] = paneToPlane(view, xPx, yPx);
    point[normal] = slicePositionMm(grid, normal, index);
    return gridMmToWorld(grid, point);
  };
  const [originMm, right, down] = [worldAt(0.5, 0.5), worldAt(1.5, 0.5), worldAt(0.5, 1.5)];
  const step = (to: Vector3) => to.map((mm, axis) => mm - originMm[axis]) as Vector3;
  const plane = { originMm, uMm: step(right), vMm: step(down), width: pane.width, height: pane.height };
  return reader.samplePlane(level, plane, signal);
}

/** The voxel that each pixel lies in; not-a-number outside of the volume. */
async function nearest(
  pane: Pane,
  reader: VolumeReader,
  { name, view, index }: Place,
  level: number,
  signal: AbortSignal,
): Promise<Float32Array> {
  const { u, v, normal, sliceAxis } = planeAxes[name];
  const grid: Grid = reader.meta.levels[level];
  const at = sliceIndex(grid, normal, slicePositionMm(reader.meta, normal, index));
  const plane = await reader.readPlane(level, sliceAxis, at, signal);
  const cell = (positionMm: number, axis: 0 | 1 | 2): number => {
    const place = Math.round((positionMm - grid.originMm[axis]) / grid.voxelSizeMm[axis]);
    return place >= 0 && place < grid.dimensions[axis] ? place : -1;
  };
  const columns = Int32Array.from({ length: pane.width }, (_, x) =>
    cell(paneToPlane(view, x + 0.5, 0)[0], u),
  );
  const rows = Int32Array.from({ length: pane.height }, (_, y) => cell(paneToPlane(view, 0, y + 0.5)[1], v));
  const values = new Float32Array(pane.width * pane.height).fill(Number.NaN);
  for (let y = 0; y < pane.height; y++) {
    if (rows[y] < 0) continue;
    for (let x = 0; x < pane.width; x++) {
      if (columns[x] >= 0) values[y * pane.width + x] = plane.data[rows[y] * plane.width + columns[x]];
    }
  }
  return values;
}
