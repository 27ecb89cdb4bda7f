import { expect, it } from 'vitest';
import { parameterRows } from './parameter-words.ts';

const id = '00000000-0000-4000-8000-000000000001';

it('labels the parameters of an analysis as in its form', () => {
  const rows = parameterRows(
    'runWallThickness',
    {
      sourceDataObjectId: id,
      surface: { mode: 'iso50' },
      minThicknessMm: 0.6,
      searchAngleDeg: 0,
      smoothing: 'auto',
    },
    (wanted) => (wanted === id ? 'Housing' : null),
  );
  const values = Object.fromEntries(rows.map(({ label, value }) => [label, value]));
  expect(values).toMatchObject({ Input: 'Housing', 'Minimum thickness': '0.6\u202fmm', Smoothing: 'Auto' });
  expect(Object.values(values)).toEqual(expect.arrayContaining(['ISO 50', '0°']));
});
