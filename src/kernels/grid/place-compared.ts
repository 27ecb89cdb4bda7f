/** Where the panes of a comparison lie in a picture, and where its scans lie among each other. */
import type { Bounds } from './camera.ts';
import { invertPose, type Pose, placePoint } from './draw-scan.ts';
import { listCorners } from './turned-grid.ts';
import type { Grid, Vector3 } from './volume.ts';

/** Columns of the grid of so many panes: as square as it goes, wide before high. */
export const countColumns = (panes: number): number => (panes <= 3 ? panes : panes === 4 ? 2 : 3);

/** Which scans each pane shows, by their places: each alone, or the one that is laid over the first. */
export const groupScans = (scans: number, over: number, isEachAlone: boolean): number[][] =>
  isEachAlone || scans < 2
    ? Array.from({ length: scans }, (_, index) => [index])
    : [[0, Math.min(scans - 1, over)]];

/** The panes in whole pixels of a picture, row by row, `gapPx` between them. */
export function placeCompared(
  panes: number,
  widthPx: number,
  heightPx: number,
  gapPx: number,
): { x: number; y: number; width: number; height: number }[] {
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

/** Height in mm of a pane of this aspect that shows a scan of this size whole, with a little around it. */
export const fitScans = (sizeMm: number, aspect: number): number => (1.1 * sizeMm) / Math.min(1, aspect);

/** Where a scan lies among the others. */
export interface Placed {
  volume: Grid | null;
  /** lays the scan on what it was aligned to; null = it was aligned to nothing */
  pose: Pose | null;
}

/** The box around all scans in their common frame; null while nothing is known of any. */
export function boundScans(scans: readonly Placed[], isAligned: boolean): Bounds | null {
  const corners = scans.flatMap(({ volume, pose }) =>
    volume === null ? [] : listCorners(volume).map((corner) => placePoint(isAligned ? pose : null, corner)),
  );
  if (corners.length === 0) return null;
  const over = (pick: (...values: number[]) => number): Vector3 => [
    pick(...corners.map(([x]) => x)),
    pick(...corners.map(([, y]) => y)),
    pick(...corners.map(([, , z]) => z)),
  ];
  return { min: over(Math.min), max: over(Math.max) };
}

/** The middle of a box, and its longest edge in mm. */
export function measureBox({ min, max }: Bounds): { centre: Vector3; sizeMm: number } {
  const [x, y, z] = [0, 1, 2].map((axis) => (min[axis] + max[axis]) / 2);
  return { centre: [x, y, z], sizeMm: Math.max(...max.map((high, axis) => high - min[axis])) };
}

export const readToScan = (pose: Pose | null, isAligned: boolean): Pose | null =>
  pose === null || !isAligned ? null : invertPose(pose);
