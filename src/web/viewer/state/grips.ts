type Place = readonly [x: number, y: number];

interface Grips<Grip> {
  /** what the pointer would take hold of; null = nothing */
  find(place: Place): Grip | null;
  /** moves what is held to where the pointer is, and says how it is held from then on */
  drag(grip: Grip, to: Place, from: Place): Grip;
  /** of the pointer over it */
  cursor(grip: Grip): string;
  /** what was held has hardly moved */
  onClick?(event: PointerEvent): void;
}

/** What is moved by less, in pixels, has been clicked. */
export const clickPx = 4;

/**
 * Things on a canvas that are dragged by hand. While one is held nothing else on the canvas hears of the pointer: to be
 * attached before other listeners. Places are CSS pixels from the canvas's upper left.
 */
export function attachGrips<Grip>(
  canvas: HTMLCanvasElement,
  { find, drag, cursor, onClick }: Grips<Grip>,
  signal: AbortSignal,
): void {
  let held: { grip: Grip; at: Place; farPx: number } | null = null;
  const placeOf = (event: PointerEvent): Place => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const press = (event: PointerEvent) => {
    if (event.button !== 0 || event.shiftKey || event.altKey) return;
    const at = placeOf(event);
    const grip = find(at);
    held = grip && { grip, at, farPx: 0 };
    if (!held) return;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    event.stopImmediatePropagation();
  };
  const move = (event: PointerEvent) => {
    const to = placeOf(event);
    if (held) {
      const { grip, at, farPx } = held;
      held = { grip: drag(grip, to, at), at: to, farPx: farPx + Math.hypot(to[0] - at[0], to[1] - at[1]) };
      event.stopImmediatePropagation();
      return;
    }
    const grip = event.buttons === 0 ? find(to) : null;
    canvas.style.cursor = grip ? cursor(grip) : '';
  };
  const release = (event: PointerEvent) => {
    if (!held) return;
    event.stopImmediatePropagation();
    if (held.farPx < clickPx) onClick?.(event);
    held = null;
  };
  canvas.addEventListener('pointerdown', press, { signal });
  canvas.addEventListener('pointermove', move, { signal });
  canvas.addEventListener('pointerup', release, { signal });
  canvas.addEventListener('pointercancel', () => (held = null), { signal });
}
