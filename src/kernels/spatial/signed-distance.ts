import type { TriangleBvh } from './bvh.ts';
import { closestPoint, findSide, noClosestPoint } from './closest-point.ts';
import { mortonOrder } from './morton.ts';

export interface SignedDistances {
  /** positive outside; NaN beyond the limit, or for a place that is no finite number; 1 a point */
  distancesMm: Float32Array;
  /** number in the mesh of the triangle that is closest; 0xffffffff without one; 1 a point */
  triangles: Uint32Array;
}

export const noTriangle = 0xffffffff;

/**
 * Signed distance of many points to a mesh, neighbours one after the other so that each answer bounds the next search.
 * The result of a point doesn't depend on the other points but for which of two equally close triangles is named.
 * @param points xyz in the mesh's frame, in mm; 3 · n
 * @param limitMm what is further away gets NaN
 * @param normals a direction for each point, 3 · n: only triangles that face it count, see facingCosine
 */
export function signedDistances(
  bvh: TriangleBvh,
  points: Float32Array | Float64Array,
  limitMm = Number.POSITIVE_INFINITY,
  normals?: Float32Array,
): SignedDistances {
  const count = points.length / 3;
  const distancesMm = new Float32Array(count).fill(Number.NaN);
  const triangles = new Uint32Array(count).fill(noTriangle);
  const found = noClosestPoint();
  const place = { x: 0, y: 0, z: 0 };
  const facing = normals && new Float64Array(3);
  let seed = -1;
  for (const i of mortonOrder(points)) {
    place.x = points[3 * i];
    place.y = points[3 * i + 1];
    place.z = points[3 * i + 2];
    if (normals && facing) for (let k = 0; k < 3; k++) facing[k] = normals[3 * i + k];
    found.slot = seed;
    closestPoint(bvh, place, found, limitMm * limitMm, facing);
    if (found.slot < 0) continue;
    seed = found.slot;
    distancesMm[i] =
      findSide(bvh, place.x, place.y, place.z, found, facing) * Math.sqrt(found.squaredDistance);
    triangles[i] = bvh.triangles[found.slot];
  }
  return { distancesMm, triangles };
}
