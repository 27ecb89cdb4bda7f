import { expect, test } from 'vitest';
import { explainLimited, formatMeasured, formatTolerance, placeOnBar } from './limits.ts';

const deviation = { nominal: 0, lower: -0.1, upper: 0.1, measured: -0.31, unit: 'mm' };
const porosity = { nominal: null, lower: null, upper: 1, measured: 1.82, unit: '%' };

test('a tolerance is written as on a drawing', () => {
  expect(formatTolerance(deviation)).toBe('±0.1\u202fmm');
  expect(formatTolerance({ ...deviation, upper: 0.2 })).toBe('−0.1 / +0.2\u202fmm');
  expect(formatTolerance(porosity)).toBe('≤ 1\u202f%');
  expect(formatTolerance({ ...porosity, upper: null, lower: 400, measured: 512.3, unit: 'µm' })).toBe(
    '≥ 400\u202fµm',
  );
});

test('a verdict is explained by the measured value and its limits', () => {
  expect(explainLimited({ name: 'CAD comparison', reason: null, ...deviation })).toBe(
    'CAD comparison: −0.31\u202fmm, tolerance ±0.1\u202fmm.',
  );
  const open = { ...porosity, measured: null };
  expect(explainLimited({ name: 'Porosity', reason: 'Could not run.', ...open })).toBe(
    'Porosity: –, tolerance ≤ 1\u202f%. Could not run.',
  );
});

test('an uncertainty is shown beside its value and on the bar', () => {
  const sure = { ...deviation, measured: 0.05, uncertainty: 0.012 };
  expect(formatMeasured(sure)).toBe('0.050 ± 0.012\u202fmm');
  // An interval of 0.3 mm is as wide as the bar.
  expect(placeOnBar(sure)?.interval).toEqual([
    expect.closeTo(0.5 + 0.038 / 0.3),
    expect.closeTo(0.5 + 0.062 / 0.3),
  ]);
  expect(placeOnBar({ ...sure, uncertainty: 5 })?.interval).toEqual([0, 1]);
  expect(placeOnBar({ ...sure, uncertainty: null })?.interval).toEqual([
    placeOnBar(sure)?.at,
    placeOnBar(sure)?.at,
  ]);
});

test('the bar shows both limits; a value far outside is at its end', () => {
  const bar = placeOnBar(deviation);
  expect([bar?.lower, bar?.upper]).toEqual([expect.closeTo(1 / 6), expect.closeTo(5 / 6)]);
  expect(bar?.at).toBe(0);
  expect(placeOnBar({ ...deviation, measured: 0 })?.at).toBe(0.5);
  expect(placeOnBar(porosity)).toMatchObject({ at: 1, upper: expect.closeTo(2 / 3), lower: null });
  expect(placeOnBar({ ...porosity, upper: 0, measured: 3 })?.at).toBeGreaterThan(0.5);
  expect(placeOnBar({ ...porosity, measured: null })).toBeNull();
});
