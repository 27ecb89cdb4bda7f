import { describe, expect, test } from 'vitest';
import { combineVerdicts, judgeGate } from './gates.ts';

describe('A gate', () => {
  test.each([
    ['<=', 10, 0, 10, 'pass'],
    ['<=', 10, 0, 10.001, 'fail'],
    ['<', 10, 0, 10, 'fail'],
    ['<', 10, 0, 9.999, 'pass'],
    ['>=', 10, 0, 10, 'pass'],
    ['>', 10, 0, 10, 'fail'],
    ['<=', 10, 0.5, 9.5, 'pass'],
    ['<=', 10, 0.5, 9.6, 'indeterminate'],
    ['<=', 10, 0.5, 10.5, 'indeterminate'],
    ['<=', 10, 0.5, 10.6, 'fail'],
    ['>=', 10, 0.5, 10.5, 'pass'],
    ['>=', 10, 0.5, 10, 'indeterminate'],
    ['>=', 10, 0.5, 9.4, 'fail'],
    ['<', 10, 0.5, 9.5, 'indeterminate'],
    ['<=', 0, 0, 0, 'pass'],
    ['>=', -0.1, 0.02, -0.11, 'indeterminate'],
    // 0.3 as a sum of tenths is a rounding away from 0.3.
    ['<=', 0.3, 0, 0.1 + 0.2, 'pass'],
  ] as const)('%s %d ± %d judges %d as %s', (comparison, limit, guardBand, measured, verdict) => {
    expect(judgeGate({ comparison, limit, guardBand }, measured)).toBe(verdict);
  });

  test('that was not measured decides nothing', () => {
    expect(judgeGate({ comparison: '<', limit: 1, guardBand: 0 }, null)).toBe('indeterminate');
  });
});

test('one that fails decides, else one that is open; without any there is no verdict', () => {
  expect(combineVerdicts(['pass', 'indeterminate', 'fail'])).toBe('fail');
  expect(combineVerdicts(['pass', 'indeterminate', null])).toBe('indeterminate');
  expect(combineVerdicts(['pass', null])).toBe('pass');
  expect(combineVerdicts([null])).toBeNull();
  expect(combineVerdicts([])).toBeNull();
});
