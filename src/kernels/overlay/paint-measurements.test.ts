import { expect, it } from 'vitest';
import { seededRandom } from '../random.ts';
import type { Canvas2D } from './canvas.ts';
import { onDark } from './paint.ts';
import { type LabelBox, paintMeasurements, placeText, stackLabels } from './paint-measurements.ts';

it('keeps the label of a measured value fully visible, however near its place is to the pane’s edge', () => {
  const [textPx, widthPx] = [180, 205];
  expect(placeText(10, textPx, widthPx)).toBe(18);
  for (const x of [0, 60, 110, 204]) {
    const left = placeText(x, textPx, widthPx);
    expect(left).toBeGreaterThanOrEqual(4);
    expect(left + textPx).toBeLessThanOrEqual(widthPx - 4);
  }
  // What is longer than the pane is wide begins where it can be read from.
  expect(placeText(100, 300, widthPx)).toBe(4);
});

it('labels of many measurements cover none of each other and stay in the pane', () => {
  const random = seededRandom(4);
  const boxes = Array.from({ length: 25 }, () => ({
    left: 100 + 90 * random(),
    y: 20 + 60 * random(),
    width: 120 + 80 * random(),
    height: 16,
  }));
  const stacked = stackLabels(boxes, 900);
  const bottoms = stacked.map((label) => label?.y ?? 0);
  expect(Math.min(...bottoms)).toBeGreaterThan(12);
  // All of them overlap sideways.
  const sorted = bottoms.toSorted((a, b) => a - b);
  for (const [i, y] of sorted.slice(1).entries()) expect(y - (sorted[i] ?? 0)).toBeGreaterThanOrEqual(16);
  expect(bottoms[0]).toBe(boxes[0]?.y);
  // Those beside each other stay where they are.
  const apart = [0, 200, 400].map((left) => ({ left, y: 50, width: 150, height: 16 }));
  expect(stackLabels(apart, 500)).toEqual(apart);
  // In a low pane some find no place.
  const low = stackLabels(boxes, 100).filter((label) => label !== null);
  expect(low.length).toBeLessThan(8);
  for (const { y } of low) expect(y).toBeLessThanOrEqual(100);
});

it('labels that would hide a small picture lose their values, except the chosen one', () => {
  const write = (size: [number, number], taken: readonly LabelBox[] = []) => {
    const texts: string[] = [];
    const context = {
      measureText: (text: string) => ({ width: 6 * text.length }),
      fillText: (text: string) => texts.push(text),
      ...{ strokeText() {}, beginPath() {}, moveTo() {}, lineTo() {}, arc() {}, stroke() {}, fill() {} },
    };
    const shown = ['Chord', 'Wall', 'Pitch'].map((name, i) => ({
      ...{ name, kind: 'distance' as const, value: '0.873 ± 0.012 mm', isChosen: name === 'Wall' },
      points: [10, 40].map((x): [number, number, number] => [x, 20 * i + 20, 0]),
      feature: null,
    }));
    paintMeasurements(context as unknown as Canvas2D, shown, size, onDark, ([x, y]) => [x, y], taken);
    return texts;
  };
  expect(write([200, 130])).toEqual(['Wall  0.873 ± 0.012 mm', 'Chord', 'Pitch']);
  expect(write([400, 400])).toContain('Chord  0.873 ± 0.012 mm');
  expect(write([400, 50])).not.toContain('Pitch');
  // Scale bar, axes and numbers of arrows stay free.
  expect(write([400, 130], [{ left: 0, y: 130, width: 400, height: 130 }])).toEqual([]);
});
