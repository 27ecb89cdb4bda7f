import { findLevel } from '#formats/ome-zarr/layout.ts';
import type { VolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { type GreyWindow, windowedByte, windowLimits, windowScale } from '#kernels/grid/grey-window.ts';
import {
  gridMmToWorld,
  mmPerPixel,
  type PlaneView,
  paneToPlane,
  planeAxes,
  type SliceName,
  sliceIndex,
} from '#kernels/grid/plane-transform.ts';
import type { Grid, Vector3 } from '#kernels/grid/volume.ts';
import { fillPane, type Pane } from '#kernels/picture/pane.ts';

/** Background outside the volume, as in the viewer. */
const ground = [0x0b, 0x0d, 0x10] as const;

export interface SliceDrawing {
  name: SliceName;
  /** grid of the slice: the volume's own, or one rotated onto an oblique plane */
  grid: Grid;
  view: PlaneView;
  /** along the plane's normal, in grid mm */
  positionMm: number;
  window: GreyWindow;
  /** interpolate between voxels instead of showing each voxel */
  smooth: boolean;
}

/**
 * Draws one slice of a volume into a pane: grey values at pixel centres, from the coarsest level that is still as fine
 * as the pixels.
 */
export async function drawSlice(
  pane: Pane,
  reader: VolumeReader,
  { name, grid, view, positionMm, window, smooth }: SliceDrawing,
  signal: AbortSignal,
): Promise<void> {
  fillPane(pane, ground);
  const { u, v } = planeAxes[name];
  const pixelMm = mmPerPixel(view);
  const isOblique = name === 'oblique';
  const level = findLevel(
    reader.meta,
    ({ voxelSizeMm }) =>
      (isOblique ? Math.max(...voxelSizeMm) : Math.max(voxelSizeMm[u], voxelSizeMm[v])) <= pixelMm,
  );
  // An oblique plane has no voxels of its own.
  const values =
    smooth || isOblique
      ? await interpolated(pane, reader, { name, grid, view, positionMm }, level.index, signal)
      : await nearest(pane, reader, { name, view, positionMm }, level, signal);
  const [low, high] = windowLimits(window);
  const scale = windowScale(low, high);
  for (let y = 0; y < pane.height; y++) {
    let at = ((pane.y + y) * pane.picture.width + pane.x) * 3;
    for (let x = 0; x < pane.width; x++, at += 3) {
      const value = values[y * pane.width + x] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      pane.picture.samples.fill(windowedByte(value, low, scale), at, at + 3);
    }
  }
}

type Place = Pick<SliceDrawing, 'name' | 'grid' | 'view' | 'positionMm'>;

/** Trilinear; NaN outside the volume. */
function interpolated(
  pane: Pane,
  reader: VolumeReader,
  { name, grid, view, positionMm }: Place,
  level: number,
  signal: AbortSignal,
): Promise<Float32Array> {
  const { u, v, normal } = planeAxes[name];
  const worldAt = (xPx: number, yPx: number): Vector3 => {
    const point: Vector3 = [0, 0, 0];
    [point[u], point[v]] = paneToPlane(view, xPx, yPx);
    point[normal] = positionMm;
    return gridMmToWorld(grid, point);
  };
  const [originMm, right, down] = [worldAt(0.5, 0.5), worldAt(1.5, 0.5), worldAt(0.5, 1.5)];
  const step = (to: Vector3): Vector3 => [to[0] - originMm[0], to[1] - originMm[1], to[2] - originMm[2]];
  const plane = { originMm, uMm: step(right), vMm: step(down), width: pane.width, height: pane.height };
  return reader.samplePlane(level, plane, signal);
}

/** The voxel at each pixel; NaN outside the volume. */
async function nearest(
  pane: Pane,
  reader: VolumeReader,
  { name, view, positionMm }: Omit<Place, 'grid'>,
  { index: level, grid }: ReturnType<typeof findLevel>,
  signal: AbortSignal,
): Promise<Float32Array> {
  const { u, v, normal, sliceAxis } = planeAxes[name];
  const at = sliceIndex(grid, normal, positionMm);
  const plane = await reader.readPlane(level, sliceAxis, at, { signal });
  const cell = (positionMm: number, axis: 0 | 1 | 2): number => {
    const place = Math.round((positionMm - grid.originMm[axis]) / grid.voxelSizeMm[axis]);
    return place >= 0 && place < grid.dimensions[axis] ? place : -1;
  };
  const columns = Array.from({ length: pane.width }, (_, x) => cell(paneToPlane(view, x + 0.5, 0)[0], u));
  const rows = Array.from({ length: pane.height }, (_, y) => cell(paneToPlane(view, 0, y + 0.5)[1], v));
  const values = new Float32Array(pane.width * pane.height);
  let pixel = 0;
  for (const row of rows)
    for (const column of columns)
      values[pixel++] =
        row < 0 || column < 0 ? Number.NaN : (plane.data[row * plane.width + column] ?? Number.NaN);
  return values;
}
