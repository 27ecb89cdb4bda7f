import { describe, expect, it } from 'vitest';
import { nameAndUnit, valueRows } from './value-rows.ts';

describe('Rows of named values', () => {
  it('take the unit from the name', () => {
    expect(nameAndUnit('volumeMm3')).toEqual({ label: 'Volume', unit: 'mm³' });
    expect(nameAndUnit('searchAngleDeg')).toEqual({ label: 'Search angle', unit: '°' });
    expect(nameAndUnit('dataType')).toEqual({ label: 'Data type', unit: null });
    expect(nameAndUnit('Mm')).toEqual({ label: 'Mm', unit: null });
  });

  it('show numbers, lists, booleans and missing values', () => {
    expect(
      valueRows({
        dimensions: [512, 256, 1280],
        voxelSizeMm: [0.0195, 0.0195, 0.0195],
        range: [0, 65535],
        watertight: true,
        format: 'nrrd',
        minThicknessMm: null,
        triangles: 1284000,
      }),
    ).toEqual([
      { label: 'Dimensions', value: '512 × 256 × 1,280' },
      { label: 'Voxel size', value: '19.5 × 19.5 × 19.5\u202fµm' },
      { label: 'Range', value: '0 to 65,535' },
      { label: 'Watertight', value: 'yes' },
      { label: 'Format', value: 'nrrd' },
      { label: 'Min thickness', value: '–' },
      { label: 'Triangles', value: '1,284,000' },
    ]);
  });

  it('expand nested values, pass on their unit, and only count long lists', () => {
    expect(
      valueRows({
        boundsMm: { min: [0, 0, 0], max: [1.5, 2, 3] },
        percentilesMm: { p5: 1.25 },
        histogram: { counts: Array.from({ length: 256 }, () => 1) },
        regions: [{ areaMm2: 1 }],
      }),
    ).toEqual([
      { label: 'Bounds, min', value: '0, 0, 0\u202fmm' },
      { label: 'Bounds, max', value: '1.5, 2, 3\u202fmm' },
      { label: 'Percentiles, p5', value: '1.25\u202fmm' },
      { label: 'Histogram, counts', value: '256 values' },
      { label: 'Regions', value: '1 entry' },
    ]);
  });

  it('omit keys that are shown elsewhere', () => {
    expect(valueRows({ histogram: { counts: [] }, count: 3 }, ['histogram'])).toEqual([
      { label: 'Count', value: '3' },
    ]);
  });
});
