import type { VoxelArray } from './volume.ts';

/** Grey values from `center − width/2` (black) to `center + width/2` (white). */
export interface GreyWindow {
  center: number;
  width: number;
}

export const windowLimits = ({ center, width }: GreyWindow): [number, number] => [
  center - width / 2,
  center + width / 2,
];

export function toGreyWindow(low: number, high: number): GreyWindow {
  const [a, b] = low <= high ? [low, high] : [high, low];
  return {
    center: (a + b) / 2,
    width: Math.max(b - a, Number.EPSILON * Math.max(1, Math.abs(a), Math.abs(b))),
  };
}

/** Display byte of a grey value: 0 at and below the lower limit, 255 at and above the upper; NaN is black. */
export function windowedByte(value: number, low: number, scale: number): number {
  const byte = (value - low) * scale + 0.5;
  return byte >= 255 ? 255 : byte > 0 ? byte | 0 : 0;
}

export const windowScale = (low: number, high: number): number => 255 / (high - low);

export interface GreyHistogram {
  minimum: number;
  maximum: number;
  counts: readonly number[];
}

/**
 * Histogram with equal bins from the lowest to the highest finite value; other values are ignored. One pass for the
 * limits, one to count.
 */
export function greyHistogram(values: VoxelArray, bins = 256): GreyHistogram {
  let minimum = Infinity;
  let maximum = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value < minimum) minimum = value;
    if (value > maximum) maximum = value;
  }
  if (!(maximum >= minimum)) return { minimum: 0, maximum: 1, counts: new Array<number>(bins).fill(0) };
  if (maximum === minimum) maximum = minimum + 1;
  const counts = new Array<number>(bins).fill(0);
  const scale = bins / (maximum - minimum);
  for (let i = 0; i < values.length; i++) {
    const bin = ((values[i] - minimum) * scale) | 0;
    if (!Number.isNaN(values[i])) counts[bin < bins ? bin : bins - 1]++;
  }
  return { minimum, maximum, counts };
}

/** The same counts in at most `most` bins: merges neighbours and moves the upper end to the end of the last bin. */
export function rebinned(histogram: GreyHistogram, most: number): GreyHistogram {
  const { minimum, maximum, counts } = histogram;
  if (counts.length <= most) return histogram;
  const merged = Math.ceil(counts.length / most);
  const out = new Array<number>(Math.ceil(counts.length / merged)).fill(0);
  for (const [bin, count] of counts.entries()) out[Math.floor(bin / merged)] += count;
  const step = (maximum - minimum) / counts.length;
  return { minimum, maximum: minimum + out.length * merged * step, counts: out };
}

/** Quantile of the counted values, linear within its bin. */
export function histogramQuantile(histogram: GreyHistogram, fraction: number): number {
  const { minimum, maximum, counts } = histogram;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const step = (maximum - minimum) / counts.length;
  let left = fraction * total;
  for (let bin = 0; bin < counts.length; bin++) {
    if (left <= counts[bin] && counts[bin] > 0) return minimum + (bin + left / counts[bin]) * step;
    left -= counts[bin];
  }
  return maximum;
}

/**
 * A window that shows nearly everything: from the 0.5 % to the 99.5 % quantile, with a fifth of headroom, so that the
 * material is light grey and a denser inclusion still stands out.
 */
export function autoWindow(histogram: GreyHistogram): GreyWindow {
  const low = histogramQuantile(histogram, 0.005);
  const high = histogramQuantile(histogram, 0.995);
  if (!(high > low)) return toGreyWindow(histogram.minimum, histogram.maximum);
  return toGreyWindow(low - (high - low) * 0.02, high + (high - low) * 0.2);
}
