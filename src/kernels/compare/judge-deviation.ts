/**
 * From deviations to a verdict, with the guard band of ISO 14253-1: surely within, surely beyond, or neither.
 *
 * A single vertex is no evidence (noise moves each by a tenth of a voxel and more), so what counts is a connected patch
 * of the surface beyond a limit, of an area that the scan can resolve.
 */
import type { Vector3 } from '../grid/volume.ts';
import { DisjointSets } from '../mesh/disjoint-sets.ts';
import type { ToleranceMm } from './deviation-statistics.ts';

export type Verdict = 'pass' | 'fail' | 'indeterminate';

/** One of the two surfaces, with what was measured at each of its vertices. */
export interface JudgedSurface {
  side: 'scan' | 'reference';
  /** in the scan's frame */
  positions: Float32Array | Float64Array;
  indices: Uint32Array;
  areaMm2: Float32Array;
  /** within the search distance; NaN: not found there */
  deviationMm: Float32Array;
  /** of what is not found there, how far it is, where that is known; else NaN */
  farMm: Float32Array;
  /** 0 for each vertex that has no say: the other surface says the same, or the scan doesn't show it */
  hasSay?: Uint8Array | undefined;
}

/** A place that is beyond the tolerance, or that the other surface has nothing for. */
export interface DeviantPlace {
  side: JudgedSurface['side'];
  areaMm2: number;
  /** of that, what has no counterpart within the search distance */
  notFoundAreaMm2: number;
  /** the deviation that is furthest out, signed; null where nothing of the other surface faces the place at all */
  worstMm: number | null;
  /** where that is, in the scan's frame */
  worstPointMm: Vector3;
}

export interface Judgement {
  /** 1 for each vertex that is beyond the tolerance even with the guard band in its favour */
  surelyBeyond: Uint8Array;
  /** 1 for each vertex that is not within the tolerance once the guard band is taken off it, or that was not found */
  maybeBeyond: Uint8Array;
  /** beyond the tolerance itself, or not found; the one furthest out first */
  places: DeviantPlace[];
}

/** What a vertex is: within the limits, below or above them, or nothing that could be said to be either. */
const [within, below, above, unknown] = [0, 1, 2, 3];

/** Rounded as the deviations are: a deviation of a limit itself is within it. */
const limitsOf = ({ lowerMm, upperMm }: ToleranceMm, widerByMm: number): [number, number] => [
  Math.fround(lowerMm - widerByMm),
  Math.fround(upperMm + widerByMm),
];

/** @param countNotFound what was not found is not within the limits, whatever they are */
function kindsAt(
  { deviationMm, farMm, hasSay }: JudgedSurface,
  [lower, upper]: [number, number],
  countNotFound: boolean,
): Uint8Array {
  const kinds = new Uint8Array(deviationMm.length);
  for (let v = 0; v < kinds.length; v++) {
    if (hasSay?.[v] === 0) continue;
    const value = deviationMm[v];
    if (value > upper) kinds[v] = above;
    else if (value < lower) kinds[v] = below;
    else if (countNotFound && Number.isNaN(value))
      kinds[v] = farMm[v] > 0 ? above : farMm[v] < 0 ? below : unknown;
  }
  return kinds;
}

/** Connected patches of vertices of one kind that are not within the limits: number of each vertex's, −1 = none. */
function findPatches(
  { indices, areaMm2 }: JudgedSurface,
  kinds: Uint8Array,
  smallestAreaMm2: number,
): Int32Array {
  const patchOf = new Int32Array(kinds.length).fill(-1);
  if (!kinds.some((kind) => kind !== within)) return patchOf;
  const sets = new DisjointSets(kinds.length);
  for (let i = 0; i < indices.length; i++) {
    const [a, b] = [indices[i], indices[i % 3 === 2 ? i - 2 : i + 1]];
    if (kinds[a] !== within && kinds[a] === kinds[b]) sets.join(a, b);
  }
  const areas = new Map<number, number>();
  for (let v = 0; v < kinds.length; v++) {
    if (kinds[v] === within) continue;
    const root = sets.root(v);
    areas.set(root, (areas.get(root) ?? 0) + areaMm2[v]);
  }
  const numbers = new Map<number, number>();
  for (const [root, area] of areas) if (area > 0 && area >= smallestAreaMm2) numbers.set(root, numbers.size);
  for (let v = 0; v < kinds.length; v++) {
    if (kinds[v] !== within) patchOf[v] = numbers.get(sets.root(v)) ?? -1;
  }
  return patchOf;
}

const flagsOf = (patchOf: Int32Array) => Uint8Array.from(patchOf, (patch) => (patch < 0 ? 0 : 1));

/**
 * O(vertices + triangles).
 * @param guardBandMm uncertainty by which the tolerance is widened to fail and narrowed to pass
 * @param smallestAreaMm2 smaller patches don't count
 */
export function judgeSurface(
  surface: JudgedSurface,
  tolerance: ToleranceMm,
  guardBandMm: number,
  smallestAreaMm2: number,
): Judgement {
  const patchesAt = (widerByMm: number, countNotFound: boolean) =>
    findPatches(surface, kindsAt(surface, limitsOf(tolerance, widerByMm), countNotFound), smallestAreaMm2);
  // A guard band wider than the tolerance leaves nothing that is surely within it.
  const nothingPasses = tolerance.lowerMm + guardBandMm >= tolerance.upperMm - guardBandMm;
  return {
    surelyBeyond: flagsOf(patchesAt(guardBandMm, false)),
    maybeBeyond: nothingPasses
      ? Uint8Array.from(surface.deviationMm, (_, v) => surface.hasSay?.[v] ?? 1)
      : flagsOf(patchesAt(-guardBandMm, true)),
    places: describePlaces(surface, patchesAt(0, true), tolerance),
  };
}

function describePlaces(surface: JudgedSurface, patchOf: Int32Array, tolerance: ToleranceMm): DeviantPlace[] {
  const { side, positions, areaMm2, deviationMm, farMm } = surface;
  const [lower, upper] = limitsOf(tolerance, 0);
  const valueAt = (v: number) => (Number.isNaN(deviationMm[v]) ? farMm[v] : deviationMm[v]);
  const beyondMm = (v: number) => Math.max(valueAt(v) - upper, lower - valueAt(v));
  const found = new Map<number, { areaMm2: number; notFoundAreaMm2: number; worst: number }>();
  for (let v = 0; v < patchOf.length; v++) {
    if (patchOf[v] < 0) continue;
    const patch = found.get(patchOf[v]) ?? { areaMm2: 0, notFoundAreaMm2: 0, worst: v };
    found.set(patchOf[v], patch);
    patch.areaMm2 += areaMm2[v];
    if (Number.isNaN(deviationMm[v])) patch.notFoundAreaMm2 += areaMm2[v];
    if (beyondMm(v) > beyondMm(patch.worst)) patch.worst = v;
  }
  return [...found.values()]
    .map(({ worst, ...areas }) => ({
      side,
      ...areas,
      worstMm: Number.isNaN(valueAt(worst)) ? null : valueAt(worst),
      worstPointMm: [...positions.subarray(3 * worst, 3 * worst + 3)] as Vector3,
    }))
    .sort(byDistance(tolerance));
}

/** The place furthest out of tolerance first; those of which nothing is known last, the largest first. */
export function byDistance(tolerance: ToleranceMm): (a: DeviantPlace, b: DeviantPlace) => number {
  const beyondMm = ({ worstMm }: DeviantPlace) =>
    worstMm === null ? 0 : Math.max(worstMm - tolerance.upperMm, tolerance.lowerMm - worstMm);
  return (a, b) => beyondMm(b) - beyondMm(a) || b.areaMm2 - a.areaMm2;
}

/**
 * The verdict on all vertices, or on some.
 * @param isComplete the scan shows all of what is judged
 */
export function verdictOf(
  judgements: readonly Pick<Judgement, 'surelyBeyond' | 'maybeBeyond'>[],
  isComplete: boolean,
): Verdict {
  if (judgements.some(({ surelyBeyond }) => surelyBeyond.includes(1))) return 'fail';
  if (!isComplete || judgements.some(({ maybeBeyond }) => maybeBeyond.includes(1))) return 'indeterminate';
  return 'pass';
}

/** What is known of a few of the places. */
export const pickFlags = ({ surelyBeyond, maybeBeyond }: Judgement, vertices: ArrayLike<number>) => ({
  surelyBeyond: Uint8Array.from(vertices, (v) => surelyBeyond[v]),
  maybeBeyond: Uint8Array.from(vertices, (v) => maybeBeyond[v]),
});
