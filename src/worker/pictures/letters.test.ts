import { expect, it } from 'vitest';
import { paintText } from '#kernels/overlay/paint.ts';
import { PictureCanvas } from '#kernels/picture/picture-canvas.ts';
import { letters } from './letters.ts';

const [width, height] = [120, 40];
const blank = () => ({ width, height, channels: 3 as const, samples: new Uint8Array(width * height * 3) });
const canvasOver = (picture: ReturnType<typeof blank>, scale = 1) =>
  new PictureCanvas({ picture, x: 0, y: 0, width, height }, scale, letters);
/** Sum of the red of all pixels, as so many full ones. */
const inked = ({ samples }: ReturnType<typeof blank>, from = 0, to = width) => {
  let sum = 0;
  for (let i = 0; i < samples.length; i += 3) {
    const x = (i / 3) % width;
    if (x >= from && x < to) sum += samples[i] ?? 0;
  }
  return sum / 255;
};

it('covers the inside of outlines, by the covered share of each pixel', () => {
  const picture = blank();
  const canvas = canvasOver(picture);
  canvas.fillStyle = '#ffffff';
  canvas.fillRect(10.25, 5.5, 4, 2);
  expect(inked(picture)).toBeCloseTo(8, 1);
  canvas.strokeStyle = 'rgb(255 255 255 / 50%)';
  canvas.lineWidth = 2;
  canvas.beginPath();
  canvas.moveTo(40, 20);
  canvas.lineTo(60, 20);
  canvas.stroke();
  expect(inked(picture, 30)).toBeCloseTo(20, 0);
  // A ring: the two circles run in opposite directions, so the inside stays empty.
  canvas.beginPath();
  canvas.arc(90, 20, 10, 0, 2 * Math.PI);
  canvas.arc(90, 20, 5, 2 * Math.PI, 0);
  canvas.fillStyle = 'rgb(255 255 255)';
  canvas.fill();
  expect(inked(picture, 70) / (Math.PI * 75)).toBeCloseTo(1, 1);
});

it('draws nothing outside a clip, and everything again after it', () => {
  const picture = blank();
  const canvas = canvasOver(picture, 2);
  canvas.fillStyle = '#fff000';
  canvas.save();
  canvas.beginPath();
  canvas.rect(5, 0, 10, 20);
  canvas.clip();
  canvas.fillRect(0, 0, 60, 20);
  canvas.restore();
  expect(inked(picture)).toBe(20 * height);
  canvas.fillRect(0, 0, 60, 20);
  expect(inked(picture)).toBe(width * height);
});

it('sets letters in the dashboard’s typeface with their nominal widths at the requested position', () => {
  const picture = blank();
  const canvas = canvasOver(picture);
  canvas.font = '600 20px Inter';
  const { width: textWidth } = canvas.measureText('2.418\u202fmm');
  expect(textWidth).toBeGreaterThan(80);
  expect(textWidth).toBeLessThan(100);
  canvas.textAlign = 'right';
  canvas.textBaseline = 'middle';
  paintText(canvas, '2.418\u202fmm', 110, 20, { text: '#ffffff', halo: 'rgba(0, 0, 0, 0.5)' });
  expect(inked(picture, 0, Math.floor(110 - textWidth) - 1)).toBe(0);
  expect(inked(picture, 111)).toBe(0);
  expect(inked(picture)).toBeGreaterThan(150);
  // A zero has a hole.
  const zero = letters.outline('0', { weight: 600, sizePx: 20 });
  expect(zero.outlines).toHaveLength(2);
});
