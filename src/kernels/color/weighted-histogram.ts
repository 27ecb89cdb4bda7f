/** Lowest float: marks vertices without a value, because not every graphics driver supports NaN. */
export const missingValue = -3.4028234663852886e38;

export interface ScalarStatistics {
  minimum: number;
  maximum: number;
  /** area-weighted */
  mean: number;
  /** area-weighted quantiles: 0.5 %, 50 % and 99.5 % of the measured area */
  low: number;
  median: number;
  high: number;
  measuredAreaMm2: number;
  areaMm2: number;
}

export interface WeightedHistogram {
  minimum: number;
  maximum: number;
  /** mm² of surface in each of the equal bins */
  areasMm2: Float64Array;
  belowMm2: number;
  aboveMm2: number;
}

/**
 * Statistics of a scalar over a surface, every vertex weighted by the area around it (a fine mesh region must not count
 * more than a coarse one). Null without measured values. Quantiles use two histograms, the second zoomed into the
 * first: exact to a 4096th of the range between them.
 */
export function scalarStatistics(values: Float32Array, areasMm2: Float32Array): ScalarStatistics | null {
  let minimum = Infinity;
  let maximum = -Infinity;
  let sum = 0;
  let measured = 0;
  let all = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    all += areasMm2[i];
    if (value === missingValue) continue;
    if (value < minimum) minimum = value;
    if (value > maximum) maximum = value;
    sum += value * areasMm2[i];
    measured += areasMm2[i];
  }
  if (!(maximum >= minimum) || !(measured > 0)) return null;
  const coarse = weightedHistogram(values, areasMm2, minimum, maximum, 4096);
  const step = (maximum - minimum) / 4096;
  const low = quantile(coarse, 0.005, measured) - step;
  const high = quantile(coarse, 0.995, measured) + step;
  const fine = weightedHistogram(values, areasMm2, low, high, 4096);
  const at = (fraction: number) => Math.min(maximum, Math.max(minimum, quantile(fine, fraction, measured)));
  return {
    minimum,
    maximum,
    mean: sum / measured,
    low: at(0.005),
    median: at(0.5),
    high: at(0.995),
    measuredAreaMm2: measured,
    areaMm2: all,
  };
}

/** Quantile by measured area: exact to a 4096th of a 2048th of the range. */
export function scalarQuantile(
  values: Float32Array,
  weights: Float32Array,
  share: number,
  { minimum, maximum }: Pick<ScalarStatistics, 'minimum' | 'maximum'>,
): number {
  const total = ({ areasMm2, belowMm2, aboveMm2 }: WeightedHistogram) =>
    areasMm2.reduce((sum, area) => sum + area, belowMm2 + aboveMm2);
  const coarse = weightedHistogram(values, weights, minimum, maximum, 4096);
  const step = (maximum - minimum) / 4096;
  const about = quantile(coarse, share, total(coarse));
  const fine = weightedHistogram(values, weights, about - step, about + step, 4096);
  return Math.min(maximum, Math.max(minimum, quantile(fine, share, total(fine))));
}

/** Surface area in mm² by value; values outside `minimum` … `maximum` are counted separately. */
export function weightedHistogram(
  values: Float32Array,
  areasMm2: Float32Array,
  minimum: number,
  maximum: number,
  bins: number,
): WeightedHistogram {
  const areas = new Float64Array(bins);
  const scale = maximum > minimum ? bins / (maximum - minimum) : 0;
  let belowMm2 = 0;
  let aboveMm2 = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === missingValue) continue;
    if (value < minimum) belowMm2 += areasMm2[i];
    else if (value > maximum) aboveMm2 += areasMm2[i];
    else areas[Math.min(bins - 1, Math.floor((value - minimum) * scale))] += areasMm2[i];
  }
  return { minimum, maximum, areasMm2: areas, belowMm2, aboveMm2 };
}

function quantile(histogram: WeightedHistogram, fraction: number, total: number): number {
  const { minimum, maximum, areasMm2 } = histogram;
  const step = (maximum - minimum) / areasMm2.length;
  let left = fraction * total - histogram.belowMm2;
  if (left <= 0) return minimum;
  for (let bin = 0; bin < areasMm2.length; bin++) {
    if (left <= areasMm2[bin]) return minimum + (bin + left / areasMm2[bin]) * step;
    left -= areasMm2[bin];
  }
  return maximum;
}

/**
 * Limits that show nearly all of the area, rounded outwards to a step of 1, 2 or 5; symmetric about zero if the scalar
 * is signed.
 */
export function autoRange(statistics: ScalarStatistics, signed: boolean): [number, number] {
  const { low, high } = statistics;
  if (signed) {
    const reach = niceCeil(Math.max(Math.abs(low), Math.abs(high)) || 1);
    return [-reach, reach];
  }
  const span = high - low || Math.abs(high) || 1;
  const step = niceStep(span / 20);
  const start = low >= 0 && low < 0.25 * span ? 0 : Math.floor(low / step) * step;
  const end = Math.ceil((high + span * 1e-9) / step) * step;
  return [clean(start), clean(end > start ? end : start + step)];
}

/** Limits symmetric about zero: the grey in the middle of coolwarm represents zero. */
export function aroundZero([low, high]: readonly [number, number]): [number, number] {
  const reach = Math.max(Math.abs(low), Math.abs(high));
  return [-reach, reach];
}

/** The smallest step of 1, 2 or 5 times a power of ten that is not below `least`. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= least * (1 - 1e-9)) ?? 10;
  return clean(factor * power);
}

const niceCeil = (value: number) => {
  const step = niceStep(value / 10);
  return clean(Math.ceil(value / step - 1e-9) * step);
};
const clean = (value: number) => Number(value.toPrecision(12));

/** Round values between two limits, about `most` of them at most. */
export function ticks(minimum: number, maximum: number, most: number): number[] {
  if (!(maximum > minimum)) return [minimum];
  const step = niceStep((maximum - minimum) / Math.max(1, most));
  const out: number[] = [];
  for (let k = Math.ceil(minimum / step - 1e-9); k * step <= maximum + step * 1e-9; k++)
    out.push(clean(k * step));
  return out;
}
