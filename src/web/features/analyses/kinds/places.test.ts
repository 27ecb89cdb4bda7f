import { expect, it } from 'vitest';
import { columnDigits, sortedBy } from './places.ts';

it('puts what has no value last in either direction, and words in the order of their numbers', () => {
  const rows = [{ v: 2 }, { v: null }, { v: 10 }, { v: 1 }];
  expect(sortedBy(rows, ({ v }) => v, true).map(({ v }) => v)).toEqual([10, 2, 1, null]);
  expect(sortedBy(rows, ({ v }) => v, false).map(({ v }) => v)).toEqual([1, 2, 10, null]);
  expect(sortedBy(['Face 10', 'Face 2'], (name) => name, false)).toEqual(['Face 2', 'Face 10']);
});

it('gives a column the digits that its smallest value needs', () => {
  expect(columnDigits([6.613, 0.0072, null])).toBe(4);
  expect(columnDigits([-12.5, 40])).toBe(0);
  expect(columnDigits([0, null])).toBe(0);
  expect(columnDigits([1e-12])).toBe(5);
});
