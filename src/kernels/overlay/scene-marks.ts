/** Lines in a scene besides its objects: the scanned box, and lines through the cursor. */
import { extentMm, gridMmToWorld } from '../grid/plane-transform.ts';
import type { Grid, Vector3 } from '../grid/volume.ts';

/** Pairs of corners for the edges of a box; corner numbers are binary (bit 0 = i, 1 = j, 2 = k). */
export const boxEdges = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7] as const;

/** Red, green, blue and opacity, 0 to 1. */
export const boxInk = { rgb: [0.5, 0.52, 0.55], opacity: 0.45 } as const;
export const cursorInks = [
  [0.86, 0.33, 0.31],
  [0.31, 0.68, 0.33],
  [0.3, 0.53, 0.93],
] as const;
/** Opacity of the cursor lines where visible, and of the faint version drawn over everything. */
export const cursorOpacity = { seen: 0.95, everywhere: 0.28 } as const;

/** Both ends of the line through the cursor for each axis of a volume. */
export const listCursorLines = (grid: Grid, cursorGridMm: Vector3): [Vector3, Vector3][] =>
  ([0, 1, 2] as const).map((axis) => {
    const end = (side: 0 | 1): Vector3 => {
      const point: Vector3 = [...cursorGridMm];
      point[axis] = extentMm(grid, axis)[side];
      return gridMmToWorld(grid, point);
    };
    return [end(0), end(1)];
  });
