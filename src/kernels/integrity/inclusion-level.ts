import { binWidth, greyPeaks, type Histogram } from '../grid/histogram.ts';

/**
 * A second material must differ by this share of the contrast, and the valley before it must be at most this share of
 * its peak.
 */
const leastStep = 0.15;
const deepestValley = 0.5;

/**
 * The level between the material and a denser one, and the peak of the denser one.
 * @returns null when the histogram has no second peak above the material's
 */
export function inclusionLevel(
  histogram: Histogram,
  peaks: { air: number; material: number; level: number },
): { level: number; grey: number } | null {
  const width = binWidth(histogram);
  const first = Math.max(0, Math.round((peaks.level - histogram.min) / width));
  const counts = histogram.counts.slice(first);
  if (counts.length < 3) return null;
  const min = histogram.min + first * width;
  const upper = greyPeaks({ min, max: histogram.max, counts });
  if (!upper) return null;
  // Without inclusions the upper of the two peaks is the material's own, above a hump of cells at its surface.
  const step = upper.material - Math.max(upper.air, peaks.material);
  if (step < leastStep * (peaks.material - peaks.air)) return null;
  const at = (value: number) => Math.min(counts.length - 1, Math.max(0, Math.floor((value - min) / width)));
  const around = (value: number, half: number) => {
    const from = Math.max(0, at(value) - half);
    const part = counts.slice(from, at(value) + half + 1);
    return part.reduce((sum, count) => sum + count, 0) / part.length;
  };
  const half = Math.max(1, Math.round(counts.length / 100));
  return around(upper.iso50, half) < deepestValley * around(upper.material, half)
    ? { level: upper.iso50, grey: upper.material }
    : null;
}
