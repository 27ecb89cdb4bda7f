import { describe, expect, test } from 'vitest';
import type { Warning } from '../metadata/warning.ts';
import { combineVerdicts, formatGuardBand, type Gate, judgeGate, judgeResult } from './gates.ts';

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
    // 0.1 + 0.2 differs from 0.3 by a rounding error.
    ['<=', 0.3, 0, 0.1 + 0.2, 'pass'],
  ] as const)('%s %d ± %d judges %d as %s', (comparison, limit, guardBand, measured, verdict) => {
    expect(judgeGate({ comparison, limit, guardBand }, measured)).toBe(verdict);
  });

  test('without a measured value is indeterminate', () => {
    expect(judgeGate({ comparison: '<', limit: 1, guardBand: 0 }, null)).toBe('indeterminate');
  });
});

describe('The guard band of a gate', () => {
  test('is shown with the digits of a measured number', () => {
    expect(formatGuardBand(0.004107242450118065, 'mm')).toBe('±0.004107\u202fmm');
    expect(formatGuardBand(0.05, 'mm')).toBe('±0.05\u202fmm');
    expect(formatGuardBand(0, 'mm')).toBe('none');
  });

  const gate: Gate = {
    ...{
      key: 'volume',
      measure: 'mesh.volumeMm3',
      comparison: '<=',
      limit: 10,
      unit: 'mm³',
      guardBand: null,
    },
  };
  const judge = (measured: number, uncertainty: number | null, guardBand: number | null = null) =>
    judgeResult({ ...gate, guardBand }, measured, { warnings: [], uncertainty, isCount: false });

  test('defaults to the expanded uncertainty of the measured value', () => {
    expect(judge(9.9, 0.2004)).toEqual({
      ...{ verdict: 'indeterminate', guardBand: 0.2 },
      reason: expect.stringContaining('±0.2\u202fmm³ (k = 2)'),
    });
    expect(judge(9.7, 0.2)).toEqual({ verdict: 'pass', reason: null, guardBand: 0.2 });
    expect(judge(10.3, 0.2)).toEqual({ verdict: 'fail', reason: null, guardBand: 0.2 });
  });

  test('is used when given, even when it is 0', () => {
    expect(judge(9.9, 0.2, 0)).toEqual({ verdict: 'pass', reason: null, guardBand: 0 });
    expect(judge(9.9, 0.01, 0.5)).toEqual({ verdict: 'indeterminate', reason: null, guardBand: 0.5 });
  });

  test('is 0 when the result states no uncertainty, which the reason states except for counts', () => {
    const reason = expect.stringContaining('judged as if it were exact');
    expect(judge(9.9, null)).toEqual({ verdict: 'pass', reason, guardBand: 0 });
    expect(judge(10.1, null)).toEqual({ verdict: 'fail', reason, guardBand: 0 });
    expect(judge(9.9, 0).reason).toBeNull();
    expect(judge(9.9, null, 0).reason).toBeNull();
    const counted = { warnings: [], uncertainty: null, isCount: true };
    expect(judgeResult(gate, 9, counted)).toEqual({ verdict: 'pass', reason: null, guardBand: 0 });
  });

  test('is unknown when a warning names the measure and the result states no uncertainty', () => {
    const message = 'Edges are blurred.';
    const warnings: Warning[] = [{ code: 'SCAN_BLUR', message, measures: ['volumeMm3'] }];
    const judgeMarked = (measured: number | null, guardBand: number | null, uncertainty: number | null) =>
      judgeResult({ ...gate, guardBand }, measured, { warnings, uncertainty, isCount: false });
    for (const measured of [1, 9.9, 100])
      expect(judgeMarked(measured, null, null)).toEqual({
        ...{ verdict: 'indeterminate', guardBand: 0 },
        reason: expect.stringContaining(message),
      });
    // The warning is not needed with an explicit guard band, a stated uncertainty, or nothing measured.
    expect(judgeMarked(9.9, 0, null).verdict).toBe('pass');
    expect(judgeMarked(9.7, null, 0.2).verdict).toBe('pass');
    expect(judgeMarked(null, null, null)).toEqual({ verdict: 'indeterminate', reason: null, guardBand: 0 });
    const others = warnings.map((each) => ({ ...each, measures: ['areaMm2'] }));
    expect(judgeResult(gate, 9.9, { warnings: others, uncertainty: null, isCount: false }).verdict).toBe(
      'pass',
    );
  });
});

test('a failed gate decides, then an indeterminate one; without gates there is no verdict', () => {
  expect(combineVerdicts(['pass', 'indeterminate', 'fail'])).toBe('fail');
  expect(combineVerdicts(['pass', 'indeterminate', null])).toBe('indeterminate');
  expect(combineVerdicts(['pass', null])).toBe('pass');
  expect(combineVerdicts([null])).toBeNull();
  expect(combineVerdicts([])).toBeNull();
});
