/** Signed deviation of a scan's surface from its reference at each vertex, in total and per group. */
import { movedPoints, turnedDirections } from '../alignment/pose.ts';
import type { SurfaceTree } from '../spatial/surface-tree.ts';
import { noTriangle } from '../spatial/surface-tree.ts';
import { type DeviationStatistics, deviationStatistics, type ToleranceMm } from './deviation-statistics.ts';
import type { Probe } from './probe.ts';

export interface Deviation {
  /** one per vertex of the scan; positive: the scan stands out of the reference (more material); NaN: no counterpart */
  deviationMm: Float32Array;
  /** the closest triangle of the reference, or `noTriangle`; one per vertex of the scan */
  closestTriangles: Uint32Array;
}

/**
 * Signed distance of each vertex of a surface to another one, considering only surface that faces the same way within
 * 90°: the back of a thin wall that has moved is compared with the back, although the front may be closer.
 * @param tree of the other surface
 * @param pose 16 numbers, row by row, from the surface's frame to the other's
 * @param maxDistanceMm beyond this there is no counterpart: NaN
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
  /** vertices of the scan that are closest to it */
  vertices: Uint32Array;
  /** distance of the worst measured point from the tolerance; 0 when all are within it */
  beyondToleranceMm: number;
}

/** Bins of a group's histogram; few, because there may be hundreds of groups. */
const groupBins = 24;

/**
 * Statistics of each group of the reference over the scan vertices closest to it; the group furthest out of tolerance
 * first. Groups without any measurement are left out.
 * @param groupOfTriangle group of each of the reference's triangles
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
