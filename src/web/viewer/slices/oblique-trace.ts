import {
  gridMmToWorld,
  type PlaneView,
  paneToPlane,
  planeAxes,
  planeToPane,
  type SliceName,
} from '#kernels/grid/plane-transform.ts';
import { frameLie } from '#kernels/grid/turned-grid.ts';
import { cross, dot, minus, unit } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { obliqueInk, onDark } from '#kernels/overlay/paint.ts';
import { attachGrips } from '../state/grips.ts';
import { readLie, turnLie } from '../state/oblique.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

/** Where the plane of any lie crosses a slice: a point of the line and its direction, in mm along the pane's axes. */
export interface Trace {
  point: readonly [number, number];
  direction: readonly [number, number];
}

/** How near the pointer must be to the line, and to the dots on it, in pixels. */
const [linePx, dotPx] = [6, 11];
/** Around the cursor the line leaves the pointer to the cursor. */
const cursorPx = 16;
/** Of the dots from the cursor, as a share of the pane. */
const dotShare = 0.34;

/** Null where there is no such plane, or it lies along the slice. */
export function findTrace(model: ViewerModel, name: SliceName): Trace | null {
  const state = model.store.get();
  const grid = model.volume;
  const slice = model.slice(name);
  if (!state.oblique || !grid || !slice || name === 'oblique') return null;
  const { u, v, normal } = planeAxes[name];
  const { towards } = frameLie(state.oblique);
  const along = ([u, v, normal] as const).map((axis) =>
    dot(towards, grid.directions.slice(3 * axis, 3 * axis + 3) as Vector3),
  ) as Vector3;
  const across = Math.hypot(along[0], along[1]);
  if (across < 1e-3) return null;
  const cursor = model.cursorGridMm();
  const off = (along[2] * (slice.positionMm - cursor[normal])) / across ** 2;
  return {
    point: [cursor[u] - along[0] * off, cursor[v] - along[1] * off],
    direction: [-along[1] / across, along[0] / across],
  };
}

/** On the screen: the line, and the dots that turn it. */
function placeTrace({ point, direction }: Trace, view: PlaneView) {
  const [x, y] = planeToPane(view, ...point);
  const [dx, dy] = [direction[0], -direction[1]];
  const reach = dotShare * Math.min(view.widthPx, view.heightPx);
  const at = (px: number): [number, number] => [x + dx * px, y + dy * px];
  return { middle: [x, y] as const, along: [dx, dy] as const, at, dots: [at(reach), at(-reach)] };
}

/** Draws where the plane of any lie crosses a slice. */
export function paintTrace(
  model: ViewerModel,
  name: SliceName,
  context: CanvasRenderingContext2D,
  view: PlaneView,
): void {
  const trace = findTrace(model, name);
  if (!trace) return;
  const { at, dots } = placeTrace(trace, view);
  const far = view.widthPx + view.heightPx;
  const path = new Path2D();
  for (const [from, to] of [
    [cursorPx, far],
    [-cursorPx, -far],
  ] as const) {
    path.moveTo(...at(from));
    path.lineTo(...at(to));
  }
  for (const [ink, width] of [
    [onDark.halo, 3.5],
    [obliqueInk, 1.5],
  ] as const) {
    context.strokeStyle = ink;
    context.lineWidth = width;
    context.stroke(path);
  }
  for (const dot of dots) {
    context.beginPath();
    context.arc(...dot, 5, 0, 2 * Math.PI);
    context.fillStyle = obliqueInk;
    context.fill();
    context.strokeStyle = onDark.halo;
    context.lineWidth = 1.5;
    context.stroke();
  }
}

type TraceGrip = { kind: 'line' } | { kind: 'dot'; angle: number };

/** The line of the plane can be dragged in a slice, and turned about the cursor by its dots. */
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
  const find = ([x, y]: readonly [number, number]): TraceGrip | null => {
    const trace = model.measuring.kind ? null : findTrace(model, name);
    if (!trace) return null;
    const { middle, along, dots } = placeTrace(trace, view());
    if (dots.some((dot) => Math.hypot(x - dot[0], y - dot[1]) <= dotPx))
      return { kind: 'dot', angle: angleAt(trace, [x, y]) };
    const [dx, dy] = [x - middle[0], y - middle[1]];
    const isNear = Math.abs(dx * along[1] - dy * along[0]) <= linePx && Math.hypot(dx, dy) > cursorPx;
    return isNear ? { kind: 'line' } : null;
  };
  const drag = (grip: TraceGrip, to: readonly [number, number]): TraceGrip => {
    const trace = findTrace(model, name);
    if (!trace) return grip;
    if (grip.kind === 'dot') {
      const angle = angleAt(trace, to);
      turnLie(model, findFront(model, name), angle - grip.angle);
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

/** The direction of the world in which a pane's front looks. */
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

/** What a key of the oblique pane means: W and S tilt it about its horizontal, A and D about its vertical, Q and E turn it. */
export function turnByKey(model: ViewerModel, key: string, degrees: number): (() => void) | null {
  const { right, up, towards } = frameLie(readLie(model.store.get()));
  const turns: Record<string, readonly [Vector3, number]> = {
    w: [right, -1],
    s: [right, 1],
    a: [up, -1],
    d: [up, 1],
    q: [towards, 1],
    e: [towards, -1],
  };
  const turn = turns[key.toLowerCase()];
  return turn ? () => turnLie(model, turn[0], turn[1] * degrees * degree) : null;
}
