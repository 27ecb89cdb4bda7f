import { type Camera, fitted, frame, orbited, panned, rolled, zoomed } from '#kernels/grid/camera.ts';
import { dot } from '#kernels/grid/vectors.ts';
import type { Engine } from '../engine/engine.ts';
import { attachMeasuring } from '../measure/attach-measuring.ts';
import { describePick } from '../measure/snap-point.ts';
import { goToHit } from '../state/choose-place.ts';
import { addPlane, toggleBox } from '../state/clips.ts';
import { clickPx } from '../state/grips.ts';
import type { PickedPoint } from '../state/measuring.ts';
import { attachPinch } from '../state/pinch.ts';
import { readPlace } from '../state/pointer-place.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { isNotch } from '../state/wheel.ts';
import { attachHandles } from './handles.ts';

/** Rotation of the part in radians per pixel of dragging: half a turn across 450 pixels. */
const radiansPerPixel = Math.PI / 450;
const keyAngle = Math.PI / 12;

/**
 * Mouse, pen, touch, wheel and keys of the 3D pane. The left button rotates, the right one or Shift pans, the wheel
 * zooms at the pointer, a click moves the slices to the point on the surface. Returns a function that removes the
 * listeners.
 */
export function attachSceneGestures(
  canvas: HTMLCanvasElement,
  model: ViewerModel,
  engine: () => Engine | null,
  onMoving: () => void,
): () => void {
  const off = new AbortController();
  const listen = { signal: off.signal };
  let drag: { kind: 'orbit' | 'pan' | 'roll'; x: number; y: number; far: number } | null = null;
  let hover: [number, number] | null = null;

  const size = (): [number, number] => [canvas.clientWidth || 1, canvas.clientHeight || 1];
  const camera = () => model.camera(size()[0] / size()[1]);
  const set = (next: Camera) => {
    onMoving();
    model.store.update({ camera: next });
  };
  /** offset from the centre to the right and up, in mm */
  const offMiddle = (x: number, y: number): [number, number] => {
    const [width, height] = size();
    const mm = camera().heightMm / height;
    return [(x - width / 2) * mm, (height / 2 - y) * mm];
  };
  const pan = (dx: number, dy: number) => {
    const mm = camera().heightMm / size()[1];
    set(panned(camera(), dx * mm, -dy * mm));
  };
  // Once per frame is enough for a display read by people.
  const probe = () => showProbe(model, hover && !drag ? engine()?.pick(...hover, ...size()) : null);

  const pinch = (factor: number, x: number, y: number, dx: number, dy: number) => {
    pan(dx, dy);
    set(zoomed(camera(), factor, ...offMiddle(x, y)));
  };
  attachPinch(canvas, pinch, off.signal);
  const pick = (x: number, y: number) => {
    const hit = engine()?.pick(x, y, ...size());
    return hit ? describePick(model, hit) : null;
  };
  const pickCursor = (): PickedPoint => ({
    pointWorld: model.cursorWorld(),
    placement: 'free',
    surfaceId: null,
  });
  attachMeasuring(canvas, model.measuring, { pick, pickCursor, takesPress: false }, off.signal);
  const click = (event: PointerEvent) => {
    const hit = engine()?.pick(...readPlace(canvas, event), ...size());
    if (hit && !model.measuring.kind) goToHit(model, hit);
  };
  attachHandles(canvas, model, { onMoving, onClick: click }, off.signal);
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(event.pointerId);
      const [x, y] = readPlace(canvas, event);
      const moves = event.button !== 0 || event.shiftKey || model.tool.get() === 'pan';
      drag = { kind: event.altKey ? 'roll' : moves ? 'pan' : 'orbit', x, y, far: 0 };
    },
    listen,
  );
  canvas.addEventListener(
    'pointermove',
    (event) => {
      const [x, y] = readPlace(canvas, event);
      hover = [x, y];
      if (drag) {
        const [dx, dy] = [x - drag.x, y - drag.y];
        drag = { ...drag, x, y, far: drag.far + Math.hypot(dx, dy) };
        if (drag.kind === 'pan') pan(dx, dy);
        else if (drag.kind === 'roll') set(rolled(camera(), dx * radiansPerPixel));
        else set(orbited(camera(), dx * radiansPerPixel, dy * radiansPerPixel));
      }
      model.scheduler.request(probe);
    },
    listen,
  );
  canvas.addEventListener(
    'pointerup',
    (event) => {
      if (drag && drag.far < clickPx && event.button === 0) click(event);
      drag = null;
    },
    listen,
  );
  canvas.addEventListener('pointercancel', () => (drag = null), listen);
  canvas.addEventListener(
    'pointerleave',
    () => {
      hover = null;
      model.scheduler.request(probe);
    },
    listen,
  );
  canvas.addEventListener('contextmenu', (event) => event.preventDefault(), listen);
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const factor = Math.exp(isNotch(event) ? -Math.sign(event.deltaY) * 0.18 : -event.deltaY * 0.0025);
      set(zoomed(camera(), factor, ...offMiddle(...readPlace(canvas, event))));
    },
    { ...listen, passive: false },
  );
  attachSceneKeys(canvas, model, { camera, set, pan }, off.signal);
  return () => {
    off.abort();
    model.scheduler.cancel(probe);
  };
}

/** Shows the value under the pointer: grey value for a section or the volume, the current scalar for a surface. */
function showProbe(model: ViewerModel, hit: ReturnType<Engine['pick']> | undefined): void {
  const scalar = model.scalar();
  model.probe.set(
    hit
      ? {
          pane: '3d',
          pointWorld: hit.pointWorld,
          value: hit.grey ?? hit.value,
          title:
            hit.grey === undefined ? (scalar?.title ?? '') : hit.grey === null ? 'Section' : 'Grey value',
          unit: hit.grey === undefined ? (scalar?.unit ?? '') : '',
          // The grey value of a section may be an average over voxels.
          exact: typeof hit.grey !== 'number' && !hit.isSimplified,
        }
      : null,
  );
}

interface SceneMoves {
  camera: () => Camera;
  set: (camera: Camera) => void;
  /** in pixels */
  pan: (dx: number, dy: number) => void;
}

function attachSceneKeys(
  canvas: HTMLCanvasElement,
  model: ViewerModel,
  { camera, set, pan }: SceneMoves,
  signal: AbortSignal,
): void {
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [width, height] = [canvas.clientWidth || 1, canvas.clientHeight || 1];
    const turn = (yaw: number, pitch: number) => () =>
      event.shiftKey
        ? pan((yaw * width) / 20, (pitch * height) / 20)
        : set(orbited(camera(), yaw * keyAngle, pitch * keyAngle));
    const cutAcrossView = () => {
      const { towards } = frame(camera());
      addPlane(model, { normal: towards, offsetMm: dot(towards, model.cursorWorld()) });
    };
    const actions: Record<string, () => void> = {
      ArrowLeft: turn(-1, 0),
      ArrowRight: turn(1, 0),
      ArrowUp: turn(0, -1),
      ArrowDown: turn(0, 1),
      '+': () => set(zoomed(camera(), 1.25)),
      '=': () => set(zoomed(camera(), 1.25)),
      '-': () => set(zoomed(camera(), 0.8)),
      c: cutAcrossView,
      x: () => toggleBox(model),
      Home: () => set(fitted(camera(), model.bounds(), width / height)),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  canvas.addEventListener('keydown', press, { signal });
}
