import { expect, it } from 'vitest';
import type { Canvas2D } from '../overlay/canvas.ts';
import { PictureCanvas } from './picture-canvas.ts';

const letters = { outline: () => ({ outlines: [], width: 0 }), ascent: 1, descent: 0 };

/** Red of each pixel of a black picture of 40 × 20. */
function draw(paint: (canvas: Canvas2D) => void, scale = 1) {
  const picture = { width: 40, height: 20, channels: 3 as const, samples: new Uint8Array(40 * 20 * 3) };
  const canvas = new PictureCanvas({ picture, x: 0, y: 0, width: 40, height: 20 }, scale, letters);
  canvas.fillStyle = canvas.strokeStyle = 'rgb(200 100 0)';
  paint(canvas);
  return (x: number, y: number) => picture.samples[3 * (40 * y + x)];
}

const dashed = (canvas: Canvas2D, ...corners: number[]) => {
  canvas.lineWidth = 2;
  canvas.setLineDash([6, 4]);
  canvas.beginPath();
  canvas.moveTo(corners[0], corners[1]);
  for (let i = 2; i < corners.length; i += 2) canvas.lineTo(corners[i], corners[i + 1]);
  canvas.stroke();
};

it('continues dashes around the corners of a line, and restarts them with the next line', () => {
  const straight = draw((canvas) => dashed(canvas, 0, 10, 40, 10));
  const bent = draw((canvas) => dashed(canvas, 0, 10, 3, 10, 13, 10, 40, 10));
  for (let x = 0; x < 40; x++)
    for (const row of [straight, bent]) expect(row(x, 10), `${x}`).toBe(x % 10 < 6 ? 200 : 0);
  const second = draw((canvas) => {
    dashed(canvas, 0, 4, 8, 4);
    dashed(canvas, 3, 14, 40, 14);
  });
  for (let x = 3; x < 40; x++) expect(second(x, 14)).toBe((x - 3) % 10 < 6 ? 200 : 0);
});

it('scales dashes with the resolution, and drops them when their state is restored', () => {
  const fine = draw((canvas) => dashed(canvas, 0, 5, 20, 5), 2);
  for (let x = 0; x < 40; x++) expect(fine(x, 10)).toBe(x % 20 < 12 ? 200 : 0);
  const whole = draw((canvas) => {
    canvas.save();
    canvas.setLineDash([6, 4]);
    canvas.restore();
    canvas.lineWidth = 2;
    canvas.beginPath();
    canvas.moveTo(0, 10);
    canvas.lineTo(40, 10);
    canvas.stroke();
  });
  for (let x = 0; x < 40; x++) expect(whole(x, 10)).toBe(200);
});

it('fills outlines by the even–odd or the non-zero rule', () => {
  const nested = (rule?: 'evenodd') =>
    draw((canvas) => {
      canvas.beginPath();
      canvas.rect(0, 0, 20, 20);
      canvas.rect(5, 5, 10, 10);
      canvas.fill(rule);
    });
  expect([nested()(2, 10), nested()(10, 10)]).toEqual([200, 200]);
  expect([nested('evenodd')(2, 10), nested('evenodd')(10, 10)]).toEqual([200, 0]);
});

it('draws no knots where pieces of a translucent line meet', () => {
  const row = draw((canvas) => {
    canvas.lineWidth = 2;
    canvas.globalAlpha = 0.5;
    canvas.beginPath();
    canvas.moveTo(0, 10);
    canvas.lineTo(20, 10);
    canvas.lineTo(20, 10);
    canvas.lineTo(40, 10);
    canvas.stroke();
  });
  for (let x = 1; x < 39; x++) expect(row(x, 10)).toBe(100);
});
