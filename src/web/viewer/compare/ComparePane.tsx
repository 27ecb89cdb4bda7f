import { type KeyboardEvent, type PointerEvent, useCallback, useEffect, useRef } from 'react';
import { type PlaneView, planeAxes, zoomedAt } from '#kernels/grid/plane-transform.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { ComparedSlice } from '#kernels/overlay/paint-compared-slice.ts';
import type { PlaneCard } from '../engine/plane-card.ts';
import { SliceScratch } from '../slices/paint-slice.ts';
import { readScroll } from '../state/wheel.ts';
import { PaneFrame, type PaneFrameProps } from './PaneFrame.tsx';
import { paintCompared } from './paint-compared.ts';
import { usePinch } from './use-pinch.ts';

interface ComparePaneProps extends ComparedSlice, PaneFrameProps {
  label: string;
  card: PlaneCard;
  /** mm between two slices */
  stepMm: number;
  onCursor: (cursor: Vector3) => void;
  onView: (middle: Vector3, heightMm: number) => void;
  onHome: () => void;
}

const movedByKeys = { tabIndex: 0, role: 'application' } as const;

/** One slice pane of a comparison. Moving it moves all of them. */
export function ComparePane(props: ComparePaneProps) {
  const { title, label, aside, notice, swipe } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const request = useRef<() => void>(() => undefined);
  const shift = useCallback((factor: number, x: number, y: number, dx = 0, dy = 0) => {
    const now = latest.current;
    const { clientWidth: widthPx = 1, clientHeight: heightPx = 1 } = canvas.current ?? {};
    const view = shiftView(now.view, { widthPx, heightPx }, { factor, x, y, dx, dy });
    // With two fingers, both may move the view before the next render.
    latest.current = { ...now, view };
    now.onView([...view.centre], view.heightMm);
  }, []);
  usePinch(canvas, shift);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    let frame = 0;
    const scratches = [new SliceScratch(), new SliceScratch()] as const;
    const draw = () => {
      frame = 0;
      drawPane(element, latest.current, scratches);
    };
    request.current = () => {
      frame ||= requestAnimationFrame(draw);
    };
    const sized = new ResizeObserver(request.current);
    sized.observe(element);
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey)
        shift(Math.exp(-Math.sign(event.deltaY) * 0.2), event.clientX - box.left, event.clientY - box.top);
      else {
        const turns = -Math.sign(readScroll(event)) * (event.shiftKey ? 10 : 1);
        step(latest.current, planeAxes[latest.current.view.plane].normal, turns);
      }
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      cancelAnimationFrame(frame);
      sized.disconnect();
      element.removeEventListener('wheel', wheel);
    };
  }, [shift]);
  useEffect(() => request.current());

  const drag = useRef<{ x: number; y: number; moves: boolean } | null>(null);
  const press = (event: PointerEvent<HTMLCanvasElement>) => {
    event.currentTarget.focus({ preventScroll: true });
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, y: event.clientY, moves: event.shiftKey || event.button === 1 };
    if (!drag.current.moves) props.onCursor(findPoint(event, props));
  };
  const move = (event: PointerEvent<HTMLCanvasElement>) => {
    const from = drag.current;
    if (from === null) return;
    if (!from.moves) return props.onCursor(findPoint(event, props));
    shift(1, 0, 0, event.clientX - from.x, event.clientY - from.y);
    drag.current = { ...from, x: event.clientX, y: event.clientY };
  };
  const release = () => {
    drag.current = null;
  };
  return (
    <PaneFrame {...{ title, aside, notice, swipe }}>
      <canvas
        ref={canvas}
        {...movedByKeys}
        aria-label={label}
        data-compare-pane
        onPointerDown={press}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={release}
        onKeyDown={(event) => pressKey(event, props)}
      />
    </PaneFrame>
  );
}

const findPoint = (event: PointerEvent<HTMLCanvasElement>, { view, cursor }: ComparePaneProps): Vector3 => {
  const box = event.currentTarget.getBoundingClientRect();
  const { u, v } = planeAxes[view.plane];
  const mm = view.heightMm / box.height;
  const point: Vector3 = [...cursor];
  point[u] = view.centre[u] + (event.clientX - box.left - box.width / 2) * mm;
  point[v] = view.centre[v] - (event.clientY - box.top - box.height / 2) * mm;
  return point;
};

interface Shift {
  /** zoom factor at a position, in pixels of the pane */
  factor: number;
  x: number;
  y: number;
  /** displacement of that position */
  dx: number;
  dy: number;
}

/** The view moved and zoomed at a place of its pane. */
function shiftView(
  { plane, centre, heightMm }: ComparedSlice['view'],
  size: Pick<PlaneView, 'widthPx' | 'heightPx'>,
  { factor, x, y, dx, dy }: Shift,
): ComparedSlice['view'] {
  const { u, v } = planeAxes[plane];
  const mm = heightMm / Math.max(1, size.heightPx);
  const moved = { ...size, centreU: centre[u] - dx * mm, centreV: centre[v] + dy * mm, heightMm };
  const zoomed = zoomedAt(moved, factor, x, y);
  const middle: Vector3 = [...centre];
  [middle[u], middle[v]] = [zoomed.centreU, zoomed.centreV];
  return { plane, centre: middle, heightMm: zoomed.heightMm };
}

function step({ cursor, stepMm, onCursor }: ComparePaneProps, axis: 0 | 1 | 2, by: number): void {
  const next: Vector3 = [...cursor];
  next[axis] += by * stepMm;
  onCursor(next);
}

const zoom = ({ view, onView }: ComparePaneProps, factor: number) =>
  onView(view.centre, view.heightMm * factor);

function pressKey(event: KeyboardEvent, props: ComparePaneProps): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { u, v, normal } = planeAxes[props.view.plane];
  const far = event.shiftKey ? 10 : 1;
  const actions: Record<string, () => void> = {
    PageUp: () => step(props, normal, far),
    PageDown: () => step(props, normal, -far),
    ArrowRight: () => step(props, u, far),
    ArrowLeft: () => step(props, u, -far),
    ArrowUp: () => step(props, v, far),
    ArrowDown: () => step(props, v, -far),
    '+': () => zoom(props, 0.8),
    '=': () => zoom(props, 0.8),
    '-': () => zoom(props, 1.25),
    Home: props.onHome,
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

/** Draws the slice at the size of the canvas element. */
function drawPane(
  element: HTMLCanvasElement,
  { card, ...slice }: ComparedSlice & { card: PlaneCard },
  scratches: readonly [SliceScratch, SliceScratch],
): void {
  const [widthPx, heightPx] = [element.clientWidth, element.clientHeight];
  if (widthPx < 1 || heightPx < 1) return;
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(widthPx * scale), Math.round(heightPx * scale)];
  if (element.width !== width || element.height !== height) {
    element.width = width;
    element.height = height;
  }
  const context = element.getContext('2d', { alpha: false });
  if (!context) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  paintCompared(context, slice, { widthPx, heightPx, scale }, scratches, card);
}
