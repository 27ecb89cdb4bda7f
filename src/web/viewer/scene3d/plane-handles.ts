import { type Camera, frame, projectPoint } from '#kernels/grid/camera.ts';
import { frameLie, listCorners, outlineOnBox } from '#kernels/grid/turned-grid.ts';
import { add, dot, minus, scale } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { clipInk, type Inks, obliqueInk } from '../overlay/paint.ts';
import { moveClip, placeClip, tiltClip } from '../state/clip.ts';
import { moveAlongNormal, setLie } from '../state/oblique.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

/** A plane that is moved and tilted by hand in 3D; mm of the world. */
interface HeldPlane {
  ink: string;
  /** a section shows what lies in it: nothing is laid over that */
  isTinted: boolean;
  /** where it is gripped, and its unit normal; null where there is none */
  place(model: ViewerModel): { middle: Vector3; normal: Vector3 } | null;
  move(model: ViewerModel, byMm: number): void;
  tilt(model: ViewerModel, normal: Vector3): void;
}

/** The plane of any lie, at the cursor. */
export const obliquePlane: HeldPlane = {
  ink: obliqueInk,
  isTinted: true,
  place(model) {
    const { oblique } = model.store.get();
    return oblique && model.volume
      ? { middle: model.cursorWorld(), normal: frameLie(oblique).towards }
      : null;
  },
  move: moveAlongNormal,
  tilt(model, normal) {
    const { oblique } = model.store.get();
    if (oblique) setLie(model, { normal, up: oblique.up });
  },
};

/** The plane that cuts the part open. */
export const cuttingPlane: HeldPlane = {
  ink: clipInk,
  isTinted: false,
  place: placeClip,
  move: moveClip,
  tilt: tiltClip,
};

const heldPlanes = [obliquePlane, cuttingPlane];

/** Of the normal that is drawn, as a share of the diagonal of the scan, or of the part where there is no scan. */
const normalShare = 0.16;
/** How near the pointer must be to a handle, in pixels. */
const handlePx = 11;
/** What is moved by less has been clicked. */
export const clickPx = 4;

interface Handle {
  plane: HeldPlane;
  end: 'middle' | 'tip';
}

/** The ends of the normal, which move the plane (where it is gripped) and tilt it (at its tip). */
function placeHandles(model: ViewerModel, plane: HeldPlane): { middle: Vector3; tip: Vector3 } | null {
  const placed = plane.place(model);
  if (!placed) return null;
  const corners = model.volume ? listCorners(model.volume) : [];
  const { min, max } = model.bounds();
  const [first = min, last = max] = [corners[0], corners[7]];
  const reach = normalShare * Math.hypot(...minus(last, first));
  return { middle: placed.middle, tip: add(placed.middle, scale(placed.normal, reach)) };
}

/** Its outline on the scan's box, its normal and the handles on it. CSS pixels. */
export function paintPlaneInScene(
  plane: HeldPlane,
  model: ViewerModel,
  context: CanvasRenderingContext2D,
  camera: Camera,
  [widthPx, heightPx]: readonly [number, number],
  inks: Inks,
): void {
  const handles = placeHandles(model, plane);
  if (!handles) return;
  const project = (point: Vector3) => projectPoint(camera, point, widthPx, heightPx);
  const normal = minus(handles.tip, handles.middle);
  const outline = model.volume
    ? outlineOnBox(model.volume, handles.middle, { normal, up: [0, 0, 0] }).map(project)
    : [];
  const [middle, tip] = [project(handles.middle), project(handles.tip)];
  const path = new Path2D();
  for (const [i, place] of outline.entries())
    if (place) i === 0 ? path.moveTo(...place) : path.lineTo(...place);
  path.closePath();
  context.save();
  context.lineJoin = 'round';
  context.fillStyle = plane.ink;
  context.globalAlpha = plane.isTinted ? 0.08 : 0;
  context.fill(path);
  context.globalAlpha = 1;
  if (middle && tip) {
    path.moveTo(...middle);
    path.lineTo(...tip);
  }
  for (const [ink, width] of [
    [inks.halo, 3.5],
    [plane.ink, 1.75],
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

/** In 3D a plane is moved along its normal where that begins, and tilted at the normal's tip. */
export function attachPlaneHandles(
  canvas: HTMLCanvasElement,
  model: ViewerModel,
  { onMoving, onClick }: { onMoving: () => void; onClick: (event: PointerEvent) => void },
  signal: AbortSignal,
): void {
  let grip: (Handle & { x: number; y: number; far: number }) | null = null;
  const camera = () => model.camera((canvas.clientWidth || 1) / (canvas.clientHeight || 1));
  const project = (point: Vector3) => projectPoint(camera(), point, canvas.clientWidth, canvas.clientHeight);
  const placeOf = (event: MouseEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const findHandle = ([x, y]: readonly [number, number]): Handle | null => {
    if (model.measuring.kind) return null;
    const isNear = (point: Vector3) => {
      const place = project(point);
      return place !== null && Math.hypot(x - place[0], y - place[1]) <= handlePx;
    };
    for (const plane of heldPlanes) {
      const handles = placeHandles(model, plane);
      const end = (['tip', 'middle'] as const).find((each) => handles && isNear(handles[each]));
      if (end) return { plane, end };
    }
    return null;
  };
  const drag = (dx: number, dy: number) => {
    const handles = grip && placeHandles(model, grip.plane);
    if (!grip || !handles) return;
    onMoving();
    const normal = minus(handles.tip, handles.middle);
    const lengthMm = Math.hypot(...normal);
    const { right, up } = frame(camera());
    const mm = camera().heightMm / Math.max(1, canvas.clientHeight);
    if (grip.end === 'tip') {
      grip.plane.tilt(model, add(normal, add(scale(right, dx * mm), scale(up, -dy * mm))));
      return;
    }
    const [across, rises] = [dot(normal, right) / lengthMm, dot(normal, up) / lengthMm];
    const seen = across * across + rises * rises;
    // A plane that is looked at squarely does not move along the line of sight.
    if (seen > 0.02) grip.plane.move(model, ((dx * across - dy * rises) * mm) / seen);
  };
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0 || event.shiftKey || event.altKey) return;
      const [x, y] = placeOf(event);
      const handle = findHandle([x, y]);
      grip = handle && { ...handle, x, y, far: 0 };
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
        const [dx, dy] = [x - grip.x, y - grip.y];
        drag(dx, dy);
        grip = { ...grip, x, y, far: grip.far + Math.hypot(dx, dy) };
        event.stopImmediatePropagation();
      } else canvas.style.cursor = event.buttons === 0 && findHandle([x, y]) ? 'grab' : '';
    },
    { signal },
  );
  canvas.addEventListener(
    'pointerup',
    (event) => {
      if (!grip) return;
      event.stopImmediatePropagation();
      if (grip.far < clickPx) onClick(event);
      grip = null;
    },
    { signal },
  );
  canvas.addEventListener('pointercancel', () => (grip = null), { signal });
}
