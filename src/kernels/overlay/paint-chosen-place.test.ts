import { expect, it } from 'vitest';
import { type Camera, standardView } from '../grid/camera.ts';
import type { Canvas2D } from './canvas.ts';
import { onLight } from './paint.ts';
import { paintChosenRing } from './paint-chosen-place.ts';

const camera: Camera = standardView('front', { min: [-50, -50, -50], max: [50, 50, 50] }, 1);

/** Where circles are drawn, and how large. CSS pixels. */
function drawRings(radiusMm: number, seen = camera): number[][] {
  const rings: number[][] = [];
  const context = {
    beginPath() {},
    stroke() {},
    arc: (x: number, y: number, radius: number) => rings.push([x, y, radius]),
  } as Partial<Canvas2D> as Canvas2D;
  paintChosenRing(context, { centre: [0, 0, 0], radiusMm }, seen, [400, 400], onLight);
  return rings;
}

it('draws a ring around a selected place that is too small to see', () => {
  expect(drawRings(0.1)).toEqual([[200, 200, 10]]);
  expect(drawRings(10)).toEqual([]);
  // Seen from near, it is found by itself.
  expect(drawRings(0.1, { ...camera, heightMm: 2 })).toEqual([]);
});
