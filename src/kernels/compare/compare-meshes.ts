/** A scan's surface held against its reference: signed deviation at each vertex, in all and part by part. */
import { movedPoints, turnedDirections } from '../alignment/pose.ts';
import type { SurfaceTree } from '../spatial/surface-tree.ts';
import { noTriangle } from '../spatial/surface-tree.ts';
import { type DeviationStatistics, deviationStatistics, type ToleranceMm } from './deviation-statistics.ts';
import type { Probe } from './probe.ts';

export interface Deviation {
  /** 1 a vertex of the scan; positive: the scan stands out of the reference (more material); NaN: no counterpart */
  deviationMm: Float32Array;
  /** number of the reference's triangle that is closest; `noTriangle` without one; 1 a vertex of the scan */
  closestTriangles: Uint32Array;
}

/**
 * Signed distance of each vertex of a surface to another one, among what faces the same way within 90°: the back of a thin
 * wall that has moved is held against the back, though the front may lie closer.
 * @param tree of the other surface
 * @param pose 16 numbers, row by row, from the surface's frame to the other's
 * @param maxDistanceMm what is further away has no counterpart: NaN
 */
export async function measureDeviation(
  { positions, directions }: Pick<Probe, 'positions' | 'directions'>,
  tree: SurfaceTree,
  { pose, maxDistanceMm }: { pose: readonly number[]; maxDistanceMm: number },
): Promise<Deviation> {
  const { distancesMm, triangles } = await tree.distances({
    points: movedPoints(pose, positions),
    normals: turnedDirections(pose, directions),
    limitMm: maxDistanceMm,
  });
  return { deviationMm: distancesMm, closestTriangles: triangles };
}

export interface DeviationGroup extends DeviationStatistics {
  /** number of the group in the reference */
  group: number;
  /** of the scan: those that are closest to it */
  vertices: Uint32Array;
  /** how far the worst measured point is beyond the tolerance; 0 when all is within it */
  beyondToleranceMm: number;
}

/** Bins of a group's histogram: there may be hundreds of groups. */
const groupBins = 24;

/**
 * Statistics of each part of the reference over the vertices that are closest to it, the one furthest out of
 * tolerance first. Parts that nothing was measured on are left out.
 * @param groupOfTriangle number of each of the reference's triangles' part
 */
export function groupStatistics(
  { deviationMm, closestTriangles }: Deviation,
  areaMm2: Float32Array,
  groupOfTriangle: Uint32Array,
  tolerance: ToleranceMm,
): DeviationGroup[] {
  const starts = new Map<number, number>();
  for (const triangle of closestTriangles) {
    if (triangle === noTriangle) continue;
    const group = groupOfTriangle[triangle];
    starts.set(group, (starts.get(group) ?? 0) + 1);
  }
  const members = new Map(
    [...starts].map(([group, count]) => [group, { all: new Uint32Array(count), used: 0 }]),
  );
  closestTriangles.forEach((triangle, vertex) => {
    const list = triangle === noTriangle ? undefined : members.get(groupOfTriangle[triangle]);
    if (list) list.all[list.used++] = vertex;
  });
  const groups: DeviationGroup[] = [];
  for (const [group, { all }] of members) {
    const statistics = deviationStatistics(deviationMm, areaMm2, tolerance, all, groupBins);
    if (!statistics) continue;
    const { minMm, maxMm } = statistics;
    const beyondToleranceMm = Math.max(0, tolerance.lowerMm - minMm, maxMm - tolerance.upperMm);
    groups.push({ ...statistics, group, vertices: all, beyondToleranceMm });
  }
  return groups.sort(
    (a, b) =>
      b.beyondToleranceMm - a.beyondToleranceMm ||
      a.inToleranceShare - b.inToleranceShare ||
      a.group - b.group,
  );
}
