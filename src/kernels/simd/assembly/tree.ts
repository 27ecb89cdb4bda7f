// A tree of boxes over triangles: built with the binned surface area heuristic (Wald 2007, doi:10.1109/RT.2007.4342588)
// with two children per node, then collapsed to four, side by side for SIMD. See spatial/surface-tree.ts for the memory
// layout.

/** Maximum number of triangles in a leaf: one pack of four. */
const maximumLeaf: u32 = 4;
const maximumBins: i32 = 16;
const fewBins: i32 = 6;
const fewTriangles: u32 = 48;
/** Below this depth nodes are halved by count, which bounds the depth for any set of triangles. */
const heuristicDepth: u32 = 40;
/** Twice the area over the longest side squared: below this ratio, the normal is lost in float64 rounding. */
const flatness: f64 = 1e-14;

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
@inline
function halfArea(low: v128, high: v128): f32 {
  const d = f32x4.sub(high, low);
  const x = f32x4.extract_lane(d, 0), y = f32x4.extract_lane(d, 1), z = f32x4.extract_lane(d, 2);
  return x >= 0 ? x * y + y * z + z * x : 0;
}

/**
 * Writes boxes (32 bytes: lowest x y z 0, highest x y z 0) of triangles with an area to `boxes` at their numbers, and
 * these numbers, in ascending order, to `order` (u32). Returns their count.
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
 * Sorts `order` into the order of the leaves and writes the nodes: 48 bytes each, lowest x y z 0, highest x y z 0, link
 * (u32: left child, the right one follows it; or a leaf's first slot), number of slots (u32, 0 = inner node), and space
 * for what boundNormals adds. Returns the number of nodes.
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
      // If all centres are in one plane, that axis can't separate them.
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

/**
 * Writes to each two-child node the bounds of its triangles' unit normals, in 127ths, rounded outward: i8 highest x, y,
 * z, 0, highest −x, −y, −z, 0.
 */
export function boundNormals(positions: usize, indices: usize, order: usize, nodes: usize, nodeCount: i32): void {
  for (let node = nodeCount - 1; node >= 0; node--) {
    const at = nodes + <usize>node * 48;
    const first = load<u32>(at, 32), count = load<u32>(at, 36);
    if (count == 0) {
      const children = nodes + <usize>first * 48;
      v128.store64_lane(at, i8x16.max_s(v128.load64_zero(children, 40), v128.load64_zero(children, 88)), 0, 40);
      continue;
    }
    for (let k: usize = 0; k < 8; k++) store<i8>(at + k, -127, 40);
    for (let slot = first; slot < first + count; slot++) {
      const triangle = indices + <usize>load<u32>(order + (<usize>slot << 2)) * 12;
      const a = corner(positions, load<u32>(triangle));
      const u = f32x4.sub(corner(positions, load<u32>(triangle, 4)), a), v = f32x4.sub(corner(positions, load<u32>(triangle, 8)), a);
      const ux = <f64>f32x4.extract_lane(u, 0), uy = <f64>f32x4.extract_lane(u, 1), uz = <f64>f32x4.extract_lane(u, 2);
      const vx = <f64>f32x4.extract_lane(v, 0), vy = <f64>f32x4.extract_lane(v, 1), vz = <f64>f32x4.extract_lane(v, 2);
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      const scale = 127 / sqrt(nx * nx + ny * ny + nz * nz);
      widen(at, nx * scale);
      widen(at + 1, ny * scale);
      widen(at + 2, nz * scale);
      widen(at + 4, -nx * scale);
      widen(at + 5, -ny * scale);
      widen(at + 6, -nz * scale);
    }
  }
}

@inline
function widen(at: usize, value: f64): void {
  const bound = <i32>Math.ceil(value);
  if (bound > <i32>load<i8>(at, 40)) store<i8>(at, <i8>min(bound, 127), 40);
}

/**
 * The six bounds of boundNormals in 15ths, rounded outward, five bits each: x, y, z, −x, −y, −z, starting at the lowest
 * bits.
 */
function packBounds(node: usize): u32 {
  let packed: u32 = 0;
  for (let k: usize = 0; k < 6; k++) {
    const bound = <f64>load<i8>(node + k + <usize>(k > 2), 40);
    packed |= (<u32>(<i32>Math.ceil(bound * (15.0 / 127.0))) & 31) << <u32>(5 * k);
  }
  return packed;
}

export const isLeaf: u32 = 0x80000000;

/**
 * Converts two-child nodes to four-child nodes (128 bytes: lowest x of all four, y, z, highest x, y, z, then their
 * links, then the bounds of their normals as in packBounds), and leaves to packs of four triangles (160 bytes: x of all
 * first corners, y, z, of the second, the third; first slot, number of triangles). A link with its highest bit set
 * refers to a pack; boxes of missing children are empty. Returns the number of four-child nodes, and writes the number
 * of packs to `packCount` (u32). `scratch`: 16 bytes for each of 300 levels.
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
    // The child with the largest surface is replaced by its two children until there are four.
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
        store<u32>(lane, 0, 112);
        continue;
      }
      const child = load<u32>(children + (<usize>k << 2));
      const from = nodes + <usize>child * 48;
      for (let d: usize = 0; d < 3; d++) {
        store<f32>(lane + (d << 4), load<f32>(from + (d << 2)));
        store<f32>(lane + 48 + (d << 4), load<f32>(from + (d << 2), 16));
      }
      store<u32>(lane, packBounds(from), 112);
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

/** Copies the corners of the triangles in their order, 36 bytes each. */
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
