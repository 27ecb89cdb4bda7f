// Fairing of a triangle mesh: heights of vertices against their neighbours, means of them, and moving by what is left.
// In pieces as in curvature.ts: vertices from … to-1, and triangles first … last-1, which are all that touch them.
import { clearBytes } from './bytes';

/** At every vertex the sum of its neighbours' places (f32 xyz) and their number, each counted twice: 16 bytes a vertex. */
export function sumNeighbours(positions: usize, from: u32, to: u32, indices: usize, first: u32, last: u32, sums: usize): void {
  clearBytes(sums + (<usize>from << 4), <usize>(to - from) << 4);
  const count = to - from;
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = <usize>load<u32>(at), b = <usize>load<u32>(at + 4), c = <usize>load<u32>(at + 8);
    const pa = place(positions + a * 12), pb = place(positions + b * 12), pc = place(positions + c * 12);
    const sa = sums + (a << 4), sb = sums + (b << 4), sc = sums + (c << 4);
    if (<u32>a - from < count) v128.store(sa, f32x4.add(v128.load(sa), f32x4.add(pb, pc)));
    if (<u32>b - from < count) v128.store(sb, f32x4.add(v128.load(sb), f32x4.add(pc, pa)));
    if (<u32>c - from < count) v128.store(sc, f32x4.add(v128.load(sc), f32x4.add(pa, pb)));
  }
}

// @ts-ignore: decorator
@inline
function place(at: usize): v128 {
  return f32x4(load<f32>(at), load<f32>(at + 4), load<f32>(at + 8), 1);
}

/** How far the middle of its neighbours lies above each vertex, along the vertex's normal, in mm: f32 each. */
export function neighbourHeights(positions: usize, normals: usize, from: u32, to: u32, sums: usize, heights: usize): void {
  for (let v = from; v < to; v++) {
    const s = sums + (<usize>v << 4), p = positions + <usize>v * 12, n = normals + <usize>v * 12;
    const count = load<f32>(s + 12);
    const share: f32 = count > 0 ? <f32>1 / count : 0;
    const x = load<f32>(s) * share - load<f32>(p);
    const y = load<f32>(s + 4) * share - load<f32>(p + 4);
    const z = load<f32>(s + 8) * share - load<f32>(p + 8);
    const height = x * load<f32>(n) + y * load<f32>(n + 4) + z * load<f32>(n + 8);
    store<f32>(heights + (<usize>v << 2), share > 0 ? height : 0);
  }
}

/** Mean over each vertex's neighbours: source -> target, f32 each; `sums` holds their number. */
export function meanOfNeighbours(source: usize, target: usize, from: u32, to: u32, indices: usize, first: u32, last: u32, sums: usize): void {
  clearBytes(target + (<usize>from << 2), <usize>(to - from) << 2);
  const total = to - from;
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const ia = load<u32>(at), ib = load<u32>(at + 4), ic = load<u32>(at + 8);
    const a = <usize>ia << 2, b = <usize>ib << 2, c = <usize>ic << 2;
    const fa = load<f32>(source + a), fb = load<f32>(source + b), fc = load<f32>(source + c);
    if (ia - from < total) store<f32>(target + a, load<f32>(target + a) + fb + fc);
    if (ib - from < total) store<f32>(target + b, load<f32>(target + b) + fc + fa);
    if (ic - from < total) store<f32>(target + c, load<f32>(target + c) + fa + fb);
  }
  for (let v = from; v < to; v++) {
    const count = load<f32>(sums + (<usize>v << 4) + 12);
    const t = target + (<usize>v << 2);
    store<f32>(t, count > 0 ? load<f32>(t) / count : 0);
  }
}

/** Adds to the counts of |heights − means| in `bins` steps of `width` (mm), u32 each; the last one takes what is beyond. */
export function countRoughness(heights: usize, means: usize, from: u32, to: u32, width: f32, bins: u32, counts: usize): void {
  const last = <f32>(bins - 1);
  for (let v = from; v < to; v++) {
    const at = <usize>v << 2;
    const bin = min<f32>(abs<f32>(load<f32>(heights + at) - load<f32>(means + at)) / width, last);
    const c = counts + (<usize>(<u32>bin) << 2);
    store<u32>(c, load<u32>(c) + 1);
  }
}

/** Moves vertices along their normals by `share` of heights − means, those that it is at most `limit` (mm) for. */
export function moveByRoughness(
  positions: usize, normals: usize, from: u32, to: u32, heights: usize, means: usize, share: f32, limit: f32,
): void {
  for (let v = from; v < to; v++) {
    const at = <usize>v << 2;
    const rough = load<f32>(heights + at) - load<f32>(means + at);
    if (!(abs<f32>(rough) <= limit)) continue;
    const p = positions + <usize>v * 12, n = normals + <usize>v * 12;
    const by = share * rough;
    store<f32>(p, load<f32>(p) + by * load<f32>(n));
    store<f32>(p + 4, load<f32>(p + 4) + by * load<f32>(n + 4));
    store<f32>(p + 8, load<f32>(p + 8) + by * load<f32>(n + 8));
  }
}
