import { describe, expect, it } from 'vitest';
import { readIntegrityMetadata, sortDefects, thresholdLabel } from './integrity-result.ts';

const defect = (id: number, volumeMm3: number, sphericity: number | null) => ({
  id,
  kind: 'porosity',
  volumeMm3,
  equivalentDiameterMm: Math.cbrt(volumeMm3),
  sphericity,
  openingMm: null,
  distanceToSurfaceMm: 1,
  centerMm: [0, 0, id],
});

describe('metadata of an integrity analysis', () => {
  it('leaves a gap where something is missing or of another shape', () => {
    const result = readIntegrityMetadata({ porosity: 0.02, porosityBand: [0.01], defects: 'many' });
    expect(result).toMatchObject({ porosity: 0.02, porosityBand: null, defectCount: null, defects: [] });
  });

  it('says which threshold was taken', () => {
    const labelOf = (thresholdMode?: string) => thresholdLabel(readIntegrityMetadata({ thresholdMode }));
    expect(labelOf('iso50')).toBe('Threshold, ISO 50 of all cells');
    expect(labelOf('otsu')).toBe('Threshold, Otsu');
    expect(labelOf('value')).toBe('Threshold, as given');
    expect(labelOf()).toBe('Threshold');
  });

  it('sorts defects both ways, those without a value last', () => {
    const { defects } = readIntegrityMetadata({
      defects: [defect(1, 5, null), defect(2, 3, 0.7), defect(3, 1, 0.9)],
    });
    const ids = (...order: Parameters<typeof sortDefects> extends [unknown, ...infer Rest] ? Rest : never) =>
      sortDefects(defects, ...order).map(({ id }) => id);
    expect(ids('sphericity', true)).toEqual([3, 2, 1]);
    expect(ids('sphericity', false)).toEqual([2, 3, 1]);
    expect(ids('volumeMm3', true)).toEqual([1, 2, 3]);
  });
});
