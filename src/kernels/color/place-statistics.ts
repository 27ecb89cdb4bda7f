import { missingValue, type ScalarStatistics, scalarStatistics } from './weighted-histogram.ts';

export interface Weighed {
  /** null without measured values; includes the number of places if the statistics are of places */
  statistics: (ScalarStatistics & { places?: number }) | null;
  /** weight of each vertex: its area, or its share of its place */
  weights: Float32Array;
}

/** Statistics over the surface by area, or over the places on it if they are numbered. */
export const weighScalar = (
  values: Float32Array,
  areasMm2: Float32Array,
  places: Float32Array | undefined,
): Weighed =>
  places
    ? placeStatistics(values, places, areasMm2)
    : { statistics: scalarStatistics(values, areasMm2), weights: areasMm2 };

/**
 * Statistics of places on a surface, such as pores, each of which has one value at all of its vertices: every place
 * counts once, whatever its size. Median and quantiles are those of the sorted values, interpolated between neighbours
 * (R's type 7). O(vertices + places · log places).
 *
 * @param places number of the place at each vertex
 */
function placeStatistics(values: Float32Array, places: Float32Array, areasMm2: Float32Array): Weighed {
  const vertices = new Map<number, number>();
  const valueOfPlace = new Map<number, number>();
  let [measured, all] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    all += areasMm2[i];
    if (values[i] === missingValue) continue;
    measured += areasMm2[i];
    vertices.set(places[i], (vertices.get(places[i]) ?? 0) + 1);
    valueOfPlace.set(places[i], values[i]);
  }
  const weights = places.map((place) => 1 / (vertices.get(place) ?? Infinity));
  const sorted = Float64Array.from(valueOfPlace.values()).sort();
  if (sorted.length === 0) return { statistics: null, weights };
  const at = (share: number) => {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    const above = Math.min(sorted.length - 1, below + 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  };
  const statistics = {
    minimum: sorted[0],
    maximum: sorted[sorted.length - 1],
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    low: at(0.005),
    median: at(0.5),
    high: at(0.995),
    measuredAreaMm2: measured,
    areaMm2: all,
    places: sorted.length,
  };
  return { statistics, weights };
}
