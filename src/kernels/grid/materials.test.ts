import { describe, expect, it } from 'vitest';
import { seededNormal } from '../random.ts';
import type { Histogram } from './histogram.ts';
import { materialPeaks, midways, otsuLevels, otsuMaterials } from './materials.ts';

/**
 * Gaussian peaks with the given counts, plus uniform values between neighbouring peaks, as left by blurred
 * edges.
 */
function measureHistogram(
  kinds: readonly (readonly [grey: number, count: number])[],
  { noise = 800, blurred = 0.02, bins = 1024, seed = 1 } = {},
): Histogram {
  const normal = seededNormal(seed);
  const counts = new Array<number>(bins).fill(0);
  const max = 65_536;
  const add = (value: number) => counts[Math.min(bins - 1, Math.max(0, Math.floor((value / max) * bins)))]++;
  const total = kinds.reduce((sum, [, count]) => sum + count, 0);
  for (const [i, [grey, count]] of kinds.entries()) {
    for (let k = 0; k < count; k++) add(grey + noise * normal());
    const next = kinds[i + 1];
    if (!next) continue;
    for (let k = 0; k < blurred * total; k++)
      add(grey + ((next[0] - grey) * k) / (blurred * total) + noise * normal());
  }
  return { min: 0, max, counts };
}

describe('materials of a histogram', () => {
  it('are found as peaks, including small ones and those on noise', () => {
    for (const noise of [0, 300, 1500]) {
      const kinds = [
        [8000, 60_000],
        [22_000, 30_000],
        [45_000, 1500],
      ] as const;
      const peaks = materialPeaks(measureHistogram(kinds, { noise }));
      expect(peaks).toHaveLength(3);
      for (const [i, [grey]] of kinds.entries()) {
        expect(Math.abs((peaks?.[i] ?? 0) - grey), `noise ${noise}`).toBeLessThan(64 + 0.15 * noise);
      }
    }
  });

  it('exclude partial-volume values between two peaks, slopes and plateaus', () => {
    for (let seed = 1; seed <= 8; seed++) {
      const two = [
        [8000, 50_000],
        [40_000, 20_000],
      ] as const;
      expect(materialPeaks(measureHistogram(two, { seed, blurred: 0.1 }))).toHaveLength(2);
    }
    expect(materialPeaks(measureHistogram([[20_000, 10_000]]))).toBeNull();
    expect(materialPeaks({ min: 0, max: 1, counts: new Array<number>(64).fill(5) })).toBeNull();
  });

  it('exclude ripples on the tail of a peak, however many values the tail contains', () => {
    const gauss = (bin: number, middle: number, sd: number) => Math.exp(-0.5 * ((bin - middle) / sd) ** 2);
    const counts = Array.from({ length: 512 }, (_, bin) =>
      Math.round(
        bin < 10 ? 0 : 5000 * gauss(bin, 130, 9) + 60 * gauss(bin, 370, 30) + 200 + 160 * gauss(bin, 30, 6),
      ),
    ).map((count, bin) => (bin < 140 ? count : Math.max(0, count - 200)));
    const peaks = materialPeaks({ min: 0, max: 512, counts });
    expect(peaks).toHaveLength(2);
    expect(Math.abs((peaks?.[0] ?? 0) - 130)).toBeLessThan(2);
    expect(Math.abs((peaks?.[1] ?? 0) - 370)).toBeLessThan(4);
  });

  it('are separated by Otsu’s thresholds when their number is given', () => {
    const kinds = [
      [8000, 40_000],
      [22_000, 30_000],
      [45_000, 20_000],
    ] as const;
    const found = otsuMaterials(measureHistogram(kinds), 2);
    expect(found?.levels).toHaveLength(2);
    for (const [i, [grey]] of kinds.entries()) {
      expect(Math.abs((found?.peaks[i] ?? 0) - grey)).toBeLessThan(200);
    }
    for (const [i, level] of (found?.levels ?? []).entries()) {
      expect(level).toBeGreaterThan(kinds[i][0] + 3000);
      expect(level).toBeLessThan(kinds[i + 1][0] - 3000);
    }
    expect(midways([1, 3, 7])).toEqual([2, 5]);
  });

  it('minimize the within-class variance over all possible thresholds', () => {
    const counts = [5, 9, 2, 0, 3, 11, 4, 1, 0, 6, 8, 2, 0, 0, 7, 3];
    const variance = (levels: readonly number[]) => {
      const edges = [0, ...levels, counts.length];
      let sum = 0;
      for (let c = 1; c < edges.length; c++) {
        const own = counts
          .slice(edges[c - 1], edges[c])
          .flatMap((count, i) => new Array<number>(count).fill(edges[c - 1] + i));
        const mean = own.reduce((a, b) => a + b, 0) / own.length;
        sum += own.reduce((a, b) => a + (b - mean) ** 2, 0);
      }
      return sum;
    };
    const found = otsuLevels({ min: 0, max: counts.length, counts }, 2) ?? [];
    let least = Infinity;
    for (let a = 1; a < counts.length - 1; a++) {
      for (let b = a + 1; b < counts.length; b++) {
        const own = variance([a, b]);
        if (own < least) least = own;
      }
    }
    expect(variance(found.map(Math.floor))).toBeCloseTo(least, 9);
    expect(otsuLevels({ min: 0, max: 4, counts: [0, 9, 0, 0] }, 2)).toBeNull();
  });
});
