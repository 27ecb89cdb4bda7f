// A tree of boxes over triangles: by the binned surface area heuristic (Wald 2007, doi:10.1109/RT.2007.4342588), two
// children a node, then four, side by side for SIMD. See spatial/arena-tree.ts for where everything lies.

/** Triangles that a leaf holds at most: one pack of four. */
const maximumLeaf: u32 = 4;
const maximumBins: i32 = 16;
const fewBins: i32 = 6;
const fewTriangles: u32 = 48;
/** Below this depth nodes are halved by count, which bounds the depth whatever the triangles look like. */
const heuristicDepth: u32 = 40;
/** Twice the area over the longest side squared: below it, float64 can't tell the normal from rounding. */
const flatness: f64 = 1e-14;

// @ts-ignore: decorator
@inline
function corner(positions: usize, vertex: u32): v128 {
  const at = positions + <usize>vertex * 12;
  return f32x4(load<f32>(at), load<f32>(at, 4), load<f32>(at, 8), 0);
}

function hasArea(a: v128, b: v128, c: v128): bool {
  const ux = <f64>f32x4.extract_lane(b, 0) - <f64>f32x4.extract_lane(a, 0), uy = <f64>f32x4.extract_lane(b, 1) - <f64>f32x4.extract_lane(a, 1), uz = <f64>f32x4.extract_lane(b, 2) - <f64>f32x4.extract_lane(a, 2);
  const vx = <f64>f32x4.extract_lane(c, 0) - <f64>f32x4.extract_lane(a, 0), vy = <f64>f32x4.extract_lane(c, 1) - <f64>f32x4.extract_lane(a, 1), vz = <f64>f32x4.extract_lane(c, 2) - <f64>f32x4.extract_lane(a, 2);
  const wx = vx - ux, wy = vy - uy, wz = vz - uz;
  const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
  const longest = max(ux * ux + uy * uy + uz * uz, max(vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz));
  const area = sqrt(nx * nx + ny * ny + nz * nz);
  // False for NaN and infinity, too.
  return area > flatness * longest && area < Infinity;
}

/** Half the surface of a box; 0 for an empty one. */
// @ts-ignore: decorator
@inline
function halfArea(low: v128, high: v128): f32 {
  const d = f32x4.sub(high, low);
  const x = f32x4.extract_lane(d, 0), y = f32x4.extract_lane(d, 1), z = f32x4.extract_lane(d, 2);
  return x >= 0 ? x * y + y * z + z * x : 0;
}

/**
 * Boxes (32 bytes: lowest x y z 0, highest x y z 0) of triangles with an area, to `boxes` at their numbers; these numbers, in
 * their order, to `order` (u32). Gives how many there are.
 */
export function boxTriangles(positions: usize, indices: usize, triangles: i32, boxes: usize, order: usize): i32 {
  let count: i32 = 0;
  for (let t: i32 = 0; t < triangles; t++) {
    const at = indices + <usize>t * 12;
    const a = corner(positions, load<u32>(at)), b = corner(positions, load<u32>(at, 4)), c = corner(positions, load<u32>(at, 8));
    if (!hasArea(a, b, c)) continue;
    const box = boxes + (<usize>t << 5);
    v128.store(box, f32x4.min(a, f32x4.min(b, c)));
    v128.store(box, f32x4.max(a, f32x4.max(b, c)), 16);
    store<u32>(order + (<usize>count << 2), <u32>t);
    count++;
  }
  return count;
}

/**
 * Puts `order` into the order of the leaves and writes the nodes: 48 bytes each, lowest x y z 0, highest x y z 0, link
 * (u32: left child, the right one is the next; or a leaf's first slot), how many slots (u32, 0 = inner). Gives how many.
 * Scratch (16-byte aligned): 3 · 16 · 48 + 16 · 32 + 16 · 160 bytes.
 */
export function splitTriangles(boxes: usize, order: usize, count: i32, nodes: usize, scratch: usize): i32 {
  const bins = scratch;
  const right = bins + 3 * 16 * 48;
  const work = right + 16 * 32;
  const empty = f32x4.splat(Infinity), full = f32x4.splat(-Infinity);
  let made: u32 = 1;
  let depthOfWork: usize = 1;
  store<u32>(work, 0);
  store<u32>(work, 0, 4);
  store<u32>(work, <u32>count, 8);
  store<u32>(work, 0, 12);
  while (depthOfWork > 0) {
    const item = work + (--depthOfWork << 4);
    const node = load<u32>(item), from = load<u32>(item, 4), to = load<u32>(item, 8), depth = load<u32>(item, 12);
    const size = to - from;
    let low = empty, high = full, first = empty, last = full;
    for (let i = from; i < to; i++) {
      const box = boxes + (<usize>load<u32>(order + (<usize>i << 2)) << 5);
      const a = v128.load(box), b = v128.load(box, 16);
      const middle2 = f32x4.add(a, b);
      low = f32x4.pmin(low, a);
      high = f32x4.pmax(high, b);
      first = f32x4.pmin(first, middle2);
      last = f32x4.pmax(last, middle2);
    }
    const at = nodes + <usize>node * 48;
    v128.store(at, low);
    v128.store(at, high, 16);
    let middle = from;
    if (size > maximumLeaf) {
      const binCount = size <= fewTriangles ? fewBins : maximumBins;
      const range = f32x4.sub(last, first);
      let axis: i32 = -1;
      let cut: i32 = 0;
      // Where all middles lie in one plane there is nothing to part along that axis.
      const scale = v128.and(f32x4.div(f32x4.splat(<f32>binCount), range), f32x4.gt(range, f32x4.splat(0)));
      const top = i32x4.splat(binCount - 1);
      if (depth < heuristicDepth && v128.any_true(f32x4.gt(range, f32x4.splat(0)))) {
        for (let k: usize = 0; k < 48; k++) {
          const bin = bins + k * 48;
          v128.store(bin, empty);
          v128.store(bin, full, 16);
          store<u32>(bin, 0, 32);
        }
        for (let i = from; i < to; i++) {
          const box = boxes + (<usize>load<u32>(order + (<usize>i << 2)) << 5);
          const a = v128.load(box), b = v128.load(box, 16);
          const which = i32x4.min_s(top, i32x4.trunc_sat_f32x4_s(f32x4.mul(f32x4.sub(f32x4.add(a, b), first), scale)));
          let bin = bins + <usize>i32x4.extract_lane(which, 0) * 48;
          v128.store(bin, f32x4.pmin(v128.load(bin), a));
          v128.store(bin, f32x4.pmax(v128.load(bin, 16), b), 16);
          store<u32>(bin, load<u32>(bin, 32) + 1, 32);
          bin = bins + 768 + <usize>i32x4.extract_lane(which, 1) * 48;
          v128.store(bin, f32x4.pmin(v128.load(bin), a));
          v128.store(bin, f32x4.pmax(v128.load(bin, 16), b), 16);
          store<u32>(bin, load<u32>(bin, 32) + 1, 32);
          bin = bins + 1536 + <usize>i32x4.extract_lane(which, 2) * 48;
          v128.store(bin, f32x4.pmin(v128.load(bin), a));
          v128.store(bin, f32x4.pmax(v128.load(bin, 16), b), 16);
          store<u32>(bin, load<u32>(bin, 32) + 1, 32);
        }
        let best: f32 = Infinity;
        for (let k: i32 = 0; k < 3; k++) {
          const line = bins + <usize>k * 768;
          let a = empty, b = full;
          let counted: u32 = 0;
          for (let bin = binCount - 1; bin > 0; bin--) {
            const one = line + <usize>bin * 48;
            a = f32x4.pmin(a, v128.load(one));
            b = f32x4.pmax(b, v128.load(one, 16));
            counted += load<u32>(one, 32);
            store<f32>(right + (<usize>bin << 3), halfArea(a, b));
            store<u32>(right + (<usize>bin << 3), counted, 4);
          }
          a = empty; b = full; counted = 0;
          for (let bin: i32 = 1; bin < binCount; bin++) {
            const one = line + <usize>(bin - 1) * 48;
            a = f32x4.pmin(a, v128.load(one));
            b = f32x4.pmax(b, v128.load(one, 16));
            counted += load<u32>(one, 32);
            const others = load<u32>(right + (<usize>bin << 3), 4);
            if (counted == 0 || others == 0) continue;
            const cost = halfArea(a, b) * <f32>counted + load<f32>(right + (<usize>bin << 3)) * <f32>others;
            if (cost < best) { best = cost; axis = k; cut = bin; }
          }
        }
      }
      if (axis < 0) middle = from + (size >> 1);
      else {
        let left = from, end = to;
        while (left < end) {
          const slot = order + (<usize>left << 2);
          const triangle = load<u32>(slot);
          const box = boxes + (<usize>triangle << 5);
          const which = i32x4.min_s(top, i32x4.trunc_sat_f32x4_s(f32x4.mul(f32x4.sub(f32x4.add(v128.load(box), v128.load(box, 16)), first), scale)));
          const bin = axis == 0 ? i32x4.extract_lane(which, 0) : axis == 1 ? i32x4.extract_lane(which, 1) : i32x4.extract_lane(which, 2);
          if (bin < cut) left++;
          else {
            end--;
            store<u32>(slot, load<u32>(order + (<usize>end << 2)));
            store<u32>(order + (<usize>end << 2), triangle);
          }
        }
        middle = left;
      }
    }
    if (middle == from) {
      store<u32>(at, from, 32);
      store<u32>(at, size, 36);
      continue;
    }
    store<u32>(at, made, 32);
    store<u32>(at, 0, 36);
    let next = work + (depthOfWork++ << 4);
    store<u32>(next, made + 1);
    store<u32>(next, middle, 4);
    store<u32>(next, to, 8);
    store<u32>(next, depth + 1, 12);
    next = work + (depthOfWork++ << 4);
    store<u32>(next, made);
    store<u32>(next, from, 4);
    store<u32>(next, middle, 8);
    store<u32>(next, depth + 1, 12);
    made += 2;
  }
  return <i32>made;
}

const isLeaf: u32 = 0x80000000;

/**
 * Nodes of two children → nodes of four (128 bytes: lowest x of all four, y, z, highest x, y, z, then their links), and
 * leaves → packs of four triangles (160 bytes: x of all first corners, y, z, of the second, the third; first slot, how
 * many). A link with its highest bit set names a pack; boxes of children that are missing are empty. Gives how many nodes
 * of four there are, and to `packCount` (u32) how many packs. `scratch`: 16 bytes for each of 300 levels.
 */
export function widenTree(
  positions: usize, indices: usize, order: usize, nodes: usize, wide: usize, packs: usize, packCount: usize, scratch: usize,
): i32 {
  let made: u32 = 1, packed: u32 = 0;
  let waiting: usize = 1;
  store<u32>(scratch, 0);
  store<u32>(scratch, 0, 4);
  const children = scratch + 8 * 600;
  while (waiting > 0) {
    const item = scratch + (--waiting << 3);
    const target = wide + (<usize>load<u32>(item, 4) << 7);
    store<u32>(children, load<u32>(item));
    let n: i32 = 1;
    // The one of the largest surface is replaced by its own two, until there are four.
    while (n < 4) {
      let widest: i32 = -1;
      let area: f32 = -1;
      for (let k: i32 = 0; k < n; k++) {
        const child = nodes + <usize>load<u32>(children + (<usize>k << 2)) * 48;
        if (load<u32>(child, 36) > 0) continue;
        const own = halfArea(v128.load(child), v128.load(child, 16));
        if (own > area) { area = own; widest = k; }
      }
      if (widest < 0) break;
      const at = children + (<usize>widest << 2);
      const left = load<u32>(nodes + <usize>load<u32>(at) * 48, 32);
      store<u32>(at, left);
      store<u32>(children + (<usize>n << 2), left + 1);
      n++;
    }
    for (let k: i32 = 0; k < 4; k++) {
      const lane = target + (<usize>k << 2);
      if (k >= n) {
        for (let d: usize = 0; d < 3; d++) {
          store<f32>(lane + (d << 4), Infinity);
          store<f32>(lane + 48 + (d << 4), -Infinity);
        }
        store<u32>(lane, 0, 96);
        continue;
      }
      const child = load<u32>(children + (<usize>k << 2));
      const from = nodes + <usize>child * 48;
      for (let d: usize = 0; d < 3; d++) {
        store<f32>(lane + (d << 4), load<f32>(from + (d << 2)));
        store<f32>(lane + 48 + (d << 4), load<f32>(from + (d << 2), 16));
      }
      const count = load<u32>(from, 36);
      if (count == 0) {
        store<u32>(lane, made, 96);
        const next = scratch + (waiting++ << 3);
        store<u32>(next, child);
        store<u32>(next, made++, 4);
        continue;
      }
      const first = load<u32>(from, 32);
      const pack = packs + <usize>packed * 160;
      for (let s: u32 = 0; s < 4; s++) {
        const triangle = load<u32>(order + (<usize>(first + min(s, count - 1)) << 2));
        for (let c: usize = 0; c < 3; c++) {
          const vertex = positions + <usize>load<u32>(indices + <usize>triangle * 12 + (c << 2)) * 12;
          for (let d: usize = 0; d < 3; d++) store<f32>(pack + (c * 48) + (d << 4) + (<usize>s << 2), load<f32>(vertex + (d << 2)));
        }
      }
      store<u32>(pack, first, 144);
      store<u32>(pack, count, 148);
      store<u32>(lane, isLeaf | packed, 96);
      packed++;
    }
  }
  store<u32>(packCount, packed);
  return <i32>made;
}

/** Corners of the triangles in their order, 36 bytes each. */
export function gatherCorners(positions: usize, indices: usize, order: usize, slots: i32, corners: usize): void {
  let to = corners;
  for (let slot: i32 = 0; slot < slots; slot++) {
    const triangle = indices + <usize>load<u32>(order + (<usize>slot << 2)) * 12;
    for (let c: usize = 0; c < 3; c++, to += 12) {
      const vertex = positions + <usize>load<u32>(triangle + (c << 2)) * 12;
      store<u64>(to, load<u64>(vertex));
      store<u32>(to, load<u32>(vertex, 8), 8);
    }
  }
}

// Foot of the last triangle that was looked at, and whether it lies in its inside.
let footX: f64 = 0;
let footY: f64 = 0;
let footZ: f64 = 0;
let onFace: bool = false;

/** Closest point of the triangle in a slot (Ericson 2005, “Real-Time Collision Detection”, 5.1.5); its squared distance. */
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

// @ts-ignore: decorator
@inline
function dot3(ax: v128, ay: v128, az: v128, bx: v128, by: v128, bz: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(ax, bx), f32x4.mul(ay, by)), f32x4.mul(az, bz));
}

/** Squared distance from the origin to the segment from a along e, of four at once. */
// @ts-ignore: decorator
@inline
function toSegment(ax: v128, ay: v128, az: v128, ex: v128, ey: v128, ez: v128): v128 {
  const along = f32x4.neg(dot3(ax, ay, az, ex, ey, ez));
  // Of a point that is 0 / 0: the nearer end then.
  const t = f32x4.pmin(f32x4.splat(1), f32x4.pmax(f32x4.splat(0), f32x4.div(along, dot3(ex, ey, ez, ex, ey, ez))));
  const x = f32x4.add(ax, f32x4.mul(ex, t)), y = f32x4.add(ay, f32x4.mul(ey, t)), z = f32x4.add(az, f32x4.mul(ez, t));
  return dot3(x, y, z, x, y, z);
}

/** Squared distances, about, of the four triangles of a pack that may be as close as `limit`; others answer more than that. */
function toPack(pack: usize, px: v128, py: v128, pz: v128, limit: v128): v128 {
  const ax = f32x4.sub(v128.load(pack), px), ay = f32x4.sub(v128.load(pack, 16), py), az = f32x4.sub(v128.load(pack, 32), pz);
  const bx = f32x4.sub(v128.load(pack, 48), px), by = f32x4.sub(v128.load(pack, 64), py), bz = f32x4.sub(v128.load(pack, 80), pz);
  const cx = f32x4.sub(v128.load(pack, 96), px), cy = f32x4.sub(v128.load(pack, 112), py), cz = f32x4.sub(v128.load(pack, 128), pz);
  const ux = f32x4.sub(bx, ax), uy = f32x4.sub(by, ay), uz = f32x4.sub(bz, az);
  const vx = f32x4.sub(cx, ax), vy = f32x4.sub(cy, ay), vz = f32x4.sub(cz, az);
  const nx = f32x4.sub(f32x4.mul(uy, vz), f32x4.mul(uz, vy));
  const ny = f32x4.sub(f32x4.mul(uz, vx), f32x4.mul(ux, vz));
  const nz = f32x4.sub(f32x4.mul(ux, vy), f32x4.mul(uy, vx));
  const height = f32x4.div(dot3(ax, ay, az, nx, ny, nz), f32x4.sqrt(dot3(nx, ny, nz, nx, ny, nz)));
  const plane = f32x4.mul(height, height);
  // Not a number, of a triangle that is a line to float32, is not beyond.
  if (i32x4.all_true(f32x4.gt(plane, limit))) return plane;
  const wx = f32x4.sub(cx, bx), wy = f32x4.sub(cy, by), wz = f32x4.sub(cz, bz);
  // n · (edge × corner) ≥ 0 for all three: the origin's foot lies inside.
  const s0 = dot3(nx, ny, nz, f32x4.sub(f32x4.mul(ay, uz), f32x4.mul(az, uy)), f32x4.sub(f32x4.mul(az, ux), f32x4.mul(ax, uz)), f32x4.sub(f32x4.mul(ax, uy), f32x4.mul(ay, ux)));
  const s1 = dot3(nx, ny, nz, f32x4.sub(f32x4.mul(by, wz), f32x4.mul(bz, wy)), f32x4.sub(f32x4.mul(bz, wx), f32x4.mul(bx, wz)), f32x4.sub(f32x4.mul(bx, wy), f32x4.mul(by, wx)));
  const s2 = dot3(nx, ny, nz, f32x4.sub(f32x4.mul(az, vy), f32x4.mul(ay, vz)), f32x4.sub(f32x4.mul(ax, vz), f32x4.mul(az, vx)), f32x4.sub(f32x4.mul(ay, vx), f32x4.mul(ax, vy)));
  const inside = f32x4.ge(f32x4.pmin(s0, f32x4.pmin(s1, s2)), f32x4.splat(0));
  if (i32x4.all_true(inside)) return plane;
  const edges = f32x4.pmin(toSegment(ax, ay, az, ux, uy, uz), f32x4.pmin(toSegment(bx, by, bz, wx, wy, wz), toSegment(ax, ay, az, vx, vy, vz)));
  return v128.bitselect(plane, edges, inside);
}

/** How close a box or triangle has to seem to float32 to be looked at: `slack` (mm) is what rounding of places takes. */
// @ts-ignore: decorator
@inline
function seeming(squared: f64, slack: f64): v128 {
  const distance = sqrt(squared) * 1.00002 + slack;
  return f32x4.splat(<f32>(distance * distance));
}

/** Squared distances of a place from the boxes of a node of four. */
// @ts-ignore: decorator
@inline
function toBoxes(node: usize, px: v128, py: v128, pz: v128): v128 {
  const zero = f32x4.splat(0);
  const x = f32x4.pmax(zero, f32x4.pmax(f32x4.sub(v128.load(node), px), f32x4.sub(px, v128.load(node, 48))));
  const y = f32x4.pmax(zero, f32x4.pmax(f32x4.sub(v128.load(node, 16), py), f32x4.sub(py, v128.load(node, 64))));
  const z = f32x4.pmax(zero, f32x4.pmax(f32x4.sub(v128.load(node, 32), pz), f32x4.sub(pz, v128.load(node, 80))));
  return dot3(x, y, z, x, y, z);
}

// Normal of the last slot that was asked for.
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

// @ts-ignore: decorator
@inline
function corners3(corners: usize, slot: u32, corner: u32, d: usize): f64 {
  return <f64>load<f32>(corners + <usize>slot * 36 + <usize>corner * 12 + (d << 2));
}

/** The triangle's angle as seen from a point on it: 2π inside, π on a side, the corner's angle at a corner. */
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

/** Sum over the triangles that meet at a point of the mesh of their normals by their angles, along d (Bærentzen & Aanæs 2005, doi:10.1109/TVCG.2005.49). */
function sideAt(
  wide: usize, packs: usize, corners: usize, stack: usize, x: f64, y: f64, z: f64, dx: f64, dy: f64, dz: f64, reach: f64, slack: f64,
): f64 {
  const px = f32x4.splat(<f32>x), py = f32x4.splat(<f32>y), pz = f32x4.splat(<f32>z);
  const near = seeming(reach * reach, slack);
  let sum: f64 = 0;
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
        sum += angleAt(corners, slot, x, y, z, reach) * (dx * normalX + dy * normalY + dz * normalZ);
      }
      continue;
    }
    const at = wide + (<usize>node << 7);
    let hits = i32x4.bitmask(f32x4.le(toBoxes(at, px, py, pz), near));
    // In the order of the leaves, so that sums don't depend on where the search came from.
    while (hits) {
      const k = 31 - clz(hits);
      hits &= ~(1 << k);
      store<u32>(stack + (depth++ << 3), load<u32>(at + (<usize>k << 2), 96));
    }
  }
  return sum;
}

/**
 * Signed distances (f32, mm; positive outside, NaN beyond `limit` or where a place is no finite number) of points
 * from … to-1 in `order` (u32; points: f64 xyz, mm) to `distances`, and the number of the closest triangle (0xffffffff
 * without one) to `found`. The slot of each answer is tried first for the next point. `corners`: 36 bytes a slot; `extent`:
 * longest side of the mesh's box, `size`: its largest coordinate. `stack`: 8 bytes for each of 1024.
 */
export function signedDistances(
  wide: usize, packs: usize, corners: usize, triangles: usize, points: usize, order: usize, from: i32, to: i32,
  limit: f64, extent: f64, size: f64, distances: usize, found: usize, stack: usize,
): void {
  let seed: i32 = -1;
  for (let i = from; i < to; i++) {
    const point = load<u32>(order + (<usize>i << 2));
    const place = points + <usize>point * 24;
    const x = load<f64>(place), y = load<f64>(place, 8), z = load<f64>(place, 16);
    const target = distances + (<usize>point << 2);
    store<f32>(target, NaN);
    store<u32>(found + (<usize>point << 2), 0xffffffff);
    if (!isFinite(x + y + z)) continue;
    const slack = 1e-6 * max(size, max(abs(x), max(abs(y), abs(z))));
    const px = f32x4.splat(<f32>x), py = f32x4.splat(<f32>y), pz = f32x4.splat(<f32>z);
    let best = limit * limit;
    let slotFound: i32 = -1;
    let fx: f64 = 0, fy: f64 = 0, fz: f64 = 0;
    let face = false;
    if (seed >= 0) {
      const squared = toTriangle(corners, <u32>seed, x, y, z);
      if (squared <= best) {
        best = squared; slotFound = seed;
        fx = footX; fy = footY; fz = footZ; face = onFace;
      }
    }
    let near = seeming(best, slack);
    let depth: usize = 1;
    store<u32>(stack, 0);
    store<f32>(stack, 0, 4);
    while (depth > 0) {
      const item = stack + (--depth << 3);
      if (load<f32>(item, 4) > f32x4.extract_lane(near, 0)) continue;
      const node = load<u32>(item);
      if (node & isLeaf) {
        const pack = packs + <usize>(node & ~isLeaf) * 160;
        // Not greater, so that what float32 can't tell is looked at.
        let hits = ~i32x4.bitmask(f32x4.gt(toPack(pack, px, py, pz, near), near)) & 15;
        if (!hits) continue;
        const first = load<u32>(pack, 144), count = load<u32>(pack, 148);
        hits &= (1 << count) - 1;
        while (hits) {
          const k = <u32>ctz(hits);
          hits &= hits - 1;
          const slot = first + k;
          if (<i32>slot == slotFound) continue;
          const squared = toTriangle(corners, slot, x, y, z);
          if (squared < best || (slotFound < 0 && squared <= best)) {
            best = squared; slotFound = <i32>slot;
            fx = footX; fy = footY; fz = footZ; face = onFace;
            near = seeming(best, slack);
          }
        }
        continue;
      }
      const at = wide + (<usize>node << 7);
      const squared = toBoxes(at, px, py, pz);
      let hits = i32x4.bitmask(f32x4.le(squared, near));
      const bottom = stack + (depth << 3);
      let top = bottom;
      v128.store(lanes(stack), squared);
      while (hits) {
        const k = <usize>ctz(hits);
        hits &= hits - 1;
        const own = load<f32>(lanes(stack) + (k << 2));
        // The nearest comes to lie on top.
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
    if (slotFound < 0) continue;
    seed = slotFound;
    const dx = x - fx, dy = y - fy, dz = z - fz;
    let side: f64;
    if (face) {
      slotNormal(corners, <u32>slotFound);
      side = dx * normalX + dy * normalY + dz * normalZ;
    } else {
      const far = max(extent, max(abs(fx), max(abs(fy), abs(fz))));
      side = sideAt(wide, packs, corners, stack, fx, fy, fz, dx, dy, dz, 1e-13 * far, slack);
    }
    const distance = sqrt(best);
    store<f32>(target, side > 0 ? <f32>distance : side < 0 ? -<f32>distance : 0);
    store<u32>(found + (<usize>point << 2), load<u32>(triangles + (<usize>slotFound << 2)));
  }
}

/** Where four numbers are put to be read one by one: behind the stack. */
// @ts-ignore: decorator
@inline
function lanes(stack: usize): usize {
  return stack + 8192;
}
