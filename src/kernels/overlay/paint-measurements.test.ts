import { expect, it } from 'vitest';
import { seededRandom } from '../random.ts';
import { placeText, stackLabels } from './paint-measurements.ts';

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
  const bottoms = stackLabels(boxes).map(({ y }) => y);
  expect(Math.min(...bottoms)).toBeGreaterThan(12);
  // All of them overlap sideways.
  const sorted = bottoms.toSorted((a, b) => a - b);
  for (const [i, y] of sorted.slice(1).entries()) expect(y - (sorted[i] ?? 0)).toBeGreaterThanOrEqual(16);
  expect(bottoms[0]).toBe(boxes[0]?.y);
  // Those beside each other stay where they are.
  const apart = [0, 200, 400].map((left) => ({ left, y: 50, width: 150, height: 16 }));
  expect(stackLabels(apart)).toEqual(apart);
});
