import { gridMmToWorld, paneToPlane, planeAxes, type SliceName } from '#kernels/grid/plane-transform.ts';
import { makePlaneFrame } from '#kernels/grid/turned-grid.ts';
import { cross, minus, unit } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { findTrace, placeTrace, type Trace, traceGapPx } from '#kernels/overlay/paint-trace.ts';
import { attachGrips } from '../state/grips.ts';
import { readOrientation, turnOrientation } from '../state/oblique.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

/** Maximum distance of the pointer from the line, and from the dots on it, in pixels. */
const [linePx, dotPx] = [6, 11];

/**
 * The intersection of the oblique plane with a slice; null if there is no such plane, or it is parallel to the slice.
 */
export function readTrace(model: ViewerModel, name: SliceName): Trace | null {
  const slice = model.slice(name);
  if (!model.volume || !slice) return null;
  const { oblique } = model.store.get();
  return findTrace(oblique, model.volume, { name, ...slice }, model.cursorGridMm());
}

type TraceGrip = { kind: 'line' } | { kind: 'dot'; angle: number };

/** Lets the user drag the line of the oblique plane in a slice, and rotate it about the cursor by its dots. */
export function attachTrace(
  canvas: HTMLCanvasElement,
  model: ViewerModel,
  name: SliceName,
  signal: AbortSignal,
): void {
  const view = () => model.planeView(name, canvas.clientWidth, canvas.clientHeight);
  const angleAt = (trace: Trace, [x, y]: readonly [number, number]): number => {
    const [u, v] = paneToPlane(view(), x, y);
    return Math.atan2(v - trace.point[1], u - trace.point[0]);
  };
  const find = ([x, y]: readonly [number, number], reach: number): TraceGrip | null => {
    const trace = model.measuring.kind ? null : readTrace(model, name);
    if (!trace) return null;
    const { middle, along, dots } = placeTrace(trace, view());
    if (dots.some((dot) => Math.hypot(x - dot[0], y - dot[1]) <= reach * dotPx))
      return { kind: 'dot', angle: angleAt(trace, [x, y]) };
    const [dx, dy] = [x - middle[0], y - middle[1]];
    const isNear =
      Math.abs(dx * along[1] - dy * along[0]) <= reach * linePx && Math.hypot(dx, dy) > traceGapPx;
    return isNear ? { kind: 'line' } : null;
  };
  const drag = (grip: TraceGrip, to: readonly [number, number]): TraceGrip => {
    const trace = readTrace(model, name);
    if (!trace) return grip;
    if (grip.kind === 'dot') {
      const angle = angleAt(trace, to);
      turnOrientation(model, findFront(model, name), angle - grip.angle);
      return { kind: 'dot', angle };
    }
    const { u, v } = planeAxes[name];
    const [toU, toV] = paneToPlane(view(), ...to);
    const [du, dv] = trace.direction;
    const off = -(toU - trace.point[0]) * dv + (toV - trace.point[1]) * du;
    const cursor = model.cursorGridMm();
    cursor[u] -= off * dv;
    cursor[v] += off * du;
    model.setCursorGridMm(cursor);
    return grip;
  };
  attachGrips(canvas, { find, drag, cursor: ({ kind }) => (kind === 'dot' ? 'grab' : 'move') }, signal);
}

/** The world direction from a pane towards its viewer. */
function findFront(model: ViewerModel, name: SliceName): Vector3 {
  const grid = model.grid(name);
  if (!grid) return [0, 0, 1];
  const { u, v } = planeAxes[name];
  const zero = gridMmToWorld(grid, [0, 0, 0]);
  const axisAt = (axis: 0 | 1 | 2): Vector3 => {
    const point: Vector3 = [0, 0, 0];
    point[axis] = 1;
    return minus(gridMmToWorld(grid, point), zero);
  };
  return unit(cross(axisAt(u), axisAt(v)));
}

const degree = Math.PI / 180;

/**
 * The action of a key in the oblique pane: W and S tilt the plane about its horizontal axis, A and D about its vertical
 * axis, Q and E rotate it.
 */
export function turnByKey(model: ViewerModel, key: string, degrees: number): (() => void) | null {
  const { right, up, towards } = makePlaneFrame(readOrientation(model.store.get()));
  const turns: Record<string, readonly [Vector3, number]> = {
    w: [right, -1],
    s: [right, 1],
    a: [up, -1],
    d: [up, 1],
    q: [towards, 1],
    e: [towards, -1],
  };
  const turn = turns[key.toLowerCase()];
  return turn ? () => turnOrientation(model, turn[0], turn[1] * degrees * degree) : null;
}
