/**
 * Propagates the errors of single deviations to statistics over all of them: each error is added to the deviations, and
 * the statistic is computed again.
 */
import type { DeviationErrors } from './deviation-errors.ts';
import { type DeviationStatistics, deviationStatistics, type ToleranceMm } from './deviation-statistics.ts';
import { findPitDepth } from './noise-pits.ts';

/** Standard uncertainties (k = 1), by source. */
export type Contributions = Record<string, number>;
/** Statistics over all deviations, by the paths of their measures. */
type Numbers = Record<NumberPath, number>;
type NumberPath =
  | keyof Pick<DeviationStatistics, 'meanMm' | 'sdMm' | 'rmsMm' | 'inToleranceShare'>
  | `percentilesMm.${keyof DeviationStatistics['percentilesMm']}`;
export type DeviationContributions = Partial<Record<NumberPath | 'minMm' | 'maxMm', Contributions>>;

/** Measured deviations with the errors of each place. */
export interface MeasuredDeviations {
  deviationMm: Float32Array;
  areaMm2: Float32Array;
  errors: DeviationErrors;
}

/** Largest number of vertices for recomputing statistics, evenly spread. */
const maxPlaces = 40_000;
const percentileNames = ['p1', 'p5', 'p25', 'p50', 'p75', 'p95', 'p99'] as const;
/** Normal deviates of these percentiles. */
const deviates = [2.326, 1.645, 0.674, 0, 0.674, 1.645, 2.326];
const percentilePaths = percentileNames.map((name) => `percentilesMm.${name}` as const);
const paths: readonly NumberPath[] = ['meanMm', 'sdMm', 'rmsMm', 'inToleranceShare', ...percentilePaths];
/** Statistics that errors can only increase; and the factor by which the variances of the errors may be larger. */
const scatters = ['sdMm', 'rmsMm'] as const;
const maxAddedFactor = 1.5;
/** Places beside rounded edges come out too high, which compensates part of the mean; this share remains. */
const leftOfEdges = 0.35;
/** Distance between the quartiles of a normal distribution, in standard deviations. */
const quartileDeviations = 1.349;
/**
 * An extreme is selected by noise from among all places: by √(2 ln places) standard deviations at most, usually by this
 * share of it.
 */
const chosenShare = 0.75;

/**
 * Contributions to the uncertainty of mean, standard deviation, RMS, extremes, percentiles and the share within
 * tolerance, by the paths of their measures. O(vertices), and 16 times O(40,000).
 * @param of only these vertices
 * @returns an empty object when no vertex has a value
 */
export function findDeviationContributions(
  measured: MeasuredDeviations,
  tolerance: ToleranceMm,
  of?: Uint32Array,
): DeviationContributions {
  const { deviationMm, areaMm2, errors } = measured;
  const all = listMeasured(measured, of);
  if (all.length === 0) return {};
  const step = Math.max(1, Math.floor(all.length / maxPlaces));
  const some = all.filter((_, i) => i % step === 0);
  const values = Float32Array.from(some, (v) => deviationMm[v]);
  const areas = Float32Array.from(some, (v) => areaMm2[v]);
  const measureMoved = (moved: Float32Array) =>
    listNumbers(deviationStatistics(moved, areas, tolerance, undefined, 1));
  const base = measureMoved(values);
  if (!base) return {};
  const area = all.reduce((sum, v) => sum + areaMm2[v], 0);
  /** half of the largest change of each statistic when all places move by plus or minus twice the field */
  const moveBy = (field: (i: number) => number): Numbers => {
    const [out, back] = [2, -2].map((times) =>
      measureMoved(values.map((value, i) => value + times * field(i))),
    );
    const change = (to: Numbers | null, name: NumberPath) => Math.abs((to?.[name] ?? 0) - base[name]) / 2;
    return fillRecord(paths, (name) => Math.max(change(out, name), change(back, name)));
  };
  const byField: Record<string, Numbers> = {};
  for (const [name, shift] of Object.entries(errors.shiftsMm)) byField[name] = moveBy(() => shift);
  const edges = Float32Array.from(some, (v) => errors.edgesMm[v]);
  byField['edges'] = moveBy((i) => edges[i]);
  const poses = Array.from(some, (v) => errors.poseAt(v));
  const modes = (poses[0] ?? []).map((_, mode) => moveBy((i) => poses[i][mode]));
  if (modes.length > 0)
    byField['alignment'] = fillRecord(paths, (name) => Math.hypot(...modes.map((each) => each[name])));
  const scatterMm = { noise: errors.noiseMm, edges: rootMeanSquare(edges, areas) };
  byField['noise'] = findNoise(base, errors, area, tolerance, { values, areas });
  byField['edges']['meanMm'] *= leftOfEdges;
  // Noise and edges increase the scatter jointly.
  for (const name of scatters) {
    const spread = base[name];
    const left = spread ** 2 - maxAddedFactor * (scatterMm.noise ** 2 + scatterMm.edges ** 2);
    byField['edges'][name] = 0;
    byField['noise'][name] = Math.hypot(spread - Math.sqrt(Math.max(0, left)), byField['noise']['meanMm']);
  }
  const found = fillRecord(paths, (name) =>
    Object.fromEntries(Object.entries(byField).map(([from, each]) => [from, each[name]])),
  );
  const extreme = (isBeyond: (a: number, b: number) => boolean) =>
    findPlaceContributions(
      errors,
      all.reduce((most, v) => (isBeyond(deviationMm[v], deviationMm[most]) ? v : most), all[0]),
      area,
    );
  return { ...found, minMm: extreme((a, b) => a < b), maxMm: extreme((a, b) => a > b) };
}

/** Contributions for the deviation at one place that noise selected as the extreme of an area. */
export function findPlaceContributions(errors: DeviationErrors, v: number, areaMm2: number): Contributions {
  const { shiftsMm, noiseMm, patchMm2, edgeMm, voxelMm, rimsMm } = errors;
  const places = Math.max(2, areaMm2 / patchMm2);
  const pits = findPitDepth(areaMm2 / voxelMm ** 2, {
    noise: noiseMm / voxelMm,
    edge: edgeMm / voxelMm,
    reach: Math.sqrt(patchMm2 / Math.PI) / voxelMm,
  });
  const pose = errors.poseAt(v);
  return {
    ...shiftsMm,
    edges: rimsMm[v],
    ...(pose.length > 0 ? { alignment: Math.hypot(...pose) } : {}),
    noise: chosenShare * Math.sqrt(2 * Math.log(places)) * noiseMm,
    pits: pits * voxelMm,
  };
}

/** Contributions for the share of an area within limits; places without a value count as outside. */
export function findShareContributions(
  measured: MeasuredDeviations,
  tolerance: ToleranceMm,
  wholeMm2: number,
): Contributions {
  const found = findDeviationContributions(measured, tolerance).inToleranceShare ?? {};
  const { deviationMm, areaMm2 } = measured;
  const valued = areaMm2.reduce((sum, area, v) => (Number.isNaN(deviationMm[v]) ? sum : sum + area), 0);
  const scale = wholeMm2 > 0 ? valued / wholeMm2 : 0;
  return Object.fromEntries(Object.entries(found).map(([from, value]) => [from, scale * value]));
}

function listMeasured({ deviationMm, areaMm2 }: MeasuredDeviations, of?: Uint32Array): Uint32Array {
  const all = of ?? Uint32Array.from(deviationMm, (_, v) => v);
  return all.filter((v) => !Number.isNaN(deviationMm[v]) && areaMm2[v] > 0);
}

function listNumbers(statistics: DeviationStatistics | null): Numbers | null {
  if (!statistics) return null;
  const { meanMm, sdMm, rmsMm, inToleranceShare, percentilesMm } = statistics;
  const percentiles = fillRecord(percentilePaths, (_, i) => percentilesMm[percentileNames[i]]);
  return { meanMm, sdMm, rmsMm, inToleranceShare, ...percentiles };
}

function rootMeanSquare(values: Float32Array, areas: Float32Array): number {
  let [sum, area] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    sum += areas[i] * values[i] ** 2;
    area += areas[i];
  }
  return Math.sqrt(sum / area);
}

const fillRecord = <Name extends string, Value>(
  names: readonly Name[],
  find: (name: Name, i: number) => Value,
) => Object.fromEntries(names.map((name, i) => [name, find(name, i)])) as Record<Name, Value>;

/**
 * Noise is already in the deviations and has increased their scatter, so its effect is the difference after removing
 * its variance. It moves a mean by its standard deviation over the root of the number of independent places. It moves a
 * place across a limit when that is nearer than the noise.
 */
function findNoise(
  base: Numbers,
  { noiseMm, patchMm2 }: DeviationErrors,
  areaMm2: number,
  tolerance: ToleranceMm,
  { values, areas }: { values: Float32Array; areas: Float32Array },
): Numbers {
  const ofMean = noiseMm * Math.sqrt(Math.min(1, patchMm2 / areaMm2));
  const gained = (spread: number) => spread - Math.sqrt(Math.max(0, spread ** 2 - noiseMm ** 2));
  const quartiles = (base['percentilesMm.p75'] - base['percentilesMm.p25']) / quartileDeviations;
  const median = base['percentilesMm.p50'];
  const withinAt = (widerByMm: number) => {
    const { lowerMm, upperMm } = tolerance;
    const limits = { lowerMm: lowerMm - widerByMm, upperMm: upperMm + widerByMm };
    return deviationStatistics(values, areas, limits, undefined, 1)?.inToleranceShare ?? 0;
  };
  const percentiles = fillRecord(percentilePaths, (path, i) => {
    const share = quartiles > 0 ? Math.min(1, gained(quartiles) / quartiles) : 1;
    const spread = Math.min(share * Math.abs(base[path] - median), deviates[i] * noiseMm);
    return Math.hypot(ofMean, spread);
  });
  return {
    meanMm: ofMean,
    // Set together with the effect of edges.
    ...{ sdMm: 0, rmsMm: 0 },
    inToleranceShare: (withinAt(noiseMm) - withinAt(-noiseMm)) / 2,
    ...percentiles,
  };
}
