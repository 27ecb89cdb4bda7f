import { expect, it } from 'vitest';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { planForm } from './form-plan.ts';

const volume = (quality: object | null = null) =>
  ({
    id: 'scan',
    kind: 'volume',
    metadata: {
      range: [0, 100],
      isoValue: 50,
      otsuValue: 47,
      histogram: { min: 0, max: 100, counts: [50, 10, 1, 2, 20, 2, 1, 1, 30, 0] },
      quality,
    },
  }) as unknown as DataObject;
const judged = {
  hasContrast: true,
  airGrey: 4,
  materials: [
    { grey: 44, share: 0.6 },
    { grey: 84, share: 0.4 },
  ],
  thinShare: 0,
  unevenness: 0,
  gradient: 0,
};
const chosen = { sourceId: 'scan', referenceId: 'cad' };
const plan = (values: Record<string, unknown>, scan = volume()) =>
  planForm({ restsOn: 'surface' }, values, [scan, { id: 'cad', kind: 'cad' } as DataObject], chosen);

it('shows the level of each mode, taken from the quality figures of the scan where available', () => {
  expect(plan({ 'surface.mode': 'iso50' }).surface?.levels).toEqual([50]);
  expect(plan({ 'surface.mode': 'iso50' }, volume(judged)).surface?.levels).toEqual([24]);
  expect(plan({ 'threshold.mode': 'otsu' }).surface?.levels).toEqual([47]);
  expect(plan({ 'surface.mode': 'value', 'surface.value': 61 }).surface?.levels).toEqual([61]);
  expect(plan({ 'surface.mode': 'local' }).surface).toMatchObject({ levels: 'local', firstLevel: 50 });
  expect(plan({ 'surface.mode': 'auto' }, volume({ ...judged, unevenness: 0.3 })).surface?.levels).toBe(
    'local',
  );
  expect(plan({ 'surface.mode': 'value' })).toMatchObject({
    surface: null,
    notes: ['Give a grey value to see the surface.'],
  });
});

it('shows a contour of each material, the filter, and the region once it is complete', () => {
  expect(plan({ materials: 'auto' }, volume(judged)).surface?.levels).toEqual([24, 64]);
  const two = plan({ materials: 2 }).surface?.levels;
  expect(two).toHaveLength(2);
  expect(Number(two?.[0])).toBeLessThan(Number(two?.[1]));
  const half = { min: [0, 0, 0], max: [1, 1, ''] };
  const values = { 'surface.mode': 'iso50', noiseFilter: 'median', smoothing: 1.5, region: half };
  expect(plan(values).surface).toMatchObject({ median: true, sigmaVoxels: 1.5, region: null });
  expect(plan(values).notes.at(-1)).toContain('within each slice');
  const region = { min: [0, 0, 0], max: [1, 1, 1] };
  expect(plan({ ...values, region }).surface?.region).toEqual(region);
  expect(plan({ ...values, region: { min: [2, 0, 0], max: [1, 1, 1] } }).surface?.region).toBeNull();
});

it('places the reference where it is before the alignment, and says so if the pose is not known', () => {
  expect(plan({ initial: 'none' }).pose).toMatchObject({ referenceId: 'cad', matrix: { length: 16 } });
  const matrix = Array.from({ length: 16 }, (_, i) => i);
  expect(plan({ alignment: 'matrix', matrix }).pose?.matrix).toEqual(matrix);
  expect(plan({ alignment: 'matrix', matrix: [1, 2] }).pose).toBeNull();
  expect(plan({ alignment: 'autoAlign' })).toMatchObject({
    pose: null,
    notes: expect.arrayContaining(['The run finds the pose; the reference is shown after it.']),
  });
  expect(planForm({ restsOn: 'pose' }, { initial: 'none' }, [volume()], chosen)).toMatchObject({
    surface: null,
    notes: ['The reference belongs to another project; it is shown after the run.'],
  });
});
