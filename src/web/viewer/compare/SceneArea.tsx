import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useEffect,
  useRef,
  type WheelEvent,
} from 'react';
import {
  type Bounds,
  type Camera,
  fitted,
  orbited,
  panned,
  standardView,
  zoomed,
} from '#kernels/grid/camera.ts';
import classes from './compare.module.css';
import { usePinch } from './use-pinch.ts';

export interface SceneAreaProps {
  label: string;
  bounds: Bounds;
  /** undefined = fits the parts */
  camera: Camera | undefined;
  onCamera: (camera: Camera | undefined) => void;
  /** receives the element, null on unmount */
  onElement: (element: HTMLElement | null) => void;
}

const radiansPerPixel = Math.PI / 450;
const keyAngle = Math.PI / 12;
/** Right and up. */
const arrows: Record<string, readonly [number, number]> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** The area of one part: pointer, fingers, wheel and keys rotate, pan and zoom all parts together. */
export function SceneArea({ label, bounds, camera, onCamera, onElement }: SceneAreaProps) {
  const element = useRef<HTMLDivElement>(null);
  const tell = useRef(onElement);
  tell.current = onElement;
  useEffect(() => {
    tell.current(element.current);
    return () => tell.current(null);
  }, []);
  const drag = useRef<{ x: number; y: number; moves: boolean } | null>(null);
  // With two fingers, both may move the camera before the next render.
  const latest = useRef(camera);
  latest.current = camera;
  const size = () => {
    const { clientWidth = 1, clientHeight = 1 } = element.current ?? {};
    return { width: Math.max(1, clientWidth), height: Math.max(1, clientHeight) };
  };
  const seen = (): Camera => {
    const { width, height } = size();
    return latest.current ?? standardView('isometric', bounds, width / height);
  };
  const set = (next: Camera) => {
    latest.current = next;
    onCamera(next);
  };
  const pan = (dx: number, dy: number) => {
    const mm = seen().heightMm / size().height;
    set(panned(seen(), dx * mm, -dy * mm));
  };
  const zoomAt = (factor: number, x: number, y: number) => {
    const { width, height } = size();
    const mm = seen().heightMm / height;
    set(zoomed(seen(), factor, (x - width / 2) * mm, (height / 2 - y) * mm));
  };
  usePinch(element, (factor, x, y, dx, dy) => {
    pan(dx, dy);
    zoomAt(factor, x, y);
  });
  const press = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const moves = event.shiftKey || event.button !== 0;
    drag.current = { x: event.clientX, y: event.clientY, moves };
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    const from = drag.current;
    if (from === null) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    drag.current = { ...from, x: event.clientX, y: event.clientY };
    if (from.moves) pan(dx, dy);
    else set(orbited(seen(), dx * radiansPerPixel, dy * radiansPerPixel));
  };
  const release = () => {
    drag.current = null;
  };
  const keys = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = seen();
    const { width, height } = size();
    const [right, up] = arrows[event.key] ?? [0, 0];
    const mm = now.heightMm / 12;
    if (right !== 0 || up !== 0)
      set(event.shiftKey ? panned(now, right * mm, up * mm) : orbited(now, right * keyAngle, -up * keyAngle));
    else if (event.key === '+' || event.key === '=') set(zoomed(now, 1.25));
    else if (event.key === '-') set(zoomed(now, 0.8));
    else if (event.key === 'Home') set(fitted(now, bounds, width / height));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      className={classes.scene}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the pane is turned by keys
      tabIndex={0}
      role="application"
      aria-label={label}
      ref={element}
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={release}
      onContextMenu={(event: MouseEvent) => event.preventDefault()}
      onWheel={({ deltaY, clientX, clientY, currentTarget }: WheelEvent<HTMLElement>) => {
        const { left, top } = currentTarget.getBoundingClientRect();
        zoomAt(Math.exp(-Math.sign(deltaY) * 0.15), clientX - left, clientY - top);
      }}
      onKeyDown={keys}
    />
  );
}
