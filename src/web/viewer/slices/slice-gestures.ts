import type { ViewState } from '#contract/shapes/view-state.ts';
import {
  gridMmToWorld,
  mmPerPixel,
  type PlaneView,
  paneToPlane,
  planeAxes,
  type SliceName,
  zoomedAt,
} from '#kernels/grid/plane-transform.ts';
import { attachSliceMeasuring } from '../measure/attach-measuring.ts';
import { choosePlaceOnSlice } from '../state/choose-place.ts';
import { toggleCutAlong } from '../state/clips.ts';
import { attachPinch } from '../state/pinch.ts';
import { readPlace } from '../state/pointer-place.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { isNotch, readScroll } from '../state/wheel.ts';
import { valueAt } from './draw-plane.ts';
import { attachTrace, turnByKey } from './oblique-trace.ts';

type Drag = {
  kind: 'cursor' | 'pan' | 'window';
  x: number;
  y: number;
  /** of the view before, restored when a second finger joins */
  before: Pick<ViewState, 'cursorMm' | 'selectedDefectId'>;
};

/** Pixels of trackpad scrolling per slice; a notch of a wheel is always one slice. */
const pixelsPerSlice = 40;

/**
 * Mouse, pen, touch, wheel and keys of one slice pane. Every gesture has a number field elsewhere. Returns a function
 * that removes the listeners.
 */
export function attachSliceGestures(
  canvas: HTMLCanvasElement,
  model: ViewerModel,
  name: SliceName,
): () => void {
  const off = new AbortController();
  const listen = { signal: off.signal };
  let drag: Drag | null = null;
  let scrolled = 0;

  const view = (): PlaneView => model.planeView(name, canvas.clientWidth, canvas.clientHeight);
  const moveCursor = (x: number, y: number) => {
    const axes = planeAxes[name];
    const cursor = model.cursorIn(name);
    [cursor[axes.u], cursor[axes.v]] = paneToPlane(view(), x, y);
    model.setCursorIn(name, cursor);
  };
  const pan = (dx: number, dy: number) => {
    const now = view();
    const mm = mmPerPixel(now);
    model.setPlaneView(name, { ...now, centreU: now.centreU - dx * mm, centreV: now.centreV + dy * mm });
  };
  const zoom = (factor: number, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) =>
    model.setPlaneView(name, zoomedAt(view(), factor, x, y));
  const scroll = (slices: number) => {
    const slice = model.slice(name);
    if (slice) model.setSliceIndex(name, slice.index + slices);
  };

  const pinch = (factor: number, x: number, y: number, dx: number, dy: number) => {
    pan(dx, dy);
    zoom(factor, x, y);
  };
  attachPinch(canvas, pinch, off.signal);
  attachSliceMeasuring(canvas, model, name, off.signal);
  attachTrace(canvas, model, name, off.signal);
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(event.pointerId);
      const [x, y] = readPlace(canvas, event);
      const tool = model.tool.get();
      const kind = event.button === 1 || event.shiftKey ? 'pan' : event.button === 2 ? 'window' : tool;
      const { cursorMm, selectedDefectId } = model.store.get();
      drag = { kind, x, y, before: { cursorMm, selectedDefectId } };
      if (kind !== 'cursor') return;
      moveCursor(x, y);
      choosePlaceOnSlice(model, name, ...paneToPlane(view(), x, y));
    },
    listen,
  );
  canvas.addEventListener(
    'pointermove',
    (event) => {
      const [x, y] = readPlace(canvas, event);
      if (drag) {
        const [dx, dy] = [x - drag.x, y - drag.y];
        drag = { ...drag, x, y };
        if (drag.kind === 'cursor') moveCursor(x, y);
        else if (drag.kind === 'pan') pan(dx, dy);
        else {
          const { center, width } = model.window();
          // Dragging across 400 pixels changes the width by a factor of e; upwards is brighter.
          model.store.update({
            window: { center: center + (dy * width) / 300, width: width * Math.exp(dx / 400) },
          });
        }
      }
      probeSlice(model, name, view(), paneToPlane(view(), x, y));
    },
    listen,
  );
  const release = () => (drag = null);
  canvas.addEventListener('pointerup', release, listen);
  const cancel = () => {
    if (drag?.kind === 'cursor') model.store.update(drag.before);
    release();
  };
  canvas.addEventListener('pointercancel', cancel, listen);
  canvas.addEventListener('pointerleave', () => model.probe.set(null), listen);
  canvas.addEventListener('contextmenu', (event) => event.preventDefault(), listen);
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const [x, y] = readPlace(canvas, event);
      if (event.ctrlKey || event.metaKey) {
        zoom(Math.exp(-Math.sign(event.deltaY) * (isNotch(event) ? 0.2 : 0.04)), x, y);
        return;
      }
      const delta = readScroll(event);
      scrolled += (isNotch(event) ? Math.sign(delta) : delta / pixelsPerSlice) * (event.shiftKey ? 10 : 1);
      const whole = Math.trunc(scrolled);
      scrolled -= whole;
      if (whole !== 0) scroll(-whole);
    },
    { ...listen, passive: false },
  );
  attachSliceKeys(canvas, model, name, { zoom, scroll }, off.signal);
  return () => off.abort();
}

interface SliceMoves {
  zoom: (factor: number) => void;
  /** by whole slices */
  scroll: (slices: number) => void;
}

function attachSliceKeys(
  canvas: HTMLCanvasElement,
  model: ViewerModel,
  name: SliceName,
  { zoom, scroll }: SliceMoves,
  signal: AbortSignal,
): void {
  const press = (event: KeyboardEvent) => {
    if (event.altKey || ((event.ctrlKey || event.metaKey) && !/[+=-]/.test(event.key))) return;
    const far = event.shiftKey ? 10 : 1;
    const step = (axis: 0 | 1 | 2, direction: number) => {
      const grid = model.grid(name);
      if (!grid) return;
      const cursor = model.cursorIn(name);
      cursor[axis] += direction * far * grid.voxelSizeMm[axis];
      model.setCursorIn(name, cursor);
    };
    const { u, v } = planeAxes[name];
    const actions: Record<string, () => void> = {
      PageUp: () => scroll(far),
      PageDown: () => scroll(-far),
      ArrowRight: () => step(u, 1),
      ArrowLeft: () => step(u, -1),
      ArrowUp: () => step(v, 1),
      ArrowDown: () => step(v, -1),
      '+': () => zoom(1.25),
      '=': () => zoom(1.25),
      '-': () => zoom(0.8),
      Home: () => model.store.update({ planes: null }),
      c: () => toggleCutAlong(model, name),
    };
    const turn =
      name === 'oblique' && !event.ctrlKey && !event.metaKey ? turnByKey(model, event.key, far) : null;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key] ?? turn;
    if (!action) return;
    event.preventDefault();
    action();
  };
  canvas.addEventListener('keydown', press, { signal });
}

/** Shows the value at a position of a slice (grid mm along its axes). */
function probeSlice(
  model: ViewerModel,
  name: SliceName,
  view: PlaneView,
  [u, v]: readonly [number, number],
): void {
  const grid = model.grid(name);
  const slice = model.slice(name);
  const shown = slice && { positionMm: slice.positionMm, view, scale: devicePixelRatio };
  const plane = shown && model.loaders[name]?.planeAt(shown, u, v);
  if (!grid || !slice || !plane) return;
  const axes = planeAxes[name];
  const value = valueAt(plane, u, v);
  if (value === null) {
    model.probe.set(null);
    return;
  }
  const point: [number, number, number] = [0, 0, 0];
  point[axes.u] = u;
  point[axes.v] = v;
  point[axes.normal] = slice.positionMm;
  const pointWorld = gridMmToWorld(grid, point);
  model.probe.set({ pane: name, pointWorld, value, title: 'Grey value', unit: '', exact: plane.exact });
}
