/** Layout of the panes of a comparison, and the relative positions of its scans. */
import type { Bounds } from './camera.ts';
import { invertPose, type Pose, placePoint } from './draw-scan.ts';
import type { PixelBox } from './pane-layout.ts';
import { listCorners } from './turned-grid.ts';
import type { Grid, Vector3 } from './volume.ts';

/** Columns of the pane grid: as square as possible, wider rather than higher. */
export const countColumns = (panes: number): number => (panes <= 3 ? panes : panes === 4 ? 2 : 3);

/** Indices of the scans in each pane: one each, or the first with another one overlaid. */
export const groupScans = (scans: number, over: number, isEachAlone: boolean): number[][] =>
  isEachAlone || scans < 2
    ? Array.from({ length: scans }, (_, index) => [index])
    : [[0, Math.min(scans - 1, over)]];

/** The panes in whole pixels of a picture, row by row, `gapPx` between them. */
export function placeCompared(panes: number, widthPx: number, heightPx: number, gapPx: number): PixelBox[] {
  const columns = countColumns(panes);
  const rows = Math.ceil(panes / columns);
  const edge = (index: number, of: number, length: number) => Math.round((index * (length + gapPx)) / of);
  return Array.from({ length: panes }, (_, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    const [x, y] = [edge(column, columns, widthPx), edge(row, rows, heightPx)];
    return {
      ...{ x, y },
      width: edge(column + 1, columns, widthPx) - gapPx - x,
      height: edge(row + 1, rows, heightPx) - gapPx - y,
    };
  });
}

/** Pane height in mm at this aspect ratio that shows all of a scan of this size with a small margin. */
export const fitScans = (sizeMm: number, aspect: number): number => (1.1 * sizeMm) / Math.min(1, aspect);

/** A scan and its position among the others. */
export interface Placed {
  volume: Grid | null;
  /** of its surface, unaligned; null = it has none */
  surfaceBounds: Bounds | null;
  /** maps the scan to its alignment target; null = not aligned */
  pose: Pose | null;
}

const listBoxCorners = ({ min, max }: Bounds): Vector3[] =>
  [min[0], max[0]].flatMap((x) =>
    [min[1], max[1]].flatMap((y) => [min[2], max[2]].map((z): Vector3 => [x, y, z])),
  );

/**
 * Bounding box of all scans in their common frame; null until the grid of one is known.
 *
 * @param isScene of their surfaces, which 3D shows: a scan has much air around its part
 */
export function boundScans(scans: readonly Placed[], isAligned: boolean, isScene: boolean): Bounds | null {
  const hasSurface = isScene && scans.some(({ surfaceBounds }) => surfaceBounds !== null);
  const corners = scans.flatMap(({ volume, surfaceBounds, pose }) => {
    const ofGrid = () => (volume === null ? [] : listCorners(volume));
    const own = hasSurface ? (surfaceBounds ? listBoxCorners(surfaceBounds) : []) : ofGrid();
    return own.map((corner) => placePoint(isAligned ? pose : null, corner));
  });
  if (corners.length === 0) return null;
  const over = (pick: (...values: number[]) => number): Vector3 => [
    pick(...corners.map(([x]) => x)),
    pick(...corners.map(([, y]) => y)),
    pick(...corners.map(([, , z]) => z)),
  ];
  return { min: over(Math.min), max: over(Math.max) };
}

/** Centre of a box, and its longest edge in mm. */
export function measureBox({ min, max }: Bounds): { centre: Vector3; sizeMm: number } {
  const [x, y, z] = [0, 1, 2].map((axis) => (min[axis] + max[axis]) / 2);
  return { centre: [x, y, z], sizeMm: Math.max(...max.map((high, axis) => high - min[axis])) };
}

export const readToScan = (pose: Pose | null, isAligned: boolean): Pose | null =>
  pose === null || !isAligned ? null : invertPose(pose);
