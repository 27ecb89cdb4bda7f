import { readPlace } from './pointer-place.ts';

type Place = [number, number];

/** Receives the zoom factor at a position (pixels of the canvas), and the displacement of that position. */
export type OnPinch = (factor: number, x: number, y: number, dx: number, dy: number) => void;

/**
 * Two-finger gestures on a canvas: their distance zooms, their midpoint pans. Meanwhile no other listener of the canvas
 * receives their events, and a gesture started by one finger is cancelled. Attach before other listeners.
 */
export function attachPinch(canvas: HTMLElement, onPinch: OnPinch, signal: AbortSignal): void {
  const fingers = new Map<number, Place>();
  /** until the last finger of a pinch is lifted, it must not rotate or move anything */
  let isPinching = false;
  const measure = (): { middle: Place; apart: number } | null => {
    const [a, b, third] = [...fingers.values()];
    if (!a || !b || third) return null;
    return { middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], apart: Math.hypot(a[0] - b[0], a[1] - b[1]) };
  };
  const touches = (listener: (event: PointerEvent) => void) => (event: PointerEvent) => {
    if (event.pointerType !== 'touch' || !event.isTrusted) return;
    listener(event);
    if (isPinching) event.stopImmediatePropagation();
    if (fingers.size === 0) isPinching = false;
  };
  const down = touches((event) => {
    fingers.set(event.pointerId, readPlace(canvas, event));
    if (fingers.size !== 2) return;
    isPinching = true;
    canvas.dispatchEvent(new PointerEvent('pointercancel', { pointerId: event.pointerId, bubbles: true }));
  });
  const move = touches((event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = measure();
    fingers.set(event.pointerId, readPlace(canvas, event));
    const after = measure();
    if (!before || !after) return;
    const [x, y] = after.middle;
    onPinch(after.apart / Math.max(1, before.apart), x, y, x - before.middle[0], y - before.middle[1]);
  });
  const up = touches((event) => fingers.delete(event.pointerId));
  const listen = { capture: true, signal };
  canvas.addEventListener('pointerdown', down, listen);
  canvas.addEventListener('pointermove', move, listen);
  canvas.addEventListener('pointerup', up, listen);
  canvas.addEventListener('pointercancel', up, listen);
}
