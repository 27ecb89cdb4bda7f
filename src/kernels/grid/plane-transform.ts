/**
 * Coordinates of slice panes. Three spaces:
 *   world   mm in the scan's own frame (view state, surface, cursor)
 *   grid mm mm along the grid's own axes: originMm[k] + index[k] · voxelSizeMm[k]; equals world unless the grid
 *           is rotated
 *   pane    CSS pixels, y down
 * Panes follow engineering drawings: XY from above, XZ from the front, YZ from the right, with the second axis up.
 */
import type { Grid, Vector3 } from './volume.ts';

export type PlaneName = 'xy' | 'xz' | 'yz';
/** The axes of an oblique plane are those of a grid rotated onto it (`turnGrid`). */
export type SliceName = PlaneName | 'oblique';
export type SliceAxis = 'x' | 'y' | 'z';

export interface PlaneAxes {
  /** axes that point right, up, and along the line of sight: 0 = x, 1 = y, 2 = z */
  u: 0 | 1 | 2;
  v: 0 | 1 | 2;
  normal: 0 | 1 | 2;
  sliceAxis: SliceAxis;
}

export const planeAxes: Record<SliceName, PlaneAxes> = {
  xy: { u: 0, v: 1, normal: 2, sliceAxis: 'z' },
  xz: { u: 0, v: 2, normal: 1, sliceAxis: 'y' },
  yz: { u: 1, v: 2, normal: 0, sliceAxis: 'x' },
  oblique: { u: 0, v: 1, normal: 2, sliceAxis: 'z' },
};
export const planeNames: readonly PlaneName[] = ['xy', 'xz', 'yz'];
export const axisNames = ['X', 'Y', 'Z'] as const;

export function worldToGridMm(grid: Grid, pointWorld: Vector3): Vector3 {
  const { originMm: o, directions: d } = grid;
  const [x, y, z] = [pointWorld[0] - o[0], pointWorld[1] - o[1], pointWorld[2] - o[2]];
  return [
    o[0] + d[0] * x + d[1] * y + d[2] * z,
    o[1] + d[3] * x + d[4] * y + d[5] * z,
    o[2] + d[6] * x + d[7] * y + d[8] * z,
  ];
}

export function gridMmToWorld(grid: Grid, pointGridMm: Vector3): Vector3 {
  const { originMm: o, directions: d } = grid;
  const [i, j, k] = [pointGridMm[0] - o[0], pointGridMm[1] - o[1], pointGridMm[2] - o[2]];
  return [
    o[0] + d[0] * i + d[3] * j + d[6] * k,
    o[1] + d[1] * i + d[4] * j + d[7] * k,
    o[2] + d[2] * i + d[5] * j + d[8] * k,
  ];
}

/** Lower and upper face of the grid along an axis, in grid mm: half a voxel beyond the outermost centres. */
export function extentMm(grid: Grid, axis: 0 | 1 | 2): [number, number] {
  const half = grid.voxelSizeMm[axis] / 2;
  const first = grid.originMm[axis] - half;
  return [first, first + grid.dimensions[axis] * grid.voxelSizeMm[axis]];
}

export function centreGridMm(grid: Grid): Vector3 {
  const middle = (axis: 0 | 1 | 2) => (extentMm(grid, axis)[0] + extentMm(grid, axis)[1]) / 2;
  return [middle(0), middle(1), middle(2)];
}

/**
 * Centre of the middle voxel, in grid mm. With an even count, the centre of the grid is between two voxels, and
 * rounding would decide which slice is shown.
 */
export function middleVoxelGridMm(grid: Grid): Vector3 {
  const middle = centreGridMm(grid);
  const centre = (axis: 0 | 1 | 2) => slicePositionMm(grid, axis, sliceIndex(grid, axis, middle[axis]));
  return [centre(0), centre(1), centre(2)];
}

/** Index of the nearest slice within the grid. */
export function sliceIndex(grid: Grid, axis: 0 | 1 | 2, positionGridMm: number): number {
  const index = Math.round((positionGridMm - grid.originMm[axis]) / grid.voxelSizeMm[axis]);
  return Math.min(grid.dimensions[axis] - 1, Math.max(0, index));
}

export function slicePositionMm(grid: Grid, axis: 0 | 1 | 2, index: number): number {
  return grid.originMm[axis] + index * grid.voxelSizeMm[axis];
}

/**
 * Transform from the world to a slice, row by row: twelve numbers that map x, y, z, 1 to the position along the pane's
 * axes (grid mm) and the distance from the slice.
 */
export function planeRows(grid: Grid, name: SliceName, positionMm: number): number[] {
  const { u, v, normal } = planeAxes[name];
  const zero = worldToGridMm(grid, [0, 0, 0]);
  return [u, v, normal].flatMap((axis) => [
    ...grid.directions.slice(3 * axis, 3 * axis + 3),
    zero[axis] - (axis === normal ? positionMm : 0),
  ]);
}

/** The visible part of a plane. */
export interface PlaneView {
  /** centre of the pane, in grid mm along u and v */
  centreU: number;
  centreV: number;
  /** height of the pane, in mm */
  heightMm: number;
  /** size of the pane in CSS pixels */
  widthPx: number;
  heightPx: number;
}

export const mmPerPixel = (view: PlaneView): number => view.heightMm / view.heightPx;

export function paneToPlane(view: PlaneView, xPx: number, yPx: number): [number, number] {
  const scale = mmPerPixel(view);
  return [view.centreU + (xPx - view.widthPx / 2) * scale, view.centreV - (yPx - view.heightPx / 2) * scale];
}

export function planeToPane(view: PlaneView, uMm: number, vMm: number): [number, number] {
  const scale = mmPerPixel(view);
  return [view.widthPx / 2 + (uMm - view.centreU) / scale, view.heightPx / 2 - (vMm - view.centreV) / scale];
}

/** Height in mm at which the whole slice fits the pane with a small margin. */
export function fitHeightMm(grid: Grid, axes: PlaneAxes, widthPx: number, heightPx: number): number {
  const [u0, u1] = extentMm(grid, axes.u);
  const [v0, v1] = extentMm(grid, axes.v);
  return Math.max(v1 - v0, ((u1 - u0) * heightPx) / Math.max(1, widthPx)) * 1.12;
}

/** The view zoomed by `factor` (> 1 = closer) about the point under (xPx, yPx). */
export function zoomedAt(view: PlaneView, factor: number, xPx: number, yPx: number): PlaneView {
  const [u, v] = paneToPlane(view, xPx, yPx);
  return {
    ...view,
    heightMm: view.heightMm / factor,
    centreU: u + (view.centreU - u) / factor,
    centreV: v + (view.centreV - v) / factor,
  };
}
