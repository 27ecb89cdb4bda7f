import { expect, it } from 'vitest';
import { sortedBy } from './places.ts';

it('sorts missing values last in either direction, and texts in natural numeric order', () => {
  const rows = [{ v: 2 }, { v: null }, { v: 10 }, { v: 1 }];
  expect(sortedBy(rows, ({ v }) => v, true).map(({ v }) => v)).toEqual([10, 2, 1, null]);
  expect(sortedBy(rows, ({ v }) => v, false).map(({ v }) => v)).toEqual([1, 2, 10, null]);
  expect(sortedBy(['Face 10', 'Face 2'], (name) => name, false)).toEqual(['Face 2', 'Face 10']);
});
