/**
 * From deviations to a verdict, with the guard band of ISO 14253-1: surely within, surely beyond, or neither.
 *
 * A single vertex is no evidence, because noise moves each by a tenth of a voxel and more. What counts is a connected
 * patch of the surface beyond a limit, with an area that the scan can resolve.
 */
import type { Vector3 } from '../grid/volume.ts';
import { DisjointSets } from '../mesh/disjoint-sets.ts';
import type { ToleranceMm } from './deviation-statistics.ts';

export type Verdict = 'pass' | 'fail' | 'indeterminate';

/** One of the two surfaces, with the measurement at each of its vertices. */
export interface JudgedSurface {
  side: 'scan' | 'reference';
  /** in the scan's frame */
  positions: Float32Array | Float64Array;
  indices: Uint32Array;
  areaMm2: Float32Array;
  /** within the search distance; NaN: no counterpart found */
  deviationMm: Float32Array;
  /** distance of places without a counterpart, when known; otherwise NaN */
  farMm: Float32Array;
  /** 0 for each vertex that does not count: the other surface already covers it, or the scan does not show it */
  isCounted?: Uint8Array | undefined;
  /** guard bands of each vertex, instead of the single guard band */
  bandMm?: GuardBandsMm | undefined;
}

/** How far a deviation must exceed a limit to be surely beyond it, or fall short of it to be surely within. */
export interface GuardBandsMm {
  beyond: ArrayLike<number>;
  within: ArrayLike<number>;
}

/** A place that is beyond the tolerance or has no counterpart on the other surface. */
export interface DeviantPlace {
  side: JudgedSurface['side'];
  areaMm2: number;
  /** the part of it without a counterpart within the search distance */
  notFoundAreaMm2: number;
  /** the deviation furthest out, signed; null when nothing of the other surface faces the place at all */
  worstMm: number | null;
  /** where that is, in the scan's frame */
  worstPointMm: Vector3;
  /** the vertex there */
  worstVertex: number;
  /** uncertainty of that deviation (k = 2); null when there is a single guard band for all places */
  uncertaintyMm: number | null;
  /** some of it is beyond the tolerance even with the guard band in its favour */
  isSure: boolean;
}

export interface Judgement {
  /** 1 for each vertex that is beyond the tolerance even with the guard band in its favour */
  surelyBeyond: Uint8Array;
  /** 1 for each vertex that is not within the tolerance narrowed by the guard band, or was not found */
  maybeBeyond: Uint8Array;
  /** beyond the tolerance itself, or not found; the one furthest out first */
  places: DeviantPlace[];
  /** by how much their number is uncertain because of the guard band */
  openPlaces: number;
}

/** Classes of a vertex: within the limits, below or above them, or unknown. */
const [within, below, above, unknown] = [0, 1, 2, 3];

/**
 * @param widerBy width by which the limits of a vertex are moved apart
 * @param isNarrowed then places not found are never within the limits, and no place is when no interval is left
 */
function kindsAt(
  { deviationMm, farMm, isCounted }: JudgedSurface,
  { lowerMm, upperMm }: ToleranceMm,
  widerBy: (v: number) => number,
  isNarrowed: boolean,
): Uint8Array {
  const kinds = new Uint8Array(deviationMm.length);
  for (let v = 0; v < kinds.length; v++) {
    if (isCounted?.[v] === 0) continue;
    const value = deviationMm[v];
    const wider = widerBy(v);
    // Rounded like the deviations, so that a deviation equal to a limit is within it.
    const [lower, upper] = [Math.fround(lowerMm - wider), Math.fround(upperMm + wider)];
    if (wider < 0 && lower >= upper) kinds[v] = unknown;
    else if (value > upper) kinds[v] = above;
    else if (value < lower) kinds[v] = below;
    else if (isNarrowed && Number.isNaN(value))
      kinds[v] = farMm[v] > 0 ? above : farMm[v] < 0 ? below : unknown;
  }
  return kinds;
}

/** Connected patches of vertices of one class outside of the limits: patch of each vertex, −1 = none. */
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
 * Judges one surface. O(vertices + triangles).
 * @param guardBandMm uncertainty by which the tolerance is widened to fail and narrowed to pass, unless vertices have
 * their own
 * @param smallestAreaMm2 smaller patches do not count
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

/** Sorts the place furthest out of tolerance first; places without a known deviation last, the largest first. */
export function byDistance(tolerance: ToleranceMm): (a: DeviantPlace, b: DeviantPlace) => number {
  const beyondMm = ({ worstMm }: DeviantPlace) =>
    worstMm === null ? 0 : Math.max(worstMm - tolerance.upperMm, tolerance.lowerMm - worstMm);
  return (a, b) => beyondMm(b) - beyondMm(a) || b.areaMm2 - a.areaMm2;
}

/**
 * The verdict on all vertices, or on some.
 * @param isComplete the scan shows everything that is judged
 */
export function findVerdict(
  judgements: readonly Pick<Judgement, 'surelyBeyond' | 'maybeBeyond'>[],
  isComplete: boolean,
): Verdict {
  if (judgements.some(({ surelyBeyond }) => surelyBeyond.includes(1))) return 'fail';
  if (!isComplete || judgements.some(({ maybeBeyond }) => maybeBeyond.includes(1))) return 'indeterminate';
  return 'pass';
}

/** The flags of some of the vertices. */
export const pickFlags = ({ surelyBeyond, maybeBeyond }: Judgement, vertices: ArrayLike<number>) => ({
  surelyBeyond: Uint8Array.from(vertices, (v) => surelyBeyond[v]),
  maybeBeyond: Uint8Array.from(vertices, (v) => maybeBeyond[v]),
});
