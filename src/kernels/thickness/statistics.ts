import type { Vector3 } from '../grid/volume.ts';
import { DisjointSets } from '../mesh/disjoint-sets.ts';

export interface ThicknessStatistics {
  /** vertices with a value */
  count: number;
  minMm: number;
  meanMm: number;
  sdMm: number;
  maxMm: number;
  percentilesMm: { p1: number; p5: number; p25: number; p50: number; p75: number; p95: number; p99: number };
  /** one more edge than areas */
  histogram: { edgesMm: number[]; areaMm2: number[] };
  /** share of the measured area that is thinner than the minimum; null when there is no minimum */
  belowMinimumShare: number | null;
}

const fineBins = 65536;
const shownBins = 128;

/**
 * Statistics of a value at each vertex, weighted by the vertex's area. NaN values are left out. Percentiles are exact
 * to 1/65536 of the range. O(vertices).
 * @returns null when no vertex has a value
 */
export function thicknessStatistics(
  thicknessMm: Float32Array,
  areaMm2: Float32Array,
  minimumMm?: number,
): ThicknessStatistics | null {
  let count = 0;
  let area = 0;
  let sum = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let below = 0;
  for (let v = 0; v < thicknessMm.length; v++) {
    const value = thicknessMm[v];
    if (Number.isNaN(value)) continue;
    count++;
    area += areaMm2[v];
    sum += value * areaMm2[v];
    if (value < min) min = value;
    if (value > max) max = value;
    if (minimumMm !== undefined && value < minimumMm) below += areaMm2[v];
  }
  if (count === 0 || !(area > 0)) return null;
  const mean = sum / area;
  const fine = new Float64Array(fineBins);
  const scale = max > min ? fineBins / (max - min) : 0;
  let squares = 0;
  for (let v = 0; v < thicknessMm.length; v++) {
    const value = thicknessMm[v];
    if (Number.isNaN(value)) continue;
    squares += areaMm2[v] * (value - mean) ** 2;
    fine[Math.min(fineBins - 1, Math.floor((value - min) * scale))] += areaMm2[v];
  }
  const percentile = (share: number) => {
    const wanted = share * area;
    let below = 0;
    for (let bin = 0; bin < fineBins; bin++) {
      if (fine[bin] > 0 && below + fine[bin] >= wanted) {
        return Math.min(max, min + ((bin + (wanted - below) / fine[bin]) / fineBins) * (max - min));
      }
      below += fine[bin];
    }
    return max;
  };
  const group = fineBins / shownBins;
  // A single value gets bins of a millionth around it, because edges must ascend.
  const span = max > min ? max - min : Math.max(Math.abs(max), 1) * 1e-6;
  const first = max > min ? min : min - span / 2;
  return {
    count,
    minMm: min,
    meanMm: mean,
    sdMm: Math.sqrt(squares / area),
    maxMm: max,
    percentilesMm: {
      p1: percentile(0.01),
      p5: percentile(0.05),
      p25: percentile(0.25),
      p50: percentile(0.5),
      p75: percentile(0.75),
      p95: percentile(0.95),
      p99: percentile(0.99),
    },
    histogram: {
      edgesMm: Array.from({ length: shownBins + 1 }, (_, i) => first + (span * i) / shownBins),
      areaMm2: Array.from({ length: shownBins }, (_, i) =>
        fine.subarray(i * group, (i + 1) * group).reduce((a, b) => a + b, 0),
      ),
    },
    belowMinimumShare: minimumMm === undefined ? null : below / area,
  };
}

export interface ThinRegion {
  areaMm2: number;
  minMm: number;
  /** where it is thinnest */
  thinnestMm: Vector3;
  /** area-weighted centroid of its vertices */
  centerMm: Vector3;
  /** share of its area where ray and sphere disagree; absent without both */
  disagreementShare?: number;
}

/** Connected parts of the surface thinner than a minimum, the largest first. O(vertices + triangles). */
export function thinRegions(
  mesh: { positions: Float32Array; indices: Uint32Array },
  thicknessMm: Float32Array,
  areaMm2: Float32Array,
  minimumMm: number,
  disagrees?: Float32Array,
): ThinRegion[] {
  const { positions, indices } = mesh;
  const isThin = (v: number) => thicknessMm[v] < minimumMm;
  const sets = new DisjointSets(thicknessMm.length);
  const join = (a: number, b: number) => {
    if (isThin(a) && isThin(b)) sets.join(a, b);
  };
  for (let t = 0; t < indices.length; t += 3) {
    join(indices[t], indices[t + 1]);
    join(indices[t + 1], indices[t + 2]);
    join(indices[t + 2], indices[t]);
  }
  const regions = new Map<number, ThinRegion>();
  for (let v = 0; v < thicknessMm.length; v++) {
    if (!isThin(v)) continue;
    const id = sets.root(v);
    let region = regions.get(id);
    if (!region) {
      region = { areaMm2: 0, minMm: Number.POSITIVE_INFINITY, thinnestMm: [0, 0, 0], centerMm: [0, 0, 0] };
      if (disagrees) region.disagreementShare = 0;
      regions.set(id, region);
    }
    const at: Vector3 = [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]];
    region.areaMm2 += areaMm2[v];
    for (let k = 0; k < 3; k++) region.centerMm[k] += areaMm2[v] * at[k];
    if (disagrees?.[v] === 1) region.disagreementShare = (region.disagreementShare ?? 0) + areaMm2[v];
    if (thicknessMm[v] < region.minMm) {
      region.minMm = thicknessMm[v];
      region.thinnestMm = at;
    }
  }
  return [...regions.values()]
    .map((region) => ({
      ...region,
      ...(region.disagreementShare === undefined
        ? {}
        : { disagreementShare: region.areaMm2 > 0 ? region.disagreementShare / region.areaMm2 : 0 }),
      centerMm:
        region.areaMm2 > 0
          ? (region.centerMm.map((sum) => sum / region.areaMm2) as Vector3)
          : region.thinnestMm,
    }))
    .sort((a, b) => b.areaMm2 - a.areaMm2);
}
