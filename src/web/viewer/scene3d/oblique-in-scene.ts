import { type Camera, frame, projectPoint } from '#kernels/grid/camera.ts';
import { frameLie, listCorners, outlineOnBox } from '#kernels/grid/turned-grid.ts';
import { add, dot, minus, scale } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { type Inks, obliqueInk } from '../overlay/paint.ts';
import { moveAlongNormal, setLie } from '../state/oblique.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

/** Of the normal that is drawn, as a share of the diagonal of the scan. */
const normalShare = 0.16;
/** How near the pointer must be to a handle, in pixels. */
const handlePx = 11;

/** The ends of the normal, which move the plane (at the cursor) and tilt it (at its tip); in mm of the world. */
function placeHandles(model: ViewerModel): { middle: Vector3; tip: Vector3 } | null {
  const { oblique } = model.store.get();
  const { volume } = model;
  if (!oblique || !volume) return null;
  const corners = listCorners(volume);
  const [first, last] = [corners[0], corners[7]];
  if (!first || !last) return null;
  const reach = normalShare * Math.hypot(...minus(last, first));
  const middle = model.cursorWorld();
  return { middle, tip: add(middle, scale(frameLie(oblique).towards, reach)) };
}

/** The outline of the plane of any lie in 3D, its normal and the handles on it. CSS pixels. */
export function paintObliqueInScene(
  model: ViewerModel,
  context: CanvasRenderingContext2D,
  camera: Camera,
  [widthPx, heightPx]: readonly [number, number],
  inks: Inks,
): void {
  const { oblique } = model.store.get();
  const handles = placeHandles(model);
  if (!oblique || !handles || !model.volume) return;
  const project = (point: Vector3) => projectPoint(camera, point, widthPx, heightPx);
  const outline = outlineOnBox(model.volume, handles.middle, oblique).map(project);
  const [middle, tip] = [project(handles.middle), project(handles.tip)];
  const path = new Path2D();
  for (const [i, place] of outline.entries())
    if (place) i === 0 ? path.moveTo(...place) : path.lineTo(...place);
  path.closePath();
  context.save();
  context.lineJoin = 'round';
  context.fillStyle = obliqueInk;
  context.globalAlpha = 0.08;
  context.fill(path);
  context.globalAlpha = 1;
  if (middle && tip) {
    path.moveTo(...middle);
    path.lineTo(...tip);
  }
  for (const [ink, width] of [
    [inks.halo, 3.5],
    [obliqueInk, 1.75],
  ] as const) {
    context.strokeStyle = ink;
    context.lineWidth = width;
    context.stroke(path);
  }
  for (const [place, radius] of [
    [middle, 5],
    [tip, 6],
  ] as const) {
    if (!place) continue;
    context.beginPath();
    context.arc(...place, radius, 0, 2 * Math.PI);
    context.fill();
    context.strokeStyle = inks.halo;
    context.lineWidth = 1.5;
    context.stroke();
  }
  context.restore();
}

/** In 3D the plane is moved along its normal at the cursor, and tilted at the normal's tip. */
export function attachObliqueHandles(
  canvas: HTMLCanvasElement,
  model: ViewerModel,
  onMoving: () => void,
  signal: AbortSignal,
): void {
  let grip: { handle: 'middle' | 'tip'; x: number; y: number } | null = null;
  const camera = () => model.camera((canvas.clientWidth || 1) / (canvas.clientHeight || 1));
  const project = (point: Vector3) => projectPoint(camera(), point, canvas.clientWidth, canvas.clientHeight);
  const placeOf = (event: MouseEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const findHandle = ([x, y]: readonly [number, number]): 'middle' | 'tip' | null => {
    const handles = model.measuring.kind ? null : placeHandles(model);
    if (!handles) return null;
    const isNear = (point: Vector3) => {
      const place = project(point);
      return place !== null && Math.hypot(x - place[0], y - place[1]) <= handlePx;
    };
    return isNear(handles.tip) ? 'tip' : isNear(handles.middle) ? 'middle' : null;
  };
  const drag = (dx: number, dy: number) => {
    const handles = placeHandles(model);
    const { oblique } = model.store.get();
    if (!grip || !handles || !oblique) return;
    onMoving();
    const normal = minus(handles.tip, handles.middle);
    const lengthMm = Math.hypot(...normal);
    const { right, up } = frame(camera());
    const mm = camera().heightMm / Math.max(1, canvas.clientHeight);
    if (grip.handle === 'tip') {
      const moved = add(normal, add(scale(right, dx * mm), scale(up, -dy * mm)));
      setLie(model, { normal: moved, up: oblique.up });
      return;
    }
    const [across, rises] = [dot(normal, right) / lengthMm, dot(normal, up) / lengthMm];
    const seen = across * across + rises * rises;
    // A plane that is looked at squarely does not move along the line of sight.
    if (seen > 0.02) moveAlongNormal(model, ((dx * across - dy * rises) * mm) / seen);
  };
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0 || event.shiftKey || event.altKey) return;
      const [x, y] = placeOf(event);
      const handle = findHandle([x, y]);
      grip = handle && { handle, x, y };
      if (!grip) return;
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(event.pointerId);
      event.stopImmediatePropagation();
    },
    { signal },
  );
  canvas.addEventListener(
    'pointermove',
    (event) => {
      const [x, y] = placeOf(event);
      if (grip) {
        drag(x - grip.x, y - grip.y);
        if (grip) grip = { ...grip, x, y };
        event.stopImmediatePropagation();
      } else canvas.style.cursor = event.buttons === 0 && findHandle([x, y]) ? 'grab' : '';
    },
    { signal },
  );
  canvas.addEventListener(
    'pointerup',
    (event) => {
      if (grip) event.stopImmediatePropagation();
      grip = null;
    },
    { signal },
  );
  canvas.addEventListener('pointercancel', () => (grip = null), { signal });
}
