/** Draws the line in which the oblique plane crosses a slice, for the viewer and server-side pictures. */
import { type PlaneView, planeAxes, planeToPane, type SliceName } from '../grid/plane-transform.ts';
import { makePlaneFrame, type PlaneOrientation } from '../grid/turned-grid.ts';
import { dot } from '../grid/vectors.ts';
import type { Grid, Vector3 } from '../grid/volume.ts';
import type { Canvas2D } from './canvas.ts';
import { obliqueInk, onDark, paintDot, strokeWithHalo } from './paint.ts';

/** A point of the line and its direction, in mm along the pane's axes. */
export interface Trace {
  point: readonly [number, number];
  direction: readonly [number, number];
}

/** Gap of the line around the cursor, where the pointer grabs the cursor. */
export const traceGapPx = 16;
/** Distance of the dots from the cursor, as a share of the pane. */
const dotShare = 0.34;

/** @returns null when there is no such plane, or it is parallel to the slice */
export function findTrace(
  orientation: PlaneOrientation | null,
  grid: Grid,
  { name, positionMm }: { name: SliceName; positionMm: number },
  cursorGridMm: Vector3,
): Trace | null {
  if (!orientation || name === 'oblique') return null;
  const { u, v, normal } = planeAxes[name];
  const { towards } = makePlaneFrame(orientation);
  const along = ([u, v, normal] as const).map((axis) =>
    dot(towards, grid.directions.slice(3 * axis, 3 * axis + 3) as Vector3),
  ) as Vector3;
  const across = Math.hypot(along[0], along[1]);
  if (across < 1e-3) return null;
  const off = (along[2] * (positionMm - cursorGridMm[normal])) / across ** 2;
  return {
    point: [cursorGridMm[u] - along[0] * off, cursorGridMm[v] - along[1] * off],
    direction: [-along[1] / across, along[0] / across],
  };
}

/** The line on the pane, and the dots that rotate it. */
export function placeTrace({ point, direction }: Trace, view: PlaneView) {
  const [x, y] = planeToPane(view, ...point);
  const [dx, dy] = [direction[0], -direction[1]];
  const reach = dotShare * Math.min(view.widthPx, view.heightPx);
  const at = (px: number): [number, number] => [x + dx * px, y + dy * px];
  return { middle: [x, y] as const, along: [dx, dy] as const, at, dots: [at(reach), at(-reach)] };
}

/** Draws the line in which the oblique plane crosses a slice. */
export function paintTrace(context: Canvas2D, trace: Trace, view: PlaneView): void {
  const { at, dots } = placeTrace(trace, view);
  const far = view.widthPx + view.heightPx;
  context.beginPath();
  for (const [from, to] of [
    [traceGapPx, far],
    [-traceGapPx, -far],
  ] as const) {
    context.moveTo(...at(from));
    context.lineTo(...at(to));
  }
  strokeWithHalo(context, obliqueInk, 1.5, onDark);
  for (const dot of dots) paintDot(context, dot, obliqueInk, 5, onDark);
}
