import { expect, test } from 'vitest';
import { describeFit, type Measurement } from '#contract/shapes/measurement.ts';
import { numbersCsv } from '#web/ui/number-files.ts';
import { listMeasurementRows } from './measurement-rows.ts';

const feature = {
  ...{ kind: 'circle' as const, centerMm: [1, -2, 3] as [number, number, number], radiusMm: 2 },
  ...{ direction: [0, 0, 1] as [number, number, number], apexAngleDeg: null },
  ...{ rmsMm: 0.0031, formErrorMm: 0.0123456789, pointCount: 24 },
};
const result: Measurement['result'] = {
  values: [
    {
      ...{ quantity: 'diameter', value: 4.0000123, unit: 'mm' },
      uncertainty: { expanded: 0.0062, k: 2, contributions: [] },
    },
    { quantity: 'formError', value: 0.0123456789, unit: 'mm', uncertainty: null },
  ],
  feature,
  method: 'Least squares.',
  provenance: {
    ...{ dataObjectName: 'Scan', dataObjectVersion: 1, surfaceName: null },
    ...{ voxelSizeMm: null, pointUncertaintyMm: null, version: 1 },
  },
};

test('a fit is saved with its uncertainty, points, residuals and position', () => {
  const rows = listMeasurementRows([{ name: 'Bore', result }]);
  expect(new Set(rows.map(({ section }) => section))).toEqual(new Set(['Bore']));
  expect(rows.map(({ quantity, value, unit }) => `${quantity}: ${value} ${unit}`.trim())).toEqual([
    'Diameter: 4.000012 mm',
    'Diameter: uncertainty (k = 2): 0.0062 mm',
    'Form error: 0.012346 mm',
    'Points: 24',
    'RMS deviation: 0.0031 mm',
    ...['Centre X: 1 mm', 'Centre Y: -2 mm', 'Centre Z: 3 mm'],
    ...['Direction X: 0', 'Direction Y: 0', 'Direction Z: 1'],
    ...['Method: Least squares.', 'Data object: Scan', 'Surface: null'],
  ]);
  // As a number, not as text that a spreadsheet does not add up.
  expect(numbersCsv(rows)).toContain('Bore,Centre Y,-2,mm');
  expect(numbersCsv(rows)).toContain('Bore,Diameter,4.000012,mm');
  expect(describeFit(feature)).toMatch(/^24 points, RMS deviation 3\.1\d*\s*µm$/);
});
