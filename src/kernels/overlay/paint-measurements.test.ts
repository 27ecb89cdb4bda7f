import { expect, it } from 'vitest';
import { placeText } from './paint-measurements.ts';

it('a measured value beside a place is read whole, however near to the edge of the pane that is', () => {
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
