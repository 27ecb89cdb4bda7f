/** Intervals for the numbers of a comparison, from the uncertainty of the scan's surface and of the pose. */
import type { deviationMeasures } from '#contract/analyses/mesh-compare.ts';
import type { Uncertainty } from '#contract/metadata/uncertainty.ts';
import { invertPose, movedPoints } from '#kernels/alignment/pose.ts';
import type { BothWays, Comparison } from '#kernels/compare/both-ways.ts';
import {
  type DeviationErrors,
  findDeviationErrors,
  type SurfaceErrors,
} from '#kernels/compare/deviation-errors.ts';
import type { ToleranceMm } from '#kernels/compare/deviation-statistics.ts';
import {
  type Contributions,
  findDeviationContributions,
  findPlaceContributions,
  findShareContributions,
} from '#kernels/compare/deviation-uncertainty.ts';
import type { JudgedBothWays } from '#kernels/compare/judge-both-ways.ts';
import type { DeviantPlace } from '#kernels/compare/judge-deviation.ts';
import { findPointsIn } from '#kernels/compare/pick-triangles.ts';
import { findPoseModes } from '#kernels/compare/pose-uncertainty.ts';
import { surfaceDirections } from '#kernels/compare/probe.ts';
import type { BoxMm } from '#kernels/grid/region.ts';
import { findVertexCurvatures } from '#kernels/surface/surface-uncertainty.ts';
import { expand } from './expand-uncertainty.ts';

export interface ComparisonErrors {
  scan: DeviationErrors;
  reference: DeviationErrors;
}
type MeasurePath = (typeof deviationMeasures)[number]['path'];
export type Uncertainties = { [Path in MeasurePath]?: Uncertainty };

/** Smoothing rounds for the normals of the scan's surface. */
const rounds = 2;

/**
 * Errors of each scan vertex and each reference place, in one pose.
 * @param isFitted the pose was fitted to the two surfaces, which makes it uncertain
 */
export function findErrors(
  ways: BothWays,
  { places }: Pick<Comparison, 'places'>,
  matrix: readonly number[],
  surface: SurfaceErrors,
  { isFitted, region }: { isFitted: boolean; region: BoxMm | undefined },
): ComparisonErrors {
  const { mesh, vertices } = ways.scan;
  const directions = surfaceDirections(mesh, rounds);
  const { deviationMm } = ways.forward;
  const inside = region && findPointsIn(mesh.positions, region);
  const areaMm2 = inside ? ways.areaMm2.map((area, v) => area * (inside[v] ?? 0)) : ways.areaMm2;
  const pose = isFitted ? findPoseModes({ ...mesh, directions, deviationMm, areaMm2 }) : null;
  const placesMm = Float32Array.from(vertices, (v) => surface.placesMm[v] ?? Number.NaN);
  const own = findVertexCurvatures({ ...mesh, normals: listUnits(surfaceDirections(mesh, 0)) });
  const near = spreadMost(mesh.indices, spreadMost(mesh.indices, own));
  const back = invertPose(matrix);
  const there = { positions: movedPoints(back, places.mesh.positions), indices: places.mesh.indices };
  const facing = surfaceDirections({ ...there, positions: Float32Array.from(there.positions) }, 0);
  // A place on the reference is as uncertain as the worst corner of the triangle it is compared with.
  const findWorstCorner = (values: Float32Array, none: number) =>
    Float32Array.from(ways.backward.closestTriangles, (triangle) => {
      const corners = mesh.indices.subarray(3 * triangle, 3 * triangle + 3);
      return corners.length < 3 ? none : Math.max(...[...corners].map((v) => values[v] ?? none));
    });
  const beside = {
    placesMm: findWorstCorner(placesMm, Number.NaN),
    curvatures: { own: findWorstCorner(own, 0), near: findWorstCorner(near, 0) },
  };
  const onScan = { side: 'scan', placesMm, curvatures: { own, near }, ...mesh, directions } as const;
  const onReference = { side: 'reference', ...beside, ...there, directions: facing } as const;
  return {
    scan: findDeviationErrors(surface, onScan, pose),
    reference: findDeviationErrors(surface, onReference, pose),
  };
}

/** For each vertex the largest value among itself and its neighbours. */
function spreadMost(indices: Uint32Array, values: Float32Array): Float32Array {
  const most = values.slice();
  for (let t = 0; t < indices.length; t += 3) {
    const corners = [...indices.subarray(t, t + 3)];
    const least = Math.max(...corners.map((v) => values[v] ?? 0));
    for (const v of corners) most[v] = Math.max(most[v] ?? 0, least);
  }
  return most;
}

function listUnits(directions: Float32Array): Float32Array {
  const units = directions.slice();
  for (let i = 0; i < units.length; i += 3) {
    const length = Math.hypot(...units.subarray(i, i + 3)) || 1;
    for (let k = i; k < i + 3; k++) units[k] = (units[k] ?? 0) / length;
  }
  return units;
}

/** Expands (k = 2) the effect of each contribution; those without effect are omitted. */
function expandAll<Path extends MeasurePath>(
  all: { [P in Path]?: Contributions | undefined },
): Uncertainties {
  const uncertainties: Uncertainties = {};
  for (const path in all) {
    const contributions = all[path];
    if (!contributions) continue;
    const present = Object.entries<number>(contributions).filter(([, value]) => value > 0);
    uncertainties[path] = expand(Object.fromEntries(present));
  }
  return uncertainties;
}

/** Keyed by measure path. */
export function findUncertainties(
  ways: BothWays,
  judged: JudgedBothWays,
  errors: ComparisonErrors,
  tolerance: ToleranceMm,
  maxDistanceMm: number,
): Uncertainties {
  const { scan, reference } = judged;
  const forward = { deviationMm: ways.forward.deviationMm, areaMm2: ways.areaMm2, errors: errors.scan };
  const backward = { ...reference, errors: errors.reference };
  const referenceMm2 = reference.areaMm2.reduce((sum, area) => sum + area, 0);
  const ofScan = findDeviationContributions(forward, tolerance, scan.vertices);
  const ofReference = findDeviationContributions(backward, tolerance);
  const findExtreme = (path: 'minMm' | 'maxMm') => {
    const furthest = findFurthest(judged, path);
    return furthest?.side === 'reference'
      ? findPlaceContributions(errors.reference, furthest.worstVertex, referenceMm2)
      : ofScan[path];
  };
  const reach = { lowerMm: -maxDistanceMm, upperMm: maxDistanceMm };
  const far = ways.forward.deviationMm.map((value, v) =>
    Number.isNaN(value) ? (ways.farMm[v] ?? value) : value,
  );
  return expandAll({
    ...ofScan,
    minMm: findExtreme('minMm'),
    maxMm: findExtreme('maxMm'),
    ...(judged.backward && {
      'fromReference.minMm': ofReference.minMm ?? {},
      'fromReference.maxMm': ofReference.maxMm ?? {},
    }),
    coveredShare: findShareContributions(
      { ...backward, deviationMm: reference.answerMm },
      tolerance,
      referenceMm2,
    ),
    measuredShare: findShareContributions(
      { ...forward, deviationMm: far },
      reach,
      ways.areaMm2.reduce((sum, area) => sum + area, 0),
    ),
    regionCount: { limit: judged.openPlaces / 2 },
  });
}

/** For some vertices of the compared scan. */
export const findGroupUncertainties = (
  ways: BothWays,
  { scan }: JudgedBothWays,
  errors: ComparisonErrors,
  tolerance: ToleranceMm,
  vertices: Uint32Array,
): Uncertainties =>
  expandAll(
    findDeviationContributions(
      { deviationMm: ways.forward.deviationMm, areaMm2: ways.areaMm2, errors: errors.scan },
      tolerance,
      vertices.map((v) => scan.vertices[v] ?? 0),
    ),
  );

/** The place that holds the extreme, where that is beyond the tolerance and not one of the scan's own statistics. */
function findFurthest(
  { places, forward }: JudgedBothWays,
  path: 'minMm' | 'maxMm',
): DeviantPlace | undefined {
  const sign = path === 'minMm' ? -1 : 1;
  const own = forward ? sign * forward[path] : Number.NEGATIVE_INFINITY;
  return places
    .filter(({ worstMm }) => worstMm !== null && sign * worstMm > own)
    .sort((a, b) => sign * ((b.worstMm ?? 0) - (a.worstMm ?? 0)))[0];
}

/** What places of the scan may be off by, as a median (k = 2): what a single guard band says of all of them. */
export function typicalBandMm({ scan: { bandMm } }: ComparisonErrors): number {
  const sorted = Float32Array.from(bandMm.within).sort();
  return sorted[sorted.length >> 1] ?? 0;
}
