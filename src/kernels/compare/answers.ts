/**
 * Correspondence between places of two surfaces, and distances of places without one.
 *
 * Each place is compared with the closest place of the other surface that faces the same way. On matching surfaces, the
 * deviation measured from there confirms it ("answers"). At the end of a part that is too short it does not: the wall
 * beside it is where it should be, and says nothing about how much is missing.
 */
import { movedPoints, turnedDirections } from '../alignment/pose.ts';
import type { SurfaceTree } from '../spatial/surface-tree.ts';
import { noTriangle } from '../spatial/surface-tree.ts';
import type { Deviation } from './compare-meshes.ts';
import type { Probe } from './probe.ts';

/**
 * For each place the deviation that the closest place on the other surface has from its side, when the two are about
 * the same; otherwise NaN. O(places).
 * @param own NaN = nothing faces the place
 * @param others the other surface's triangles, and the deviations of their vertices, with the same sign
 * @param sameMm deviations that differ by less count as the same
 */
export function findAnswers(
  { deviationMm, closestTriangles }: Deviation,
  others: { indices: Uint32Array; deviationMm: Float32Array },
  sameMm: number,
): Float32Array {
  const answerMm = new Float32Array(deviationMm.length).fill(Number.NaN);
  for (let p = 0; p < answerMm.length; p++) {
    const triangle = closestTriangles[p];
    if (triangle === noTriangle) continue;
    const own = deviationMm[p];
    let nearest = Number.NaN;
    let lowest = 0;
    let highest = 0;
    for (let corner = 3 * triangle; corner < 3 * triangle + 3; corner++) {
      const other = others.deviationMm[others.indices[corner]];
      if (other < lowest) lowest = other;
      if (other > highest) highest = other;
      if (!(Math.abs(other - own) >= Math.abs(nearest - own))) nearest = other;
    }
    if (own >= lowest - sameMm && own <= highest + sameMm) answerMm[p] = nearest;
  }
  return answerMm;
}

export interface FarPlaces {
  /** distance from the other surface of each requested place, negative within its material */
  distanceMm: Float32Array;
  /** the triangle that it is measured to */
  triangles: Uint32Array;
}

/**
 * Unlimited distance from the other surface for places without an answer. Outside of its material this is the distance
 * to whatever is closest: a pin stands out by its height, although nothing near it faces the way its sides do. Within
 * the material it is the distance to the closest surface facing the same way, or, if closer, to the opposite side of
 * the place's own surface. The end of a part that is too short lies closer to the sides of the nominal part, but its
 * deviation is the distance to the nominal end; a bore that the other part lacks counts with its width.
 * @param own tree of the places' own surface
 * @param pose from the places' frame to the tree's
 */
export async function measureFar(
  { positions, directions }: Pick<Probe, 'positions' | 'directions'>,
  places: readonly number[],
  tree: SurfaceTree,
  own: SurfaceTree,
  pose: readonly number[],
): Promise<FarPlaces> {
  const pick = (values: Float32Array, of: readonly number[]) => {
    const picked = new Float32Array(3 * of.length);
    for (let i = 0; i < of.length; i++) {
      for (let k = 0; k < 3; k++) picked[3 * i + k] = values[3 * of[i] + k];
    }
    return picked;
  };
  const limitMm = Number.POSITIVE_INFINITY;
  const { distancesMm, triangles } = await tree.distances({
    points: movedPoints(pose, pick(positions, places)),
    limitMm,
  });
  const inside: number[] = [];
  for (let i = 0; i < places.length; i++) if (!(distancesMm[i] > 0)) inside.push(i);
  const within = inside.map((i) => places[i]);
  const facing = await tree.distances({
    points: movedPoints(pose, pick(positions, within)),
    normals: turnedDirections(pose, pick(directions, within)),
    limitMm,
  });
  const opposite = await own.distances({
    points: Float64Array.from(pick(positions, within)),
    normals: pick(directions, within).map((value) => -value),
    limitMm,
  });
  inside.forEach((i, k) => {
    if (facing.triangles[k] === noTriangle) return;
    // Only what lies in front of it; behind it is the other side of its own material.
    const gapMm = opposite.distancesMm[k] > 0 ? opposite.distancesMm[k] : limitMm;
    distancesMm[i] = -Math.min(Math.abs(facing.distancesMm[k]), gapMm);
    triangles[i] = facing.triangles[k];
  });
  return { distanceMm: distancesMm, triangles };
}
