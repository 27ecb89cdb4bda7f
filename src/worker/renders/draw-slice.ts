import { type GreyWindow, windowedByte, windowLimits, windowScale } from '#kernels/grid/grey-window.ts';
import {
  gridMmToWorld,
  mmPerPixel,
  type PlaneName,
  type PlaneView,
  paneToPlane,
  planeAxes,
  slicePositionMm,
} from '#kernels/grid/plane-transform.ts';
import type { Grid, Vector3 } from '#kernels/grid/volume.ts';
import type { VolumeReader } from '#storage/volumes/volume-reader.ts';
import { fill, type Pane } from './pane.ts';

/** What lies outside of the volume, as in the viewer. */
const ground = [0x0b, 0x0d, 0x10] as const;

export interface SliceDrawing {
  name: PlaneName;
  view: PlaneView;
  /** of the slice along the plane's normal */
  index: number;
  window: GreyWindow;
}

/**
 * Draws one slice of a volume into a pane: the grey values at the middle of each pixel, trilinear, from the
 * coarsest level that is still as fine as the pixels.
 */
export async function drawSlice(
  pane: Pane,
  reader: VolumeReader,
  { name, view, index, window }: SliceDrawing,
  signal: AbortSignal,
): Promise<void> {
  fill(pane, ground);
  const grid: Grid = reader.meta;
  const { u, v, normal } = planeAxes[name];
  const pixelMm = mmPerPixel(view);
  const level = reader.meta.levels.findLastIndex(
    ({ voxelSizeMm }) => Math.max(voxelSizeMm[u], voxelSizeMm[v]) <= pixelMm,
  );
  const worldAt = (xPx: number, yPx: number): Vector3 => {
    const point: Vector3 = [0, 0, 0];
    [point[u], point[v]] = paneToPlane(view, xPx, yPx);
    point[normal] = slicePositionMm(grid, normal, index);
    return gridMmToWorld(grid, point);
  };
  const [originMm, right, down] = [worldAt(0.5, 0.5), worldAt(1.5, 0.5), worldAt(0.5, 1.5)];
  const step = (to: Vector3) => to.map((mm, axis) => mm - originMm[axis]) as Vector3;
  const plane = { originMm, uMm: step(right), vMm: step(down), width: pane.width, height: pane.height };
  const values = await reader.samplePlane(Math.max(0, level), plane, signal);
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
