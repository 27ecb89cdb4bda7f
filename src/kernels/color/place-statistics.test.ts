import { describe, expect, it } from 'vitest';
import { weighScalar } from './place-statistics.ts';
import { missingValue } from './weighted-histogram.ts';

/** A large pore with many vertices and a large area, and small ones with one vertex each. */
function pores(volumes: readonly number[], verticesOf: (volume: number) => number) {
  const rows = volumes.flatMap((volume, place) =>
    Array.from({ length: verticesOf(volume) }, () => [volume, place + 1, volume]),
  );
  return [0, 1, 2].map((column) => Float32Array.from(rows, (row) => row[column]));
}

describe('Statistics of defects', () => {
  it('count every defect once, whatever the size of its surface', () => {
    const volumes = [4, 0.029, 0.02, 0.04, 0.01];
    const [values, places, areas] = pores(volumes, (volume) => Math.ceil(volume * 100));
    const { statistics, weights } = weighScalar(values, areas, places);
    expect(statistics?.median).toBeCloseTo(0.029, 6);
    expect(statistics?.mean).toBeCloseTo(volumes.reduce((sum, each) => sum + each, 0) / 5, 5);
    expect([statistics?.places, statistics?.minimum, statistics?.maximum]).toEqual([5, Math.fround(0.01), 4]);
    expect(weights.reduce((sum, each) => sum + each, 0)).toBeCloseTo(5, 4);
    // Weighted by area, the large one alone would be the median.
    expect(weighScalar(values, areas, undefined).statistics?.median).toBeGreaterThan(3.9);
  });

  it('are exact when the largest is a million times the smallest', () => {
    const volumes = Array.from({ length: 400 }, (_, i) => 1e-4 * 10 ** (i / 66));
    const [values, places, areas] = pores(volumes, () => 3);
    const { statistics } = weighScalar(values, areas, places);
    const exact = (Math.fround(volumes[199]) + Math.fround(volumes[200])) / 2;
    expect(statistics?.median).toBeCloseTo(exact, 10);
  });

  it('are null without measured values, and ignore places without a value', () => {
    const places = Float32Array.from([1, 1, 2]);
    const areas = Float32Array.from([1, 1, 1]);
    expect(weighScalar(new Float32Array(3).fill(missingValue), areas, places).statistics).toBeNull();
    const { statistics } = weighScalar(Float32Array.from([5, 5, missingValue]), areas, places);
    expect([statistics?.places, statistics?.median, statistics?.measuredAreaMm2]).toEqual([1, 5, 2]);
  });
});
