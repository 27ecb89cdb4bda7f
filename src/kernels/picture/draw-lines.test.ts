import { expect, it } from 'vitest';
import { drawLines } from './draw-lines.ts';

const draw = (points: number[], widthPx: number, opacity = 1) => {
  const samples = new Uint8Array(20 * 10 * 3);
  const pane = { picture: { width: 20, channels: 3 as const, samples }, x: 10, y: 0, width: 10, height: 10 };
  const view = { centreU: 0, centreV: 0, heightMm: 10, widthPx: 10, heightPx: 10 };
  const lines = { points: Float64Array.from(points), starts: Uint32Array.of(0, points.length / 2) };
  drawLines(pane, view, lines, { widthPx, opacity, inkAt: () => [200, 100, 0] });
  return (x: number, y: number) => [...samples.subarray(3 * (20 * y + x), 3 * (20 * y + x) + 3)];
};

it('draws a line of its width where it lies in the pane, and nothing beside the pane', () => {
  // Along the middle of the pane, whose first column is the tenth of the picture.
  const pixel = draw([-20, 0, 20, 0], 2);
  for (const x of [10, 15, 19]) {
    expect([pixel(x, 4), pixel(x, 5)]).toEqual([
      [200, 100, 0],
      [200, 100, 0],
    ]);
    expect([pixel(x, 3), pixel(x, 6)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  }
  expect(pixel(9, 5)).toEqual([0, 0, 0]);
});

it('has no knots where pieces meet', () => {
  const pixel = draw([-3, 0, 0, 0, 0, 0, 3, 0], 2, 0.5);
  for (const x of [13, 14, 15, 16]) expect(pixel(x, 5)).toEqual([100, 50, 0]);
});
