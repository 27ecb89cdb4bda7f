/** Verdict on a scan from its deviations, measured in both directions. */
import { invertPose, movedPoints } from '../alignment/pose.ts';
import type { BoxMm } from '../grid/region.ts';
import { KernelError } from '../kernel-error.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import type { BothWays, Comparison } from './both-ways.ts';
import { type DeviationStatistics, deviationStatistics, type ToleranceMm } from './deviation-statistics.ts';
import {
  byDistance,
  type DeviantPlace,
  findVerdict,
  type GuardBandsMm,
  type JudgedSurface,
  type Judgement,
  judgeSurface,
  type Verdict,
} from './judge-deviation.ts';
import { findPointsIn, pickTriangles } from './pick-triangles.ts';
import { flagCountedPlaces, placeStates } from './reference-places.ts';

export interface JudgeLimits {
  tolerance: ToleranceMm;
  /** uncertainty by which the tolerance is widened to fail and narrowed to pass */
  guardBandMm: number;
  /** smaller patches beyond the tolerance are noise */
  smallestAreaMm2: number;
  /** only this box of the scan's frame is judged */
  region?: BoxMm | undefined;
  /** guard bands of each vertex of the scan and each place on the reference, instead of the single guard band */
  bandsMm?: { scan: GuardBandsMm; reference: GuardBandsMm } | undefined;
}

export interface JudgedBothWays {
  /**
   * the scan's surface in the region, with its deviation from the reference, and the original numbers of its vertices
   */
  scan: JudgedSurface & { closestTriangles: Uint32Array; vertices: Uint32Array; judgement: Judgement };
  /** places on the reference */
  reference: JudgedSurface & { answerMm: Float32Array; states: Uint8Array; judgement: Judgement };
  /** scan → reference, and reference → scan; null when nothing was measured */
  forward: DeviationStatistics | null;
  backward: DeviationStatistics | null;
  /** on both surfaces, the one furthest out first */
  places: DeviantPlace[];
  /** share of the scan's surface with a counterpart within the search distance */
  measuredShare: number;
  /** share of the reference's surface with the scan within the tolerance */
  coveredShare: number;
  /** share of the reference's surface with the scan within the search distance */
  foundShare: number;
  notFoundAreaMm2: { scan: number; reference: number };
  notScannedAreaMm2: number;
  /** by how much the number of places is uncertain because of the guard band */
  openPlaces: number;
  verdict: Verdict;
}

/**
 * @param pose scan → reference
 * @throws KernelError EMPTY_REGION
 */
export function judgeBothWays(
  ways: BothWays,
  { places, placesAreaMm2 }: Pick<Comparison, 'places' | 'placesAreaMm2'>,
  pose: readonly number[],
  { tolerance, guardBandMm, smallestAreaMm2, region, bandsMm }: JudgeLimits,
): JudgedBothWays {
  const scan = pickScan(ways, region, bandsMm?.scan);
  const inPlace = {
    positions: movedPoints(invertPose(pose), places.mesh.positions),
    indices: places.mesh.indices,
  };
  const { backward } = ways;
  const inRegion = region && findPointsIn(inPlace.positions, region);
  const isCounted = flagCountedPlaces(backward);
  const areaMm2 = placesAreaMm2.slice();
  for (let p = 0; p < areaMm2.length; p++) {
    if (inRegion?.[p] !== 0 && backward.states[p] !== placeStates.hidden) continue;
    areaMm2[p] = isCounted[p] = 0;
  }
  const bandMm = bandsMm?.reference;
  const reference = { side: 'reference' as const, ...inPlace, ...backward, areaMm2, isCounted, bandMm };
  const onScan = judgeSurface(scan, tolerance, guardBandMm, smallestAreaMm2);
  const onReference = judgeSurface(reference, tolerance, guardBandMm, smallestAreaMm2);
  const areaWhere = (area: Float32Array, isMeant: (i: number) => boolean) =>
    area.reduce((sum, each, i) => (isMeant(i) ? sum + each : sum), 0);
  const scanArea = areaWhere(scan.areaMm2, () => true);
  const referenceArea = areaWhere(areaMm2, () => true);
  const isState = (state: number) => (p: number) => backward.states[p] === state;
  const notScanned = areaWhere(areaMm2, isState(placeStates.notScanned));
  const notFound = {
    scan: areaWhere(scan.areaMm2, (v) => Number.isNaN(scan.deviationMm[v])),
    reference: areaWhere(areaMm2, isState(placeStates.notFound)),
  };
  const [lower, upper] = [Math.fround(tolerance.lowerMm), Math.fround(tolerance.upperMm)];
  const covered = areaWhere(areaMm2, (p) => backward.answerMm[p] >= lower && backward.answerMm[p] <= upper);
  return {
    scan: { ...scan, judgement: onScan },
    reference: { ...reference, judgement: onReference },
    forward: deviationStatistics(scan.deviationMm, scan.areaMm2, tolerance),
    backward: deviationStatistics(backward.deviationMm, areaMm2, tolerance),
    places: [...onScan.places, ...onReference.places].sort(byDistance(tolerance)),
    measuredShare: share(scanArea - notFound.scan, scanArea),
    coveredShare: share(covered, referenceArea),
    foundShare: share(referenceArea - notFound.reference - notScanned, referenceArea),
    notFoundAreaMm2: notFound,
    notScannedAreaMm2: notScanned,
    openPlaces: onScan.openPlaces + onReference.openPlaces,
    verdict: findVerdict([onScan, onReference], notScanned === 0),
  };
}

const share = (part: number, whole: number) => (whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0);

/** @throws KernelError EMPTY_REGION */
function pickScan(
  { scan, forward, farMm, areaMm2, isCounted }: BothWays,
  region: BoxMm | undefined,
  bandMm: GuardBandsMm | undefined,
) {
  const { deviationMm, closestTriangles } = forward;
  const whole = Uint32Array.from(deviationMm, (_, v) => v);
  const all = {
    ...{
      side: 'scan' as const,
      ...scan.mesh,
      areaMm2,
      deviationMm,
      closestTriangles,
      farMm,
      isCounted,
      bandMm,
    },
    vertices: whole,
  };
  if (!region) return all;
  const inside = findPointsIn(scan.mesh.positions, region);
  const { mesh, vertices } = pickTriangles(scan.mesh, (a, b, c) => inside[a] + inside[b] + inside[c] === 3);
  if (vertices.length === 0)
    throw new KernelError('EMPTY_REGION', 'No part of the scan’s surface lies in the region.');
  const pick = (values: ArrayLike<number>) => Float32Array.from(vertices, (v) => values[v]);
  return {
    ...all,
    vertices,
    bandMm: bandMm && { beyond: pick(bandMm.beyond), within: pick(bandMm.within) },
    ...mesh,
    areaMm2: pick(areaMm2),
    deviationMm: pick(deviationMm),
    closestTriangles: vertices.map((v) => closestTriangles[v]),
    farMm: pick(farMm),
    isCounted: isCounted && Uint8Array.from(vertices, (v) => isCounted[v]),
  };
}

/**
 * The parts of the reference that are missing, or hidden in surplus material, as a surface in the scan's frame with
 * `deviationMm`; null when there are none.
 */
export function missingSurface({ reference }: JudgedBothWays, tolerance: ToleranceMm): TriangleMesh | null {
  const { positions, indices, deviationMm, farMm, isCounted, areaMm2 } = reference;
  const value = deviationMm.map((deviation, p) => (Number.isNaN(deviation) ? farMm[p] : deviation));
  const isOut = (p: number) =>
    isCounted?.[p] === 1 &&
    areaMm2[p] > 0 &&
    !(value[p] >= tolerance.lowerMm && value[p] <= tolerance.upperMm);
  const mesh = { positions: Float32Array.from(positions), indices };
  const part = pickTriangles(mesh, (a, b, c) => isOut(a) || isOut(b) || isOut(c));
  if (part.vertices.length === 0) return null;
  return { ...part.mesh, scalars: { deviationMm: Float32Array.from(part.vertices, (v) => value[v]) } };
}
