import { paneToPlane, planeAxes, type SliceName } from '#kernels/grid/plane-transform.ts';
import type { Measuring, PickedPoint } from '../state/measuring.ts';
import { readPlace } from '../state/pointer-place.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { snapPoint } from './snap-point.ts';

interface MeasuredPane {
  /** the point under the pointer (CSS pixels of the canvas), moved to the surface if that is near */
  pick(xPx: number, yPx: number): PickedPoint | null;
  /** the point of the cursor, for keyboard use */
  pickCursor(): PickedPoint | null;
  /** a button press picks at once, without any other effect; otherwise a click counts if nothing was dragged. A finger
   * picks when it is lifted, because it may be the first of two that zoom. */
  takesPress: boolean;
}

export function attachSliceMeasuring(
  canvas: HTMLCanvasElement,
  model: ViewerModel,
  name: SliceName,
  signal: AbortSignal,
): void {
  const view = () => model.planeView(name, canvas.clientWidth, canvas.clientHeight);
  const pick = (x: number, y: number) => snapPoint(model, name, view(), paneToPlane(view(), x, y));
  const pickCursor = () => {
    const [cursor, { u, v }] = [model.cursorIn(name), planeAxes[name]];
    return snapPoint(model, name, view(), [cursor[u], cursor[v]]);
  };
  attachMeasuring(canvas, model.measuring, { pick, pickCursor, takesPress: true }, signal);
}

/** Movement in pixels up to which a press counts as a click. */
const clickPx = 4;

/** During a measurement, clicks and keys of a pane place its points; everything else works as before. */
export function attachMeasuring(
  canvas: HTMLCanvasElement,
  measuring: Measuring,
  { pick, pickCursor, takesPress }: MeasuredPane,
  signal: AbortSignal,
): void {
  const listen = { signal };
  let pressed: [number, number] | null = null;
  const picksAtOnce = ({ pointerType }: PointerEvent) => takesPress && pointerType !== 'touch';
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      if (!measuring.kind || event.button !== 0 || event.shiftKey) return;
      pressed = readPlace(canvas, event);
      if (!picksAtOnce(event)) return;
      event.stopImmediatePropagation();
      canvas.focus({ preventScroll: true });
      measuring.place(pick(...pressed));
    },
    listen,
  );
  canvas.addEventListener(
    'pointerup',
    (event) => {
      const from = pressed;
      pressed = null;
      if (!from || picksAtOnce(event) || !measuring.kind) return;
      const [x, y] = readPlace(canvas, event);
      if (Math.hypot(x - from[0], y - from[1]) < clickPx) measuring.place(pick(x, y));
    },
    listen,
  );
  canvas.addEventListener(
    'pointermove',
    (event) => {
      if (measuring.kind) measuring.next.set(event.buttons === 0 ? pick(...readPlace(canvas, event)) : null);
    },
    listen,
  );
  canvas.addEventListener('pointerleave', () => measuring.next.set(null), listen);
  canvas.addEventListener(
    'keydown',
    (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (!measuring.press(event.key, pickCursor)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    listen,
  );
}
