import { type Camera, frame, projectPoint } from '#kernels/grid/camera.ts';
import { add, dot, scale } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { Inks } from '#kernels/overlay/paint.ts';
import { attachGrips } from '../state/grips.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { type Handle, type HeldThing, listHeldThings } from './held-things.ts';

/** How near the pointer must be to a handle, in pixels. */
const handlePx = 11;

/** Outlines, normals and the handles on them. CSS pixels. */
export function paintHeldThings(
  things: readonly HeldThing[],
  context: CanvasRenderingContext2D,
  camera: Camera,
  [widthPx, heightPx]: readonly [number, number],
  inks: Inks,
): void {
  const project = (point: Vector3) => projectPoint(camera, point, widthPx, heightPx);
  for (const thing of things) paintHeldThing(thing, context, project, inks);
}

function paintHeldThing(
  { ink, isTinted, outlines, lines, handles }: HeldThing,
  context: CanvasRenderingContext2D,
  project: (point: Vector3) => readonly [number, number] | null,
  inks: Inks,
): void {
  const path = new Path2D();
  for (const outline of outlines) {
    const places = outline.map(project).filter((place) => place !== null);
    for (const [i, place] of places.entries()) i === 0 ? path.moveTo(...place) : path.lineTo(...place);
    if (places.length > 0) path.closePath();
  }
  context.save();
  context.lineJoin = 'round';
  context.fillStyle = ink;
  if (isTinted) {
    context.globalAlpha = 0.08;
    context.fill(path);
    context.globalAlpha = 1;
  }
  for (const line of lines) {
    const [from, to] = line.map(project);
    if (!from || !to) continue;
    path.moveTo(...from);
    path.lineTo(...to);
  }
  for (const [style, width] of [
    [inks.halo, 3.5],
    [ink, 1.75],
  ] as const) {
    context.strokeStyle = style;
    context.lineWidth = width;
    context.stroke(path);
  }
  for (const { point } of handles) {
    const place = project(point);
    if (!place) continue;
    context.beginPath();
    context.arc(...place, 5.5, 0, 2 * Math.PI);
    context.fill();
    context.strokeStyle = inks.halo;
    context.lineWidth = 1.5;
    context.stroke();
  }
  context.restore();
}

/** Drags the handles that are shown. */
export function attachHandles(
  canvas: HTMLCanvasElement,
  model: ViewerModel,
  { onMoving, onClick }: { onMoving: () => void; onClick: (event: PointerEvent) => void },
  signal: AbortSignal,
): void {
  const camera = () => model.camera((canvas.clientWidth || 1) / (canvas.clientHeight || 1));
  const listHandles = () => listHeldThings(model).flatMap(({ handles }) => handles);
  const find = ([x, y]: readonly [number, number]): string | null => {
    if (model.measuring.kind) return null;
    const seenFrom = camera();
    const isNear = ({ point }: Handle) => {
      const place = projectPoint(seenFrom, point, canvas.clientWidth, canvas.clientHeight);
      return place !== null && Math.hypot(x - place[0], y - place[1]) <= handlePx;
    };
    return listHandles().find(isNear)?.name ?? null;
  };
  const drag = (handle: Handle, dx: number, dy: number) => {
    onMoving();
    const { right, up } = frame(camera());
    const mm = camera().heightMm / Math.max(1, canvas.clientHeight);
    const { along } = handle;
    if (!along) {
      handle.pull(add(scale(right, dx * mm), scale(up, -dy * mm)));
      return;
    }
    const [across, rises] = [dot(along, right), dot(along, up)];
    const seen = across * across + rises * rises;
    // What is pulled along the line of sight does not move.
    if (seen > 0.02) handle.pull(scale(along, ((dx * across - dy * rises) * mm) / seen));
  };
  const grips = {
    find,
    drag: (name: string, to: readonly [number, number], from: readonly [number, number]) => {
      const handle = listHandles().find((each) => each.name === name);
      if (handle) drag(handle, to[0] - from[0], to[1] - from[1]);
      return name;
    },
    cursor: () => 'grab',
    onClick,
  };
  attachGrips(canvas, grips, signal);
}
