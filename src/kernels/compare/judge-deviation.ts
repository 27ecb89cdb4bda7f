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
  /** of each vertex, in the place of the one guard band */
  bandMm?: GuardBandsMm | undefined;
}

/** By how much a deviation has to lie beyond a limit to be surely beyond it, and within it to be within. */
export interface GuardBandsMm {
  beyond: ArrayLike<number>;
  within: ArrayLike<number>;
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
  /** and at which vertex */
  worstVertex: number;
  /** what that deviation may be off by (k = 2); null where the guard band is one for all places */
  uncertaintyMm: number | null;
  /** some of it is beyond the tolerance even with the guard band in its favour */
  isSure: boolean;
}

export interface Judgement {
  /** 1 for each vertex that is beyond the tolerance even with the guard band in its favour */
  surelyBeyond: Uint8Array;
  /** 1 for each vertex that is not within the tolerance once the guard band is taken off it, or that was not found */
  maybeBeyond: Uint8Array;
  /** beyond the tolerance itself, or not found; the one furthest out first */
  places: DeviantPlace[];
  /** by how many there might be more or fewer of them, for all that the guard band leaves open */
  openPlaces: number;
}

/** What a vertex is: within the limits, below or above them, or nothing that could be said to be either. */
const [within, below, above, unknown] = [0, 1, 2, 3];

/**
 * @param widerBy width by which the limits of a vertex are moved apart
 * @param isNarrowed what was not found is not within the limits, whatever they are; nor is anything where none are left
 */
function kindsAt(
  { deviationMm, farMm, hasSay }: JudgedSurface,
  { lowerMm, upperMm }: ToleranceMm,
  widerBy: (v: number) => number,
  isNarrowed: boolean,
): Uint8Array {
  const kinds = new Uint8Array(deviationMm.length);
  for (let v = 0; v < kinds.length; v++) {
    if (hasSay?.[v] === 0) continue;
    const value = deviationMm[v];
    const wider = widerBy(v);
    // Rounded as the deviations are: a deviation of a limit itself is within it.
    const [lower, upper] = [Math.fround(lowerMm - wider), Math.fround(upperMm + wider)];
    if (wider < 0 && lower >= upper) kinds[v] = unknown;
    else if (value > upper) kinds[v] = above;
    else if (value < lower) kinds[v] = below;
    else if (isNarrowed && Number.isNaN(value))
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

const listFlags = (patchOf: Int32Array) => Uint8Array.from(patchOf, (patch) => (patch < 0 ? 0 : 1));

/**
 * O(vertices + triangles).
 * @param guardBandMm uncertainty by which the tolerance is widened to fail and narrowed to pass, where vertices have none
 *   of their own
 * @param smallestAreaMm2 smaller patches don't count
 */
export function judgeSurface(
  surface: JudgedSurface,
  tolerance: ToleranceMm,
  guardBandMm: number,
  smallestAreaMm2: number,
): Judgement {
  const { bandMm } = surface;
  const patchesAt = (widerBy: (v: number) => number, isNarrowed: boolean) =>
    findPatches(surface, kindsAt(surface, tolerance, widerBy, isNarrowed), smallestAreaMm2);
  const beyond = patchesAt((v) => bandMm?.beyond[v] ?? guardBandMm, false);
  const maybe = patchesAt((v) => -(bandMm?.within[v] ?? guardBandMm), true);
  const surelyBeyond = listFlags(beyond);
  const places = describePlaces(
    surface,
    patchesAt(() => 0, true),
    tolerance,
    surelyBeyond,
  );
  const open = [beyond, maybe].map((patchOf) => Math.abs(countPatches(patchOf) - places.length));
  return { surelyBeyond, maybeBeyond: listFlags(maybe), places, openPlaces: Math.max(...open) };
}

const countPatches = (patchOf: Int32Array) => patchOf.reduce((most, patch) => Math.max(most, patch), -1) + 1;

function describePlaces(
  surface: JudgedSurface,
  patchOf: Int32Array,
  { lowerMm, upperMm }: ToleranceMm,
  surelyBeyond: Uint8Array,
): DeviantPlace[] {
  const { side, positions, areaMm2, deviationMm, farMm, bandMm } = surface;
  const valueAt = (v: number) => (Number.isNaN(deviationMm[v]) ? farMm[v] : deviationMm[v]);
  const beyondMm = (v: number) => Math.max(valueAt(v) - upperMm, lowerMm - valueAt(v));
  const found = new Map<
    number,
    { areaMm2: number; notFoundAreaMm2: number; worst: number; isSure: boolean }
  >();
  for (let v = 0; v < patchOf.length; v++) {
    if (patchOf[v] < 0) continue;
    const patch = found.get(patchOf[v]) ?? { areaMm2: 0, notFoundAreaMm2: 0, worst: v, isSure: false };
    found.set(patchOf[v], patch);
    patch.areaMm2 += areaMm2[v];
    if (Number.isNaN(deviationMm[v])) patch.notFoundAreaMm2 += areaMm2[v];
    if (surelyBeyond[v] === 1) patch.isSure = true;
    if (beyondMm(v) > beyondMm(patch.worst)) patch.worst = v;
  }
  return [...found.values()]
    .map(({ worst, ...facts }) => ({
      side,
      ...facts,
      worstMm: Number.isNaN(valueAt(worst)) ? null : valueAt(worst),
      worstPointMm: [...positions.subarray(3 * worst, 3 * worst + 3)] as Vector3,
      worstVertex: worst,
      uncertaintyMm: bandMm?.beyond[worst] ?? null,
    }))
    .sort(byDistance({ lowerMm, upperMm }));
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
export function findVerdict(
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
