/** Lines in a scene beside its things: the scanned box, and those through the cursor. */
import { extentMm, gridMmToWorld } from '../grid/plane-transform.ts';
import type { Grid, Vector3 } from '../grid/volume.ts';

/** Two corners an edge of a box, in the order of their binary number (bit 0 = i, 1 = j, 2 = k). */
export const boxEdges = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7] as const;

/** Red, green, blue and opacity, 0 to 1. */
export const boxInk = { rgb: [0.5, 0.52, 0.55], opacity: 0.45 } as const;
export const cursorInks = [
  [0.86, 0.33, 0.31],
  [0.31, 0.68, 0.33],
  [0.3, 0.53, 0.93],
] as const;
/** Of the lines through the cursor where they are seen; over everything, those that are hidden shine through faintly. */
export const cursorOpacity = { seen: 0.95, everywhere: 0.28 } as const;

/** For each axis of a volume the ends of the line through the cursor. */
export const listCursorLines = (grid: Grid, cursorGridMm: Vector3): [Vector3, Vector3][] =>
  ([0, 1, 2] as const).map((axis) => {
    const end = (side: 0 | 1): Vector3 => {
      const point: Vector3 = [...cursorGridMm];
      point[axis] = extentMm(grid, axis)[side];
      return gridMmToWorld(grid, point);
    };
    return [end(0), end(1)];
  });
