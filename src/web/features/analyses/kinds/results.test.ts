import { describe, expect, it } from 'vitest';
import { histogramSteps, shareOf } from './histogram-steps.ts';
import { readMeshMetadata } from './mesh-result.ts';
import { digitsFor, readThicknessMetadata } from './thickness-result.ts';

describe('metadata of results', () => {
  it('reads what is there and leaves a gap where something is missing or of another shape', () => {
    const result = readThicknessMetadata({ meanMm: 2.4, sdMm: 'much', percentilesMm: { p50: 2.3 } });
    expect(result).toMatchObject({ meanMm: 2.4, sdMm: null, percentilesMm: { p50: 2.3 }, regions: [] });
    expect(readMeshMetadata({ volumeMm3: 12, watertight: true, boundsMm: 3 })).toMatchObject({
      volumeMm3: 12,
      watertight: true,
      boundsMm: null,
      triangles: null,
    });
  });

  it('takes a histogram only when edges and bins fit', () => {
    expect(readThicknessMetadata({ histogram: { edgesMm: [0, 1, 2], areaMm2: [3, 4] } }).histogram).toEqual({
      edgesMm: [0, 1, 2],
      areaMm2: [3, 4],
    });
    expect(readThicknessMetadata({ histogram: { edgesMm: [0, 1], areaMm2: [3, 4] } }).histogram).toBeNull();
  });

  it('shows lengths to about a thousandth of the mean', () => {
    expect(digitsFor(2.418)).toBe(3);
    expect(digitsFor(24.18)).toBe(2);
    expect(digitsFor(0.0195)).toBe(5);
    expect(digitsFor(null)).toBe(3);
  });
});

describe('the outline of a histogram', () => {
  it('has two points a bin and ends at zero', () => {
    expect(histogramSteps([0, 1, 3], [5, 2])).toEqual({ x: [0, 0, 1, 1, 3, 3], y: [0, 5, 5, 2, 2, 0] });
  });

  it('knows the share of a bin', () => {
    expect(shareOf([1, 3], 1)).toBe(0.75);
    expect(shareOf([0, 0], 1)).toBe(0);
  });
});
