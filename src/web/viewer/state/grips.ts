import { readPlace } from './pointer-place.ts';

type Place = readonly [x: number, y: number];

interface Grips<Grip> {
  /** the grip under the pointer; null = none. A finger reaches `reach` times as far as a mouse */
  find(place: Place, reach: number): Grip | null;
  /** moves the grip to the pointer's position, and returns its new state */
  drag(grip: Grip, to: Place, from: Place): Grip;
  /** cursor shown over the grip */
  cursor(grip: Grip): string;
  /** called when a grip is taken, and when it is let go */
  onHold?(isHeld: boolean): void;
  /** called if the grip has hardly moved */
  onClick?(event: PointerEvent): void;
}

/** A finger covers what it touches, so its reach is larger. */
const readReach = ({ pointerType }: PointerEvent): number => (pointerType === 'touch' ? 2 : 1);

/** A movement of fewer pixels counts as a click. */
export const clickPx = 4;

/**
 * Draggable objects on a canvas. During a drag, no other listener of the canvas receives pointer events: attach this
 * before other listeners. Positions are CSS pixels from the canvas's upper left.
 */
export function attachGrips<Grip>(
  canvas: HTMLCanvasElement,
  { find, drag, cursor, onHold, onClick }: Grips<Grip>,
  signal: AbortSignal,
): void {
  let held: { grip: Grip; at: Place; farPx: number } | null = null;
  const press = (event: PointerEvent) => {
    if (event.button !== 0 || event.shiftKey || event.altKey) return;
    const at = readPlace(canvas, event);
    const grip = find(at, readReach(event));
    held = grip && { grip, at, farPx: 0 };
    if (!held) return;
    onHold?.(true);
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    event.stopImmediatePropagation();
  };
  const move = (event: PointerEvent) => {
    const to = readPlace(canvas, event);
    if (held) {
      const { grip, at, farPx } = held;
      held = { grip: drag(grip, to, at), at: to, farPx: farPx + Math.hypot(to[0] - at[0], to[1] - at[1]) };
      event.stopImmediatePropagation();
      return;
    }
    const grip = event.buttons === 0 ? find(to, readReach(event)) : null;
    canvas.style.cursor = grip ? cursor(grip) : '';
  };
  const letGo = () => {
    if (held) onHold?.(false);
    held = null;
  };
  const release = (event: PointerEvent) => {
    if (!held) return;
    event.stopImmediatePropagation();
    if (held.farPx < clickPx) onClick?.(event);
    letGo();
  };
  canvas.addEventListener('pointerdown', press, { signal });
  canvas.addEventListener('pointermove', move, { signal });
  canvas.addEventListener('pointerup', release, { signal });
  canvas.addEventListener('pointercancel', letGo, { signal });
}
