import { describe, expect, it } from 'vitest';
import {
  digitsOf,
  readAlignmentMetadata,
  readCompareMetadata,
  verdictInWords,
  worstOf,
} from './compare-result.ts';

const mm = (value: number) => `${value} mm`;
const tolerance = { lowerMm: -0.1, upperMm: 0.2 };

describe('metadata of a comparison', () => {
  it('reads what is there and leaves a gap where something is missing or of another shape', () => {
    const result = readCompareMetadata({
      verdict: 'pass',
      meanMm: 'little',
      tolerance,
      groups: [{ key: 'face-1', name: 'Face 1', minMm: -0.05, maxMm: 0.1 }],
      alignment: { mode: 'none', matrix: [1, 2] },
    });
    expect(result).toMatchObject({ verdict: 'pass', meanMm: null, tolerance, regions: [], warnings: [] });
    expect(result.groups[0]).toMatchObject({ verdict: 'indeterminate', meanMm: null, worstPointMm: null });
    expect(result.alignment).toMatchObject({ mode: 'none', matrix: null });
    expect(readCompareMetadata({}).groups).toEqual([]);
    expect(readAlignmentMetadata({ rmsMm: 0.01, matrix: 'E' })).toMatchObject({ rmsMm: 0.01, matrix: null });
  });

  it('calls worst what is furthest beyond its own limit', () => {
    expect(worstOf({ minMm: -0.15, maxMm: 0.22 }, tolerance)).toBe(-0.15);
    expect(worstOf({ minMm: -0.05, maxMm: 0.22 }, tolerance)).toBe(0.22);
    expect(worstOf({ minMm: null, maxMm: 0.22 }, tolerance)).toBe(0.22);
  });

  it('shows a hundredth of the tolerance', () => {
    expect(digitsOf(tolerance)).toBe(3);
    expect(digitsOf({ lowerMm: -0.004, upperMm: 0.004 })).toBe(5);
    expect(digitsOf({ lowerMm: -20, upperMm: 20 })).toBe(2);
    expect(digitsOf(null)).toBe(3);
  });

  it('says why the verdict is what it is', () => {
    const words = (more: object) =>
      verdictInWords(readCompareMetadata({ tolerance, guardBandMm: 0.01, measuredShare: 1, ...more }), mm);
    expect(words({ verdict: 'fail' })).toContain('by more than the guard band of 0.01 mm');
    expect(words({ verdict: 'pass' })).toContain('is taken off it');
    expect(words({ verdict: 'indeterminate' })).toContain('leaves it open');
    expect(words({ verdict: 'indeterminate', coveredShare: 0.5 })).toContain('does not cover');
    expect(words({ verdict: 'indeterminate', measuredShare: 0.5 })).toContain('no counterpart');
  });
});
