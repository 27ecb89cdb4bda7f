import { describe, expect, it } from 'vitest';
import { seededNormal } from '../random.ts';
import { chooseProfiles, type EdgeProfiles, findStretch, middleDepths } from './edge-blur.ts';
import { curvatureKeepingWeights, gaussWeights } from './filter-weights.ts';

describe('an edge behind a filter', () => {
  it('is flattened by a Gaussian as predicted, and less by a curvature-keeping filter', () => {
    const edge = 0.68;
    expect(findStretch([1], edge)).toBe(1);
    expect(findStretch(gaussWeights(1.1), edge)).toBeCloseTo(Math.hypot(edge, 1.1) / edge, 1);
    const kept = findStretch(curvatureKeepingWeights(1.1), edge);
    expect(kept).toBeGreaterThan(1.15);
    expect(kept).toBeLessThan(1.4);
  });
});

describe('levels beside edges', () => {
  /** `count` profiles, of which only `deep` reach deep into material and air. */
  const makeProfiles = (count: number, deep: number, first = 0): EdgeProfiles => ({
    vertices: Array.from({ length: count }, (_, i) => first + i),
    variances: Array.from({ length: count }, () => 0.4),
    middles: middleDepths.map((depth) =>
      Array.from({ length: count }, (_, i) => (i % count < deep ? 0.002 : -0.01 * depth)),
    ),
    isDeep: Array.from({ length: count }, (_, i) => i < deep),
    shallow: Array.from({ length: count }, (_, i) => ({
      vertex: first + i,
      middle: i < deep ? 0.1 / 3 : 0.05,
    })),
  });

  it('are read where no other face is near, or from all places when there are too few', () => {
    const some = chooseProfiles([makeProfiles(1000, 300)], 1000);
    expect(some.variances.length).toBe(1000);
    expect(some.middles?.medians).toEqual([0.002, 0.002, 0.002]);
    expect(some.middles?.spread).toBe(0);
    expect(some.middles?.ofSections.map(({ length }) => length)).toEqual([16, 16, 16]);
    expect(chooseProfiles([makeProfiles(1000, 20)], 1000).middles?.medians[0]).toBeCloseTo(-0.03, 12);
    expect(chooseProfiles([makeProfiles(100, 100)], 100).middles).toBeNull();
    // Of the whole surface, thin walls included.
    expect(some.middles?.shallow?.mean).toBeCloseTo(0.045, 12);
    expect(some.middles?.shallow?.error).toBeGreaterThan(0);
  });

  it('vary from place to place as the material does, without regard to a few outliers', () => {
    const profiles = makeProfiles(2000, 2000);
    const normal = seededNormal(5);
    profiles.middles[1]?.forEach((_, i, all) => {
      all[i] = i % 20 === 0 ? 0.4 : 0.03 * normal();
    });
    const spread = chooseProfiles([profiles], 2000).middles?.spread ?? 0;
    expect(spread).toBeGreaterThan(0.027);
    expect(spread).toBeLessThan(0.035);
  });

  it('do not depend on the order in which threads finish', () => {
    const parts = [makeProfiles(1000, 300), makeProfiles(1000, 1000, 1000)];
    parts[1]?.middles[0]?.fill(0.05);
    expect(chooseProfiles(parts.toReversed(), 2000)).toEqual(chooseProfiles(parts, 2000));
  });
});
