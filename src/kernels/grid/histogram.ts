/** Grey-value histograms and the surface levels derived from them. */

export interface Histogram {
  /** lower edge of the first bin */
  min: number;
  /** upper edge of the last bin; values outside min … max are counted in the end bins */
  max: number;
  /** cells in each bin, all bins equally wide */
  counts: number[];
}

export const binWidth = ({ min, max, counts }: Histogram) => (max - min) / counts.length;

/** Number of values. */
export const computeTotal = ({ counts }: Histogram) => counts.reduce((sum, count) => sum + count, 0);

/**
 * Percentile of the counted values, linear within a bin.
 * @param share 0–1
 * @returns NaN for an empty histogram
 */
export function findPercentile(histogram: Histogram, share: number): number {
  const total = computeTotal(histogram);
  if (total === 0) return Number.NaN;
  const wanted = Math.min(Math.max(share, 0), 1) * total;
  let below = 0;
  for (const [bin, count] of histogram.counts.entries()) {
    if (count > 0 && below + count >= wanted) {
      return histogram.min + (bin + (wanted - below) / count) * binWidth(histogram);
    }
    below += count;
  }
  return histogram.max;
}

/**
 * Otsu's threshold: the level that splits the values into two classes with the least within-class variance. A plateau
 * of equally good levels (an empty gap between the classes) gives its middle.
 * @returns null when all values fall into one bin
 * @see https://doi.org/10.1109/TSMC.1979.4310076
 */
export function otsuLevel(histogram: Histogram): number | null {
  const { counts, min } = histogram;
  const total = computeTotal(histogram);
  let sum = 0;
  for (const [bin, count] of counts.entries()) sum += bin * count;
  let below = 0;
  let sumBelow = 0;
  let best = 0;
  let first = -1;
  let last = -1;
  for (let bin = 0; bin + 1 < counts.length; bin++) {
    below += counts[bin];
    sumBelow += bin * counts[bin];
    if (below === 0 || below === total) continue;
    const between = (sumBelow * total - below * sum) ** 2 / (below * (total - below));
    if (between > best * (1 + 1e-12)) {
      best = between;
      first = bin;
      last = bin;
    } else if (between >= best * (1 - 1e-12)) last = bin;
  }
  if (first < 0) return null;
  return min + ((first + last) / 2 + 1) * binWidth(histogram);
}

export interface GreyPeaks {
  air: number;
  material: number;
  /** midway between the two peaks */
  iso50: number;
}

/**
 * Peaks of air and material and the level midway between them (ISO 50). The histogram is smoothed and split at Otsu's
 * threshold; a peak is the centroid of the highest hill of its part, down to half its height.
 * @returns null when there are not two kinds of grey value
 */
export function greyPeaks(histogram: Histogram): GreyPeaks | null {
  const level = otsuLevel(histogram);
  if (level === null) return null;
  const width = binWidth(histogram);
  const split = Math.min(
    Math.max(Math.round((level - histogram.min) / width), 1),
    histogram.counts.length - 1,
  );
  const smooth = smoothed(histogram.counts, Math.max(1, histogram.counts.length / 200));
  const air = peakBetween(histogram.counts, smooth, 0, split);
  const material = peakBetween(histogram.counts, smooth, split, smooth.length);
  if (air === null || material === null) return null;
  const toValue = (bin: number) => histogram.min + (bin + 0.5) * width;
  return {
    air: toValue(air),
    material: toValue(material),
    iso50: (toValue(air) + toValue(material)) / 2,
  };
}

/** Three passes of a running mean: close to a Gaussian. O(bins · radius). */
export function smoothed(counts: readonly number[], radius: number): Float64Array {
  const half = Math.max(1, Math.round(radius));
  let from = Float64Array.from(counts);
  for (let pass = 0; pass < 3; pass++) {
    const to = new Float64Array(from.length);
    for (let i = 0; i < from.length; i++) {
      let sum = 0;
      // Counts beyond the ends are zero, so a peak at the very first value stays in place.
      for (let k = Math.max(0, i - half); k <= Math.min(from.length - 1, i + half); k++) sum += from[k];
      to[i] = sum / (2 * half + 1);
    }
    from = to;
  }
  return from;
}

/** Centroid of the highest hill of a range, down to half its height: more stable than the maximum itself. */
export function peakBetween(
  counts: readonly number[],
  smooth: Float64Array,
  from: number,
  to: number,
): number | null {
  let peak = from;
  for (let i = from; i < to; i++) if (smooth[i] > smooth[peak]) peak = i;
  const half = smooth[peak] / 2;
  if (!(half > 0)) return null;
  let [first, last] = [peak, peak];
  while (first > from && smooth[first - 1] >= half) first--;
  while (last + 1 < to && smooth[last + 1] >= half) last++;
  let [sum, weighted] = [0, 0];
  for (let i = first; i <= last; i++) {
    sum += counts[i];
    weighted += i * counts[i];
  }
  return sum > 0 ? weighted / sum : peak;
}
