/** The closest point of a mesh and on which side of it a place lies. */

import { spanTriangle } from '../mesh/span-triangle.ts';
import { maximumDepth, type TriangleBvh } from './bvh.ts';

/** In the mesh's frame, in mm. */
export interface Place {
  x: number;
  y: number;
  z: number;
}

/** Reused from query to query: the slot of the last answer is tried first. */
export interface ClosestPoint {
  /** slot of the triangle in the tree; −1 = none within the limit */
  slot: number;
  x: number;
  y: number;
  z: number;
  squaredDistance: number;
  /** in the triangle's inside, so that its own normal says which side is which */
  onFace: boolean;
}

export const noClosestPoint = (): ClosestPoint => ({
  slot: -1,
  x: Number.NaN,
  y: Number.NaN,
  z: Number.NaN,
  squaredDistance: Number.POSITIVE_INFINITY,
  onFace: false,
});

/**
 * Cosine of the angle to a direction from which a triangle faces it: 78°. Nothing up to 90° answers for a surface beside it,
 * and the noise of a scan turns its directions by some degrees.
 */
export const facingCosine = 0.2;

const nodeStack = new Uint32Array(2 * maximumDepth);
const distanceStack = new Float64Array(2 * maximumDepth);
const touching = new Uint32Array(2 * maximumDepth);
/** What `toTriangle` found. */
const foot = { x: 0, y: 0, z: 0, onFace: false };

/**
 * Closest point of the triangle in a slot (Ericson 2005, “Real-Time Collision Detection”, 5.1.5), into `foot`.
 * @returns squared distance
 */
function toTriangle(corners: Float32Array, slot: number, px: number, py: number, pz: number): number {
  const at = 9 * slot;
  const ax = corners[at];
  const ay = corners[at + 1];
  const az = corners[at + 2];
  const abx = corners[at + 3] - ax;
  const aby = corners[at + 4] - ay;
  const abz = corners[at + 5] - az;
  const acx = corners[at + 6] - ax;
  const acy = corners[at + 7] - ay;
  const acz = corners[at + 8] - az;
  const apx = px - ax;
  const apy = py - ay;
  const apz = pz - az;
  const d1 = abx * apx + aby * apy + abz * apz;
  const d2 = acx * apx + acy * apy + acz * apz;
  // Weights of b and c.
  let v = 0;
  let w = 0;
  let onFace = false;
  if (d1 > 0 || d2 > 0) {
    const ab2 = abx * abx + aby * aby + abz * abz;
    const ac2 = acx * acx + acy * acy + acz * acz;
    const abac = abx * acx + aby * acy + abz * acz;
    const d3 = d1 - ab2;
    const d4 = d2 - abac;
    const d5 = d1 - abac;
    const d6 = d2 - ac2;
    const vc = d1 * d4 - d3 * d2;
    const vb = d5 * d2 - d1 * d6;
    const va = d3 * d6 - d5 * d4;
    if (d3 >= 0 && d4 <= d3) v = 1;
    else if (d6 >= 0 && d5 <= d6) w = 1;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0) v = d1 / (d1 - d3);
    else if (vb <= 0 && d2 >= 0 && d6 <= 0) w = d2 / (d2 - d6);
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
      w = (d4 - d3) / (d4 - d3 + (d5 - d6));
      v = 1 - w;
    } else {
      const sum = va + vb + vc;
      v = vb / sum;
      w = vc / sum;
      onFace = true;
    }
  }
  const ox = abx * v + acx * w;
  const oy = aby * v + acy * w;
  const oz = abz * v + acz * w;
  foot.x = ax + ox;
  foot.y = ay + oy;
  foot.z = az + oz;
  foot.onFace = onFace;
  const dx = apx - ox;
  const dy = apy - oy;
  const dz = apz - oz;
  return dx * dx + dy * dy + dz * dz;
}

/** Keeps the triangle in a slot as the closest when it is; the squared distance to whichever is then. */
function keepCloser(
  bvh: TriangleBvh,
  slot: number,
  { x, y, z }: Readonly<Place>,
  best: number,
  found: ClosestPoint,
  facing: Float64Array | undefined,
): number {
  const squared = toTriangle(bvh.corners, slot, x, y, z);
  if (!(squared < best || (found.slot < 0 && squared <= best))) return best;
  if (facing !== undefined) {
    slotNormal(bvh, slot, normal);
    const along = facing[0] * normal[0] + facing[1] * normal[1] + facing[2] * normal[2];
    if (!(along > facingCosine * Math.hypot(facing[0], facing[1], facing[2]))) return best;
  }
  found.slot = slot;
  found.x = foot.x;
  found.y = foot.y;
  found.z = foot.z;
  found.onFace = foot.onFace;
  found.squaredDistance = squared;
  return squared;
}

function toBox(bounds: Float32Array, node: number, px: number, py: number, pz: number): number {
  const at = 6 * node;
  let squared = 0;
  let d = bounds[at] - px;
  if (d > 0) squared = d * d;
  else {
    d = px - bounds[at + 3];
    if (d > 0) squared = d * d;
  }
  d = bounds[at + 1] - py;
  if (d > 0) squared += d * d;
  else {
    d = py - bounds[at + 4];
    if (d > 0) squared += d * d;
  }
  d = bounds[at + 2] - pz;
  if (d > 0) squared += d * d;
  else {
    d = pz - bounds[at + 5];
    if (d > 0) squared += d * d;
  }
  return squared;
}

/**
 * Closest point of the mesh to a place, in the mesh's frame, in mm. About a microsecond when `found` comes from a
 * neighbour: its slot gives the first bound.
 * @param found is overwritten; slot −1 when nothing is as close as the limit, or the place is no finite number
 * @param limitSquared squared distance beyond which nothing counts
 * @param facing a direction: only triangles that face it count, see facingCosine
 */
export function closestPoint(
  bvh: TriangleBvh,
  place: Readonly<Place>,
  found: ClosestPoint,
  limitSquared = Number.POSITIVE_INFINITY,
  facing?: Float64Array,
): void {
  const { bounds, links } = bvh;
  const { x, y, z } = place;
  const seed = found.slot;
  let best = limitSquared;
  found.slot = -1;
  found.squaredDistance = Number.POSITIVE_INFINITY;
  // Comparisons with NaN are all false: it would visit every box.
  if (!Number.isFinite(x + y + z)) return;
  if (seed >= 0) best = keepCloser(bvh, seed, place, best, found, facing);
  let depth = 1;
  nodeStack[0] = 0;
  distanceStack[0] = toBox(bounds, 0, x, y, z);
  while (depth > 0) {
    depth--;
    if (distanceStack[depth] > best) continue;
    let node = nodeStack[depth];
    let reached = true;
    while (links[2 * node + 1] === 0) {
      const left = links[2 * node];
      const leftSquared = toBox(bounds, left, x, y, z);
      const rightSquared = toBox(bounds, left + 1, x, y, z);
      const leftFirst = leftSquared <= rightSquared;
      const far = leftFirst ? rightSquared : leftSquared;
      if (far <= best) {
        nodeStack[depth] = leftFirst ? left + 1 : left;
        distanceStack[depth++] = far;
      }
      reached = (leftFirst ? leftSquared : rightSquared) <= best;
      if (!reached) break;
      node = leftFirst ? left : left + 1;
    }
    if (!reached) continue;
    const first = links[2 * node];
    const end = first + links[2 * node + 1];
    for (let slot = first; slot < end; slot++) {
      best = keepCloser(bvh, slot, place, best, found, facing);
    }
  }
}

/** Unit normal of the triangle in a slot, pointing out of the material. */
export function slotNormal(bvh: TriangleBvh, slot: number, normal: Float64Array): void {
  const { corners } = bvh;
  const at = 9 * slot;
  spanTriangle(corners, at, at + 3, at + 6, normal);
  const length = Math.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2);
  normal[0] /= length;
  normal[1] /= length;
  normal[2] /= length;
}

/** The triangle's angle as seen from a point on it: 2π inside, π on a side, the corner's angle at a corner. */
function angleAt(
  corners: Float32Array,
  slot: number,
  x: number,
  y: number,
  z: number,
  reach: number,
): number {
  const at = 9 * slot;
  for (let corner = 0; corner < 3; corner++) {
    const c = at + 3 * corner;
    const d2 = (corners[c] - x) ** 2 + (corners[c + 1] - y) ** 2 + (corners[c + 2] - z) ** 2;
    if (d2 > reach * reach) continue;
    const a = at + 3 * ((corner + 1) % 3);
    const b = at + 3 * ((corner + 2) % 3);
    const ux = corners[a] - corners[c];
    const uy = corners[a + 1] - corners[c + 1];
    const uz = corners[a + 2] - corners[c + 2];
    const vx = corners[b] - corners[c];
    const vy = corners[b + 1] - corners[c + 1];
    const vz = corners[b + 2] - corners[c + 2];
    const cross = Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx);
    return Math.atan2(cross, ux * vx + uy * vy + uz * vz);
  }
  for (let corner = 0; corner < 3; corner++) {
    const a = at + 3 * corner;
    const b = at + 3 * ((corner + 1) % 3);
    const ux = corners[b] - corners[a];
    const uy = corners[b + 1] - corners[a + 1];
    const uz = corners[b + 2] - corners[a + 2];
    const wx = x - corners[a];
    const wy = y - corners[a + 1];
    const wz = z - corners[a + 2];
    const cross = Math.hypot(uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx);
    if (cross <= reach * Math.hypot(ux, uy, uz)) return Math.PI;
  }
  return 2 * Math.PI;
}

const normal = new Float64Array(3);

/**
 * On which side of the mesh a place lies: 1 outside, −1 inside, 0 on it. Right everywhere on a closed mesh that doesn't
 * cut itself (Bærentzen & Aanæs 2005, doi:10.1109/TVCG.2005.49). The pseudonormal is summed over whatever triangles
 * meet at the closest point rather than over shared vertex numbers, so that triangle soups (STL) and sides beside
 * triangles without area, are right, too. Where only triangles that face a direction were asked for, another one that meets
 * them may come closer: then the place is on that one's side.
 * @param found the closest point to this very place
 * @param facing the direction that was asked for
 */
export function findSide(
  bvh: TriangleBvh,
  px: number,
  py: number,
  pz: number,
  found: ClosestPoint,
  facing?: Float64Array,
): number {
  const { x, y, z, squaredDistance } = found;
  const dx = px - x;
  const dy = py - y;
  const dz = pz - z;
  if (found.onFace) {
    slotNormal(bvh, found.slot, normal);
    return Math.sign(dx * normal[0] + dy * normal[1] + dz * normal[2]);
  }
  // Corners are float32: what is closer than this is the same place and only float64's rounding apart.
  const size = Math.max(bvh.extentMm, Math.abs(x), Math.abs(y), Math.abs(z));
  const reach = 1e-13 * size;
  const { bounds, links, corners } = bvh;
  const least = squaredDistance * (1 - 1e-9);
  let [closest, side] = [least, 0];
  let sum = 0;
  let depth = 1;
  touching[0] = 0;
  while (depth > 0) {
    const node = touching[--depth];
    if (toBox(bounds, node, x, y, z) > reach * reach) continue;
    const first = links[2 * node];
    const count = links[2 * node + 1];
    if (count === 0) {
      touching[depth++] = first + 1;
      touching[depth++] = first;
      continue;
    }
    for (let slot = first; slot < first + count; slot++) {
      if (toTriangle(corners, slot, x, y, z) > reach * reach) continue;
      slotNormal(bvh, slot, normal);
      const own = dx * normal[0] + dy * normal[1] + dz * normal[2];
      if (facing) {
        const squared = toTriangle(corners, slot, px, py, pz);
        // Two that meet at the place that is closest count as one.
        if (squared < closest * (1 - 1e-9)) [closest, side] = [squared, own];
        else if (squared < closest * (1 + 1e-9) && closest < least) side += own;
      }
      sum += angleAt(corners, slot, x, y, z, reach) * own;
    }
  }
  return Math.sign(closest < least && side !== 0 ? side : sum);
}
