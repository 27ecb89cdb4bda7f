import { KernelError } from '../kernel-error.ts';
import type { Grid, Vector3 } from './volume.ts';

export interface BoxMm {
  min: Vector3;
  max: Vector3;
}
/** Cells from … to−1 along each axis. */
export interface CellBox {
  from: Vector3;
  to: Vector3;
}

/** Position (mm) of grid coordinates in cells; cell (0,0,0) has its centre at 0,0,0. */
export function locatePoint(grid: Grid, [i, j, k]: Vector3): Vector3 {
  const { directions: d, voxelSizeMm: s, originMm: o } = grid;
  const [x, y, z] = [i * s[0], j * s[1], k * s[2]];
  return [
    o[0] + d[0] * x + d[3] * y + d[6] * z,
    o[1] + d[1] * x + d[4] * y + d[7] * z,
    o[2] + d[2] * x + d[5] * y + d[8] * z,
  ];
}

/** Grid coordinates, in cells, of a position in mm; the directions are orthonormal, so their inverse is the transpose. */
export function findCell(grid: Grid, [x, y, z]: Vector3): Vector3 {
  const { directions: d, voxelSizeMm: s, originMm: o } = grid;
  const [u, v, w] = [x - o[0], y - o[1], z - o[2]];
  return [
    (d[0] * u + d[1] * v + d[2] * w) / s[0],
    (d[3] * u + d[4] * v + d[5] * w) / s[1],
    (d[6] * u + d[7] * v + d[8] * w) / s[2],
  ];
}

export const wholeGrid = (grid: Grid): CellBox => ({ from: [0, 0, 0], to: [...grid.dimensions] });

/**
 * The cells with their centre in a box of the scan's frame (in its bounding box if the grid is rotated).
 * @throws KernelError EMPTY_REGION when there are none
 */
export function cellsIn(grid: Grid, box: BoxMm | undefined): CellBox {
  if (!box) return wholeGrid(grid);
  const low: Vector3 = [Infinity, Infinity, Infinity];
  const high: Vector3 = [-Infinity, -Infinity, -Infinity];
  for (let corner = 0; corner < 8; corner++) {
    const at = [0, 1, 2].map((k) => ((corner >> k) & 1 ? box.max[k] : box.min[k])) as Vector3;
    const cell = findCell(grid, at);
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], cell[k]);
      high[k] = Math.max(high[k], cell[k]);
    }
  }
  const from = low.map((value) => Math.max(0, Math.ceil(value - 1e-6))) as Vector3;
  const to = high.map((value, k) => Math.min(grid.dimensions[k], Math.floor(value + 1e-6) + 1)) as Vector3;
  if (from.some((value, k) => value >= to[k])) {
    const a = locatePoint(grid, [0, 0, 0]);
    const b = locatePoint(grid, grid.dimensions.map((n) => n - 1) as Vector3);
    const range = [0, 1, 2].map(
      (k) => `${Math.min(a[k], b[k]).toFixed(3)} … ${Math.max(a[k], b[k]).toFixed(3)}`,
    );
    throw new KernelError(
      'EMPTY_REGION',
      `No voxel of the scan lies in the region: the scan reaches over x ${range[0]}, y ${range[1]}, z ${range[2]} mm.`,
    );
  }
  return { from, to };
}

/**
 * Clips a polygon in the scan's frame (mm) to the cells of a region, which ends at the faces of its outermost cells.
 * Returns no corners if nothing is left.
 */
export function cutByRegion(polygon: readonly Vector3[], grid: Grid, box: BoxMm): Vector3[] {
  let cells: CellBox;
  try {
    cells = cellsIn(grid, box);
  } catch (error) {
    if (error instanceof KernelError) return [];
    throw error;
  }
  let corners = polygon.map((corner) => findCell(grid, corner));
  for (let k = 0; k < 3; k++) {
    corners = keepBelow(corners, (corner) => cells.from[k] - 0.5 - corner[k]);
    corners = keepBelow(corners, (corner) => corner[k] - (cells.to[k] - 0.5));
  }
  return corners.map((corner) => locatePoint(grid, corner));
}

/** The part of a convex polygon where the distance is not above 0 (after Sutherland, Hodgman 1974). */
function keepBelow(corners: readonly Vector3[], distance: (corner: Vector3) => number): Vector3[] {
  return corners.flatMap((corner, i) => {
    const next = corners[(i + 1) % corners.length];
    const [a, b] = [distance(corner), distance(next)];
    const kept = a <= 0 ? [corner] : [];
    if (a <= 0 === b <= 0) return kept;
    const share = a / (a - b);
    return [...kept, corner.map((from, k) => from + (next[k] - from) * share) as Vector3];
  });
}
