// Nearest point of a mesh to a place, and the side of the mesh on which the place is, using the tree of tree.ts.
import { isLeaf } from './tree';
import { Tree } from './layouts';

// Closest point on the last triangle tested, and whether it is in the triangle's interior.
let footX: f64 = 0;
let footY: f64 = 0;
let footZ: f64 = 0;
let onFace: bool = false;

/**
 * Closest point of a slot's triangle (Ericson 2005, “Real-Time Collision Detection”, 5.1.5); returns the squared
 * distance.
 */
function toTriangle(corners: usize, slot: u32, px: f64, py: f64, pz: f64): f64 {
  const at = corners + <usize>slot * 36;
  const ax = <f64>load<f32>(at), ay = <f64>load<f32>(at, 4), az = <f64>load<f32>(at, 8);
  const abx = <f64>load<f32>(at, 12) - ax, aby = <f64>load<f32>(at, 16) - ay, abz = <f64>load<f32>(at, 20) - az;
  const acx = <f64>load<f32>(at, 24) - ax, acy = <f64>load<f32>(at, 28) - ay, acz = <f64>load<f32>(at, 32) - az;
  const apx = px - ax, apy = py - ay, apz = pz - az;
  const d1 = abx * apx + aby * apy + abz * apz;
  const d2 = acx * apx + acy * apy + acz * apz;
  let v: f64 = 0, w: f64 = 0;
  onFace = false;
  if (d1 > 0 || d2 > 0) {
    const ab2 = abx * abx + aby * aby + abz * abz;
    const ac2 = acx * acx + acy * acy + acz * acz;
    const abac = abx * acx + aby * acy + abz * acz;
    const d3 = d1 - ab2, d4 = d2 - abac, d5 = d1 - abac, d6 = d2 - ac2;
    const vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
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
  const ox = abx * v + acx * w, oy = aby * v + acy * w, oz = abz * v + acz * w;
  footX = ax + ox;
  footY = ay + oy;
  footZ = az + oz;
  const dx = apx - ox, dy = apy - oy, dz = apz - oz;
  return dx * dx + dy * dy + dz * dz;
}

@inline
function dot3(ax: v128, ay: v128, az: v128, bx: v128, by: v128, bz: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(ax, bx), f32x4.mul(ay, by)), f32x4.mul(az, bz));
}

/** Squared distances from the origin to four segments from a along e. */
@inline
function toSegment(ax: v128, ay: v128, az: v128, ex: v128, ey: v128, ez: v128): v128 {
  const along = f32x4.neg(dot3(ax, ay, az, ex, ey, ez));
  // A segment of length 0 gives 0 / 0: the nearer end is used then.
  const t = f32x4.pmin(f32x4.splat(1), f32x4.pmax(f32x4.splat(0), f32x4.div(along, dot3(ex, ey, ez, ex, ey, ez))));
  const x = f32x4.add(ax, f32x4.mul(ex, t)), y = f32x4.add(ay, f32x4.mul(ey, t)), z = f32x4.add(az, f32x4.mul(ez, t));
  return dot3(x, y, z, x, y, z);
}

// The direction that triangles must face, each component in all four lanes; all 0: any direction.
let facingX: v128 = f32x4(0, 0, 0, 0);
let facingY: v128 = f32x4(0, 0, 0, 0);
let facingZ: v128 = f32x4(0, 0, 0, 0);
/** Tolerance, as a cosine, for float32 errors in the direction of a triangle. */
const facingSlack: f32 = 0.001;
/** Minimum cosine at which a triangle counts as facing the direction. */
let facingCosine: f64 = 0;

/**
 * Approximate squared distances of the triangles of a pack that may be within `limit` and face the requested direction;
 * the others return more than `limit`.
 */
function toPack(pack: usize, px: v128, py: v128, pz: v128, limit: v128): v128 {
  const ax = f32x4.sub(v128.load(pack), px), ay = f32x4.sub(v128.load(pack, 16), py), az = f32x4.sub(v128.load(pack, 32), pz);
  const bx = f32x4.sub(v128.load(pack, 48), px), by = f32x4.sub(v128.load(pack, 64), py), bz = f32x4.sub(v128.load(pack, 80), pz);
  const cx = f32x4.sub(v128.load(pack, 96), px), cy = f32x4.sub(v128.load(pack, 112), py), cz = f32x4.sub(v128.load(pack, 128), pz);
  const ux = f32x4.sub(bx, ax), uy = f32x4.sub(by, ay), uz = f32x4.sub(bz, az);
  const vx = f32x4.sub(cx, ax), vy = f32x4.sub(cy, ay), vz = f32x4.sub(cz, az);
  const nx = f32x4.sub(f32x4.mul(uy, vz), f32x4.mul(uz, vy));
  const ny = f32x4.sub(f32x4.mul(uz, vx), f32x4.mul(ux, vz));
  const nz = f32x4.sub(f32x4.mul(ux, vy), f32x4.mul(uy, vx));
  const length = f32x4.sqrt(dot3(nx, ny, nz, nx, ny, nz));
  const height = f32x4.div(dot3(ax, ay, az, nx, ny, nz), length);
  const away = f32x4.lt(dot3(nx, ny, nz, facingX, facingY, facingZ), f32x4.mul(f32x4.splat(<f32>facingCosine - facingSlack), length));
  const plane = v128.bitselect(f32x4.splat(Infinity), f32x4.mul(height, height), away);
  // NaN, for a triangle that is a line in float32, does not count as beyond.
  if (i32x4.all_true(f32x4.gt(plane, limit))) return plane;
  const wx = f32x4.sub(cx, bx), wy = f32x4.sub(cy, by), wz = f32x4.sub(cz, bz);
  // n · (edge × corner) ≥ 0 for all three: the projection of the origin is inside.
  const s0 = dot3(nx, ny, nz, f32x4.sub(f32x4.mul(ay, uz), f32x4.mul(az, uy)), f32x4.sub(f32x4.mul(az, ux), f32x4.mul(ax, uz)), f32x4.sub(f32x4.mul(ax, uy), f32x4.mul(ay, ux)));
  const s1 = dot3(nx, ny, nz, f32x4.sub(f32x4.mul(by, wz), f32x4.mul(bz, wy)), f32x4.sub(f32x4.mul(bz, wx), f32x4.mul(bx, wz)), f32x4.sub(f32x4.mul(bx, wy), f32x4.mul(by, wx)));
  const s2 = dot3(nx, ny, nz, f32x4.sub(f32x4.mul(az, vy), f32x4.mul(ay, vz)), f32x4.sub(f32x4.mul(ax, vz), f32x4.mul(az, vx)), f32x4.sub(f32x4.mul(ay, vx), f32x4.mul(ax, vy)));
  const inside = v128.or(away, f32x4.ge(f32x4.pmin(s0, f32x4.pmin(s1, s2)), f32x4.splat(0)));
  if (i32x4.all_true(inside)) return plane;
  const edges = f32x4.pmin(toSegment(ax, ay, az, ux, uy, uz), f32x4.pmin(toSegment(bx, by, bz, wx, wy, wz), toSegment(ax, ay, az, vx, vy, vz)));
  return v128.bitselect(plane, edges, inside);
}

/**
 * Upper bound of the float32 distance at which a box or triangle is still tested: `slack` (mm) covers the rounding of
 * places. Never infinite, because the distances of missing children are.
 */
@inline
function seeming(squared: f64, slack: f64): v128 {
  const distance = sqrt(squared) * 1.00002 + slack;
  return f32x4.splat(min<f32>(<f32>(distance * distance), f32.MAX_VALUE));
}

/** Squared distances of a place from the boxes of a node of four. */
@inline
function toBoxes(node: usize, px: v128, py: v128, pz: v128): v128 {
  const zero = f32x4.splat(0);
  const x = f32x4.pmax(zero, f32x4.pmax(f32x4.sub(v128.load(node), px), f32x4.sub(px, v128.load(node, 48))));
  const y = f32x4.pmax(zero, f32x4.pmax(f32x4.sub(v128.load(node, 16), py), f32x4.sub(py, v128.load(node, 64))));
  const z = f32x4.pmax(zero, f32x4.pmax(f32x4.sub(v128.load(node, 32), pz), f32x4.sub(pz, v128.load(node, 80))));
  return dot3(x, y, z, x, y, z);
}

// Absolute components of the requested direction, and the shifts that select, by its signs, the bounds of the normals.
let amountX: v128 = f32x4(0, 0, 0, 0);
let amountY: v128 = f32x4(0, 0, 0, 0);
let amountZ: v128 = f32x4(0, 0, 0, 0);
let shiftX: i32 = 0;
let shiftY: i32 = 0;
let shiftZ: i32 = 0;

function setFacing(qx: f64, qy: f64, qz: f64): void {
  facingX = f32x4.splat(<f32>qx); facingY = f32x4.splat(<f32>qy); facingZ = f32x4.splat(<f32>qz);
  amountX = f32x4.abs(facingX); amountY = f32x4.abs(facingY); amountZ = f32x4.abs(facingZ);
  shiftX = qx < 0 ? 12 : 27; shiftY = qy < 0 ? 7 : 22; shiftZ = qz < 0 ? 2 : 17;
}

@inline
function unpackBound(packed: v128, shift: i32): v128 {
  return f32x4.convert_i32x4_s(i32x4.shr_s(i32x4.shl(packed, shift), 27));
}

/** Which children of a node of four may contain triangles that face the requested direction, one bit each. */
function facingChildren(node: usize): i32 {
  const packed = v128.load(node, 112);
  const most = dot3(unpackBound(packed, shiftX), unpackBound(packed, shiftY), unpackBound(packed, shiftZ), amountX, amountY, amountZ);
  return i32x4.bitmask(f32x4.gt(most, f32x4.splat(15 * (<f32>facingCosine - facingSlack))));
}

// Normal of the last slot passed to slotNormal.
let normalX: f64 = 0;
let normalY: f64 = 0;
let normalZ: f64 = 0;

function slotNormal(corners: usize, slot: u32): void {
  const at = corners + <usize>slot * 36;
  const ax = <f64>load<f32>(at), ay = <f64>load<f32>(at, 4), az = <f64>load<f32>(at, 8);
  const ux = <f64>load<f32>(at, 12) - ax, uy = <f64>load<f32>(at, 16) - ay, uz = <f64>load<f32>(at, 20) - az;
  const vx = <f64>load<f32>(at, 24) - ax, vy = <f64>load<f32>(at, 28) - ay, vz = <f64>load<f32>(at, 32) - az;
  const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
  const length = sqrt(nx * nx + ny * ny + nz * nz);
  normalX = nx / length;
  normalY = ny / length;
  normalZ = nz / length;
}

/** Whether a slot's triangle faces a direction of length 1; the direction 0 0 0 accepts all. */
function isFacing(corners: usize, slot: u32, qx: f64, qy: f64, qz: f64): bool {
  if (qx == 0 && qy == 0 && qz == 0) return true;
  slotNormal(corners, slot);
  return qx * normalX + qy * normalY + qz * normalZ > facingCosine;
}

@inline
function corners3(corners: usize, slot: u32, corner: u32, d: usize): f64 {
  return <f64>load<f32>(corners + <usize>slot * 36 + <usize>corner * 12 + (d << 2));
}

/** The triangle's angle at a point on it: 2π inside, π on a side, the corner's angle at a corner. */
function angleAt(corners: usize, slot: u32, x: f64, y: f64, z: f64, reach: f64): f64 {
  for (let k: u32 = 0; k < 3; k++) {
    const cx = corners3(corners, slot, k, 0), cy = corners3(corners, slot, k, 1), cz = corners3(corners, slot, k, 2);
    const d2 = (cx - x) * (cx - x) + (cy - y) * (cy - y) + (cz - z) * (cz - z);
    if (d2 > reach * reach) continue;
    const a = (k + 1) % 3, b = (k + 2) % 3;
    const ux = corners3(corners, slot, a, 0) - cx, uy = corners3(corners, slot, a, 1) - cy, uz = corners3(corners, slot, a, 2) - cz;
    const vx = corners3(corners, slot, b, 0) - cx, vy = corners3(corners, slot, b, 1) - cy, vz = corners3(corners, slot, b, 2) - cz;
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    return Math.atan2(sqrt(nx * nx + ny * ny + nz * nz), ux * vx + uy * vy + uz * vz);
  }
  for (let k: u32 = 0; k < 3; k++) {
    const b = (k + 1) % 3;
    const ax = corners3(corners, slot, k, 0), ay = corners3(corners, slot, k, 1), az = corners3(corners, slot, k, 2);
    const ux = corners3(corners, slot, b, 0) - ax, uy = corners3(corners, slot, b, 1) - ay, uz = corners3(corners, slot, b, 2) - az;
    const wx = x - ax, wy = y - ay, wz = z - az;
    const nx = uy * wz - uz * wy, ny = uz * wx - ux * wz, nz = ux * wy - uy * wx;
    if (sqrt(nx * nx + ny * ny + nz * nz) <= reach * sqrt(ux * ux + uy * uy + uz * uz)) return Math.PI;
  }
  return 2 * Math.PI;
}

/**
 * Side of the place at d from a point of the mesh: sum of the normals of the triangles that meet there, weighted by
 * their angles, along d (Bærentzen & Aanæs 2005, doi:10.1109/TVCG.2005.49). If only triangles that face a direction
 * were requested, another triangle at the point may be closer (squared) than `least`: then its side counts.
 */
function sideAt(
  wide: usize, packs: usize, corners: usize, stack: usize, x: f64, y: f64, z: f64, dx: f64, dy: f64, dz: f64, reach: f64, slack: f64,
  least: f64,
): f64 {
  const px = f32x4.splat(<f32>x), py = f32x4.splat(<f32>y), pz = f32x4.splat(<f32>z);
  const near = seeming(reach * reach, slack);
  let sum: f64 = 0;
  let closest: f64 = least, side: f64 = 0;
  let depth: usize = 1;
  store<u32>(stack, 0);
  while (depth > 0) {
    const node = load<u32>(stack + (--depth << 3));
    if (node & isLeaf) {
      const pack = packs + <usize>(node & ~isLeaf) * 160;
      const first = load<u32>(pack, 144), count = load<u32>(pack, 148);
      for (let slot = first; slot < first + count; slot++) {
        if (toTriangle(corners, slot, x, y, z) > reach * reach) continue;
        slotNormal(corners, slot);
        const own = dx * normalX + dy * normalY + dz * normalZ;
        if (least > 0) {
          const squared = toTriangle(corners, slot, x + dx, y + dy, z + dz);
          // Triangles that share the closest point count as one.
          if (squared < closest * (1 - 1e-9)) { closest = squared; side = own; }
          else if (squared < closest * (1 + 1e-9) && closest < least) side += own;
        }
        sum += angleAt(corners, slot, x, y, z, reach) * own;
      }
      continue;
    }
    const at = wide + (<usize>node << 7);
    let hits = i32x4.bitmask(f32x4.le(toBoxes(at, px, py, pz), near));
    // In the order of the leaves, so that the sum does not depend on where the search started.
    while (hits) {
      const k = 31 - clz(hits);
      hits &= ~(1 << k);
      store<u32>(stack + (depth++ << 3), load<u32>(at + (<usize>k << 2), 96));
    }
  }
  return closest < least && side != 0 ? side : sum;
}

// Results of `search`: squared distance, closest point, and whether it is in the triangle's interior.
let bestSquared: f64 = 0;
let bestX: f64 = 0;
let bestY: f64 = 0;
let bestZ: f64 = 0;
let isBestOnFace: bool = false;

@inline
function keep(squared: f64): void {
  bestSquared = squared;
  bestX = footX; bestY = footY; bestZ = footZ;
  isBestOnFace = onFace;
}

/**
 * Slot of the triangle closest to a place, within `limitSquared`; −1 if there is none. `seed` is tried first (−1:
 * none). Only triangles that face the direction q count, if one was requested (see setFacing).
 */
function search(tree: Tree, stack: usize, x: f64, y: f64, z: f64, limitSquared: f64, seed: i32, slack: f64, qx: f64, qy: f64, qz: f64): i32 {
  const wide = tree.wide, packs = tree.packs, corners = tree.corners;
  const hasFacing = qx != 0 || qy != 0 || qz != 0;
  const px = f32x4.splat(<f32>x), py = f32x4.splat(<f32>y), pz = f32x4.splat(<f32>z);
  let found: i32 = -1;
  bestSquared = limitSquared;
  if (seed >= 0 && isFacing(corners, <u32>seed, qx, qy, qz)) {
    const squared = toTriangle(corners, <u32>seed, x, y, z);
    if (squared <= limitSquared) {
      found = seed;
      keep(squared);
    }
  }
  let near = seeming(bestSquared, slack);
  let depth: usize = 1;
  store<u32>(stack, 0);
  store<f32>(stack, 0, 4);
  while (depth > 0) {
    const item = stack + (--depth << 3);
    if (load<f32>(item, 4) > f32x4.extract_lane(near, 0)) continue;
    const node = load<u32>(item);
    if (node & isLeaf) {
      const pack = packs + <usize>(node & ~isLeaf) * 160;
      // Not greater, so that results that are NaN in float32 are tested, too.
      let hits = ~i32x4.bitmask(f32x4.gt(toPack(pack, px, py, pz, near), near)) & 15;
      if (!hits) continue;
      const first = load<u32>(pack, 144), count = load<u32>(pack, 148);
      hits &= (1 << count) - 1;
      while (hits) {
        const k = <u32>ctz(hits);
        hits &= hits - 1;
        const slot = first + k;
        if (<i32>slot == found) continue;
        const squared = toTriangle(corners, slot, x, y, z);
        if ((squared < bestSquared || (found < 0 && squared <= bestSquared)) && isFacing(corners, slot, qx, qy, qz)) {
          found = <i32>slot;
          keep(squared);
          near = seeming(squared, slack);
        }
      }
      continue;
    }
    const at = wide + (<usize>node << 7);
    const squared = toBoxes(at, px, py, pz);
    let hits = i32x4.bitmask(f32x4.le(squared, near));
    if (hasFacing) hits &= facingChildren(at);
    const bottom = stack + (depth << 3);
    let top = bottom;
    v128.store(lanes(stack), squared);
    while (hits) {
      const k = <usize>ctz(hits);
      hits &= hits - 1;
      const own = load<f32>(lanes(stack) + (k << 2));
      // The nearest child ends up on top.
      let slot = top;
      while (slot > bottom && load<f32>(slot - 8, 4) < own) {
        store<u64>(slot, load<u64>(slot - 8));
        slot -= 8;
      }
      store<u32>(slot, load<u32>(at + (k << 2), 96));
      store<f32>(slot, own, 4);
      top += 8;
    }
    depth = (top - stack) >> 3;
  }
  return found;
}

/** Bound of the error from rounding places to float32, mm. */
@inline
function slackAt(tree: Tree, x: f64, y: f64, z: f64): f64 {
  return 1e-6 * max(tree.size, max(abs(x), max(abs(y), abs(z))));
}

/**
 * Signed distances (f32, mm; positive outside, NaN beyond `limit` or for a place that is not finite) of points from …
 * to-1 in `order` (u32; points: f64 xyz, mm) to `distances`, and the number of the closest triangle (0xffffffff if
 * none) to `triangles`. Each result's slot is tried first for the next point. `stack`: 1024 entries of 8 bytes.
 * `normals` (f32 xyz per point; 0 = none): only triangles whose normals have more than this `cosine` with the point's
 * normal are considered.
 */
export function signedDistances(
  tree: Tree, points: usize, order: usize, from: i32, to: i32, limit: f64, distances: usize, triangles: usize, stack: usize,
  normals: usize, cosine: f64,
): void {
  const wide = tree.wide, packs = tree.packs, corners = tree.corners, extent = tree.extent;
  facingCosine = normals ? cosine : -1;
  let seed: i32 = -1;
  let qx: f64 = 0, qy: f64 = 0, qz: f64 = 0;
  for (let i = from; i < to; i++) {
    const point = load<u32>(order + (<usize>i << 2));
    const place = points + <usize>point * 24;
    const x = load<f64>(place), y = load<f64>(place, 8), z = load<f64>(place, 16);
    const target = distances + (<usize>point << 2);
    store<f32>(target, NaN);
    store<u32>(triangles + (<usize>point << 2), 0xffffffff);
    if (!isFinite(x + y + z)) continue;
    if (normals) {
      const normal = normals + <usize>point * 12;
      qx = <f64>load<f32>(normal); qy = <f64>load<f32>(normal, 4); qz = <f64>load<f32>(normal, 8);
      const length = sqrt(qx * qx + qy * qy + qz * qz);
      // A point without a normal has no counterpart.
      if (!(length > 0)) continue;
      qx /= length; qy /= length; qz /= length;
    }
    setFacing(qx, qy, qz);
    const slack = slackAt(tree, x, y, z);
    const slot = search(tree, stack, x, y, z, limit * limit, seed, slack, qx, qy, qz);
    if (slot < 0) continue;
    seed = slot;
    const best = bestSquared, fx = bestX, fy = bestY, fz = bestZ;
    const dx = x - fx, dy = y - fy, dz = z - fz;
    let side: f64;
    if (isBestOnFace) {
      slotNormal(corners, <u32>slot);
      side = dx * normalX + dy * normalY + dz * normalZ;
    } else {
      const far = max(extent, max(abs(fx), max(abs(fy), abs(fz))));
      side = sideAt(wide, packs, corners, stack, fx, fy, fz, dx, dy, dz, 1e-13 * far, slack, normals ? best * (1 - 1e-9) : 0);
    }
    const distance = sqrt(best);
    store<f32>(target, side > 0 ? <f32>distance : side < 0 ? -<f32>distance : 0);
    store<u32>(triangles + (<usize>point << 2), load<u32>(tree.order + (<usize>slot << 2)));
  }
}

/**
 * The closest point of the mesh to each of the points from … to-1 (f64 xyz, mm), to `answers`, 8 f64 per point:
 * position xyz; unit normal of its triangle xyz; distance, mm (infinite for a place that is not finite); 1 if it is in
 * the triangle's interior, else 0. `slots` (i32 per point; −1: none) are tried first and are replaced by the slots
 * found. `stack` as above.
 */
export function closestPoints(tree: Tree, points: usize, from: i32, to: i32, answers: usize, slots: usize, stack: usize): void {
  facingCosine = -1;
  setFacing(0, 0, 0);
  for (let i = from; i < to; i++) {
    const place = points + <usize>i * 24;
    const x = load<f64>(place), y = load<f64>(place, 8), z = load<f64>(place, 16);
    const known = slots + (<usize>i << 2);
    const slot = isFinite(x + y + z) ? search(tree, stack, x, y, z, Infinity, load<i32>(known), slackAt(tree, x, y, z), 0, 0, 0) : -1;
    store<i32>(known, slot);
    const answer = answers + (<usize>i << 6);
    if (slot < 0) {
      for (let k: usize = 0; k < 64; k += 8) store<f64>(answer + k, NaN);
      store<f64>(answer, Infinity, 48);
      continue;
    }
    slotNormal(tree.corners, <u32>slot);
    store<f64>(answer, bestX); store<f64>(answer, bestY, 8); store<f64>(answer, bestZ, 16);
    store<f64>(answer, normalX, 24); store<f64>(answer, normalY, 32); store<f64>(answer, normalZ, 40);
    store<f64>(answer, sqrt(bestSquared), 48);
    store<f64>(answer, isBestOnFace ? 1 : 0, 56);
  }
}

/** Address where four lanes are stored to be read one by one: behind the stack. */
@inline
function lanes(stack: usize): usize {
  return stack + 8192;
}
