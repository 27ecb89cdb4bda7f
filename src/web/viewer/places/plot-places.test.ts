import { expect, it } from 'vitest';
import { chooseWritten, countAxis, roundValues } from './plot-places.ts';

it.each([
  ['a part of a power of ten', 1.2, 3.6, [1.5, 2, 3]],
  ['more than one', 0.3, 12, [0.5, 1, 2, 5, 10]],
  ['many', 2e-5, 300, [0.0001, 0.001, 0.01, 0.1, 1, 10, 100]],
  ['hardly a step', 4.21, 4.22, [4.21, 4.22]],
])('a logarithmic axis over %s has round values', (_, low, high, values) => {
  expect(roundValues(low, high)).toEqual(values);
});

it('labels of a logarithmic axis do not overlap, and the first is always shown', () => {
  expect(chooseWritten([0, 41, 70, 92, 110, 126])).toEqual([true, true, false, true, false, false]);
  expect(chooseWritten([])).toEqual([]);
});

it('every grid line of the counts has a whole number', () => {
  expect(countAxis.filter(null, [0, 200, 400, 600])).toEqual([0, 200, 400, 600]);
  expect(countAxis.incrs.every(Number.isInteger)).toBe(true);
});
