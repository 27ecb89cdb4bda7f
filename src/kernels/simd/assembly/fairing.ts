// Fairing of a triangle mesh: normals as means over rings of neighbours, heights of vertices against what these ask for, and
// moving by them. In pieces as in curvature.ts: vertices from … to-1, and triangles first … last-1, which are all that touch them.
import { clearBytes } from './bytes';

/** Normals (f32 xyz) to places of 16 bytes, as `addNeighbours` takes them: the fourth number counts them. */
export function spreadNormals(normals: usize, from: u32, to: u32, sums: usize): void {
  for (let v = from; v < to; v++) {
    v128.store(sums + (<usize>v << 4), f32x4.replace_lane(place(normals + <usize>v * 12), 3, 1));
  }
}

/**
 * Sums of normals to unit length, in place; zero where there is none. `spread` (f32 each): how far they were from being one and
 * the same, 0 to 1.
 */
export function unitNormals(sums: usize, from: u32, to: u32, spread: usize): void {
  for (let v = from; v < to; v++) {
    const at = sums + (<usize>v << 4);
    const n = f32x4.replace_lane(v128.load(at), 3, 0);
    const count = load<f32>(at + 12);
    const length = sqrt<f32>(dot(n, n));
    store<f32>(spread + (<usize>v << 2), length > 0 ? 1 - length / count : 1);
    v128.store(at, length > 0 ? f32x4.div(n, f32x4.splat(length)) : f32x4.splat(0));
  }
}

/** Says of each vertex, in the fourth number of its smooth normal, whether that is a face's: 1 where normals were spread by `limit` at most. */
export function markEven(spread: usize, from: u32, to: u32, limit: f32, smooth: usize): void {
  for (let v = from; v < to; v++) {
    store<f32>(smooth + (<usize>v << 4) + 12, load<f32>(spread + (<usize>v << 2)) <= limit ? 1 : 0);
  }
}

// @ts-ignore: decorator
@inline
function place(at: usize): v128 {
  return f32x4(load<f32>(at), load<f32>(at + 4), load<f32>(at + 8), 0);
}

// @ts-ignore: decorator
@inline
function dot(a: v128, b: v128): f32 {
  const s = f32x4.mul(a, b);
  return f32x4.extract_lane(s, 0) + f32x4.extract_lane(s, 1) + f32x4.extract_lane(s, 2);
}

/** How many triangles touch each vertex: f32 each. */
export function countTriangles(from: u32, to: u32, indices: usize, first: u32, last: u32, counts: usize): void {
  const total = to - from;
  clearBytes(counts + (<usize>from << 2), <usize>total << 2);
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const ia = load<u32>(at), ib = load<u32>(at + 4), ic = load<u32>(at + 8);
    if (ia - from < total) add(counts, ia, 1);
    if (ib - from < total) add(counts, ib, 1);
    if (ic - from < total) add(counts, ic, 1);
  }
}

/**
 * How far each vertex is to go along its normal, in mm (f32 each), for its neighbours to lie as their normals (16 bytes a
 * vertex) and its own ask for: an arc between two places has both of its normals askew to its chord by the same angle, so that
 * of a round body as of a flat one this is nothing, however unevenly the neighbours lie. `counts`: of the triangles.
 * Reads 4 bytes beyond the positions.
 */
export function neighbourHeights(
  positions: usize, smooth: usize, from: u32, to: u32, indices: usize, first: u32, last: u32, counts: usize, heights: usize,
): void {
  const total = to - from;
  clearBytes(heights + (<usize>from << 2), <usize>total << 2);
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const ia = load<u32>(at), ib = load<u32>(at + 4), ic = load<u32>(at + 8);
    // What lies in the fourth places is not looked at.
    const pa = v128.load(positions + <usize>ia * 12), pb = v128.load(positions + <usize>ib * 12), pc = v128.load(positions + <usize>ic * 12);
    const na = v128.load(smooth + (<usize>ia << 4)), nb = v128.load(smooth + (<usize>ib << 4)), nc = v128.load(smooth + (<usize>ic << 4));
    const ab = f32x4.mul(f32x4.sub(pb, pa), f32x4.add(na, nb));
    const bc = f32x4.mul(f32x4.sub(pc, pb), f32x4.add(nb, nc));
    const ca = f32x4.mul(f32x4.sub(pa, pc), f32x4.add(nc, na));
    // Three sums at once: ab, bc, ca.
    const xy = v128.shuffle<f32>(ab, bc, 0, 4, 1, 5), z = v128.shuffle<f32>(ab, bc, 2, 6, 3, 7);
    const sums = f32x4.add(
      f32x4.add(v128.shuffle<f32>(xy, ca, 0, 1, 4, 4), v128.shuffle<f32>(xy, ca, 2, 3, 5, 5)),
      v128.shuffle<f32>(z, ca, 0, 1, 6, 6));
    // ab − ca, bc − ab, ca − bc
    const each = f32x4.sub(sums, v128.shuffle<f32>(sums, sums, 2, 0, 1, 3));
    if (ia - from < total) add(heights, ia, f32x4.extract_lane(each, 0));
    if (ib - from < total) add(heights, ib, f32x4.extract_lane(each, 1));
    if (ic - from < total) add(heights, ic, f32x4.extract_lane(each, 2));
  }
  for (let v = from; v < to; v++) {
    const at = <usize>v << 2;
    // Two neighbours, each with two normals.
    const count = <f32>4 * load<f32>(counts + at);
    store<f32>(heights + at, count > 0 ? load<f32>(heights + at) / count : 0);
  }
}

// @ts-ignore: decorator
@inline
function add(to: usize, v: u32, value: f32): void {
  const at = to + (<usize>v << 2);
  store<f32>(at, load<f32>(at) + value);
}

/** Adds to the counts of |heights| in `bins` steps of `width` (mm), u32 each; the last one takes what is beyond. */
export function countRoughness(heights: usize, from: u32, to: u32, width: f32, bins: u32, counts: usize): void {
  const last = <f32>(bins - 1);
  for (let v = from; v < to; v++) {
    const bin = min<f32>(abs<f32>(load<f32>(heights + (<usize>v << 2))) / width, last);
    const c = counts + (<usize>(<u32>bin) << 2);
    store<u32>(c, load<u32>(c) + 1);
  }
}

/** Moves vertices that are marked as even along their normals by `share` of their heights, those whose amount is at most `limit` (mm). */
export function moveByRoughness(
  positions: usize, normals: usize, smooth: usize, from: u32, to: u32, heights: usize, share: f32, limit: f32,
): void {
  for (let v = from; v < to; v++) {
    const rough = load<f32>(heights + (<usize>v << 2));
    if (!(abs<f32>(rough) <= limit) || load<f32>(smooth + (<usize>v << 4) + 12) == 0) continue;
    const p = positions + <usize>v * 12, n = normals + <usize>v * 12;
    const by = share * rough;
    store<f32>(p, load<f32>(p) + by * load<f32>(n));
    store<f32>(p + 4, load<f32>(p + 4) + by * load<f32>(n + 4));
    store<f32>(p + 8, load<f32>(p + 8) + by * load<f32>(n + 8));
  }
}
