import { expect, it } from 'vitest';
import { attachGrips } from './grips.ts';

/** The part of a canvas that grips use. */
class TestCanvas extends EventTarget {
  readonly style = { cursor: '' };
  getBoundingClientRect = () => ({ left: 10, top: 20 });
  setPointerCapture = () => undefined;
  focus = () => undefined;
  tell(type: string, pointerType: string, x: number, y: number) {
    const event = Object.assign(new Event(type), { button: 0, buttons: 0, clientX: x, clientY: y });
    this.dispatchEvent(Object.assign(event, { pointerType, pointerId: 1 }));
  }
}

it('accepts a finger at twice the distance of a mouse', () => {
  const canvas = new TestCanvas();
  const dragged: (readonly [number, number])[] = [];
  const holds: boolean[] = [];
  const grips = {
    find: ([x, y]: readonly [number, number], reach: number) =>
      Math.hypot(x, y) <= 11 * reach ? 'handle' : null,
    drag: (grip: string, to: readonly [number, number]) => {
      dragged.push(to);
      return grip;
    },
    cursor: () => 'grab',
    onHold: (isHeld: boolean) => void holds.push(isHeld),
  };
  attachGrips(canvas as unknown as HTMLCanvasElement, grips, new AbortController().signal);
  const drag = (pointerType: string) => {
    canvas.tell('pointerdown', pointerType, 10 + 18, 20);
    canvas.tell('pointermove', pointerType, 10 + 40, 20);
    canvas.tell('pointerup', pointerType, 10 + 40, 20);
  };
  drag('mouse');
  expect(dragged).toEqual([]);
  expect(holds).toEqual([]);
  drag('touch');
  expect(dragged).toEqual([[40, 0]]);
  expect(holds).toEqual([true, false]);
  canvas.tell('pointerdown', 'touch', 10, 20);
  canvas.tell('pointercancel', 'touch', 10, 20);
  expect(holds).toEqual([true, false, true, false]);
});
