import { spanTriangle } from '../mesh/span-triangle.ts';
import { ascendingOrder } from './ascending-order.ts';

export interface ToleranceMm {
  lowerMm: number;
  upperMm: number;
}

export interface DeviationStatistics {
  /** vertices with a value */
  count: number;
  /** area represented by these vertices */
  areaMm2: number;
  meanMm: number;
  sdMm: number;
  /** about zero, not about the mean */
  rmsMm: number;
  minMm: number;
  maxMm: number;
  percentilesMm: { p1: number; p5: number; p25: number; p50: number; p75: number; p95: number; p99: number };
  /** share of the measured area within the tolerance, limits included */
  inToleranceShare: number;
  /** one more edge than areas */
  histogram: { edgesMm: number[]; areaMm2: number[] };
}

const histogramBins = 128;

/**
 * Statistics of signed deviations, each weighted by the area of its vertex. NaN values, and vertices without area, are
 * left out. Percentiles are exact: the value below which that share of the area lies. O(n).
 * @param deviationMm one per vertex
 * @param areaMm2 one per vertex
 * @param of only these vertices; all when omitted
 * @param bins of the histogram
 * @returns null when no vertex has a value
 */
export function deviationStatistics(
  deviationMm: Float32Array,
  areaMm2: Float32Array,
  tolerance: ToleranceMm,
  of?: Uint32Array,
  bins = histogramBins,
): DeviationStatistics | null {
  const measured = new Uint32Array(of?.length ?? deviationMm.length);
  let count = 0;
  for (let i = 0; i < measured.length; i++) {
    const v = of?.[i] ?? i;
    if (!Number.isNaN(deviationMm[v]) && areaMm2[v] > 0) measured[count++] = v;
  }
  if (count === 0) return null;
  const order = ascendingOrder(deviationMm, measured.subarray(0, count));
  // Rounded like the deviations, so that a deviation equal to the tolerance is within it.
  const [lower, upper] = [Math.fround(tolerance.lowerMm), Math.fround(tolerance.upperMm)];
  let area = 0;
  let sum = 0;
  let squares = 0;
  let within = 0;
  for (const v of order) {
    const value = deviationMm[v];
    area += areaMm2[v];
    sum += areaMm2[v] * value;
    squares += areaMm2[v] * value * value;
    if (value >= lower && value <= upper) within += areaMm2[v];
  }
  const mean = sum / area;
  let variance = 0;
  for (const v of order) variance += (areaMm2[v] * (deviationMm[v] - mean) ** 2) / area;
  const min = deviationMm[order[0]];
  const max = deviationMm[order[order.length - 1]];
  const percentiles = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99];
  const values: number[] = [];
  let below = 0;
  for (const v of order) {
    below += areaMm2[v];
    while (values.length < percentiles.length && below >= percentiles[values.length] * area) {
      values.push(deviationMm[v]);
    }
  }
  // Rounding errors of the sums may leave the last percentiles unset.
  while (values.length < percentiles.length) values.push(max);
  const [p1, p5, p25, p50, p75, p95, p99] = values;
  // A single value gets bins of a millionth around it, because edges must ascend.
  const span = max > min ? max - min : Math.max(Math.abs(max), 1) * 1e-6;
  const first = max > min ? min : min - span / 2;
  const histogram = new Array<number>(bins).fill(0);
  for (const v of order) {
    const bin = Math.floor(((deviationMm[v] - first) / span) * bins);
    histogram[Math.min(bins - 1, Math.max(0, bin))] += areaMm2[v];
  }
  return {
    count: order.length,
    areaMm2: area,
    meanMm: mean,
    sdMm: Math.sqrt(variance),
    rmsMm: Math.sqrt(squares / area),
    minMm: min,
    maxMm: max,
    percentilesMm: { p1, p5, p25, p50, p75, p95, p99 },
    inToleranceShare: within / area,
    histogram: {
      edgesMm: Array.from({ length: bins + 1 }, (_, i) => first + (span * i) / bins),
      areaMm2: histogram,
    },
  };
}

/** Area of each vertex in mm²: a third of the area of its triangles. O(triangles). */
export function vertexAreas(mesh: { positions: Float32Array; indices: Uint32Array }): Float32Array {
  const { positions, indices } = mesh;
  const sums = new Float64Array(positions.length / 3);
  const normal = new Float64Array(3);
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2]];
    spanTriangle(positions, a, b, c, normal);
    const area = Math.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2) / 6;
    sums[indices[t]] += area;
    sums[indices[t + 1]] += area;
    sums[indices[t + 2]] += area;
  }
  return Float32Array.from(sums);
}
