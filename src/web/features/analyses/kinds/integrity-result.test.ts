import { describe, expect, it } from 'vitest';
import { readIntegrityMetadata, thresholdLabel } from './integrity-result.ts';

describe('metadata of an integrity analysis', () => {
  it('leaves a gap where something is missing or of another shape', () => {
    const result = readIntegrityMetadata({ porosity: 0.02, porosityBand: [0.01], defects: 'many' });
    expect(result).toMatchObject({ porosity: 0.02, porosityBand: null, defectCount: null, defects: [] });
  });

  it('says which threshold was taken', () => {
    const labelOf = (thresholdMode?: string) => thresholdLabel(readIntegrityMetadata({ thresholdMode }));
    expect(labelOf('iso50')).toBe('Threshold, ISO 50');
    expect(labelOf('otsu')).toBe('Threshold, Otsu');
    expect(labelOf('value')).toBe('Threshold, as given');
    expect(labelOf()).toBe('Threshold');
  });
});
