import { expect, it } from 'vitest';
import { numberRows, numbersCsv, numbersFileName } from './number-files.ts';

it('writes every value with its path and unit; lists with their own table are left out', () => {
  const rows = numberRows('result', {
    meanMm: 1.1681234567,
    percentilesMm: { p50: 1.02 },
    boundsMm: { min: [0, 1] },
    watertight: true,
    areaMm2: null,
    histogram: { edgesMm: [0, 1], areaMm2: [3] },
    regions: [{ areaMm2: 1 }],
  });
  expect(rows.map(({ quantity, value, unit }) => [quantity, value, unit])).toEqual([
    ['meanMm', 1.1681234567, 'mm'],
    ['percentilesMm.p50', 1.02, 'mm'],
    ['boundsMm.min.0', 0, 'mm'],
    ['boundsMm.min.1', 1, 'mm'],
    ['watertight', true, ''],
    ['areaMm2', null, 'mm²'],
  ]);
});

it('writes a table that a spreadsheet opens correctly', () => {
  const csv = numbersCsv([
    { section: 'result', quantity: 'meanMm', value: -0.5, unit: 'mm' },
    { section: 'provenance', quantity: 'name', value: '=A1, "x" y', unit: '' },
  ]);
  expect(csv.split('\r\n')).toEqual([
    'section,quantity,value,unit',
    'result,meanMm,-0.5,mm',
    `provenance,name,"'=A1, ""x"" y",`,
    '',
  ]);
});

it('names a file by part, kind and day', () => {
  expect(numbersFileName(['VH-210-04', null, 'Wall thickness', '2026-11-22'], 'csv')).toBe(
    'VH-210-04_Wall-thickness_2026-11-22.csv',
  );
  expect(numbersFileName(['a/b: c'], 'json')).toBe('a-b-c.json');
});
