import { expect, test } from 'vitest';
import { describePassRate } from './pass-rate.ts';

test('a pass rate distinguishes failed from indeterminate runs', () => {
  expect(describePassRate({ pass: 0, fail: 0, indeterminate: 0 })).toBeNull();
  expect(describePassRate({ pass: 2, fail: 0, indeterminate: 0 })).toBe('2 of 2 passed, 100\u202f%');
  expect(describePassRate({ pass: 1, fail: 1, indeterminate: 2 })).toBe(
    '1 of 4 passed, 25\u202f% · 1 failed · 2 indeterminate',
  );
});
