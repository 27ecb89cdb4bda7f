// Fairing of a triangle mesh: normals as means over rings of neighbours, heights of vertices against what these ask for, and
// moving by them, and along the surface to where triangles are even. In pieces as in curvature.ts: vertices from … to-1, and triangles first … last-1, which are all that touch them.
import { clearBytes } from './bytes';

/** Normals (f32 xyz) to places of 16 bytes, as `addNeighbours` takes them: the fourth number counts them. */
export function spreadNormals(normals: usize, from: u32, to: u32, sums: usize): void {
  for (let v = from; v < to; v++) {
    v128.store(sums + (<usize>v << 4), f32x4.replace_lane(place(normals + <usize>v * 12), 3, 1));
  }
}

/**
 * Sums of normals to unit length, in place; zero where there is none. `heights` (f32 each): how far they were from being one and
 * the same, 0 to 1.
 */
export function unitNormals(sums: usize, from: u32, to: u32, heights: usize): void {
  for (let v = from; v < to; v++) {
    const at = sums + (<usize>v << 4);
    const n = f32x4.replace_lane(v128.load(at), 3, 0);
    const count = load<f32>(at + 12);
    const length = sqrt<f32>(dot(n, n));
    store<f32>(heights + (<usize>v << 2), length > 0 ? 1 - length / count : 1);
    v128.store(at, length > 0 ? f32x4.div(n, f32x4.splat(length)) : f32x4.splat(0));
  }
}

/** Says of each vertex, in the fourth number of its smooth normal, whether that is a face's: 1 where normals were spread by `limit` at most. */
export function markEven(heights: usize, from: u32, to: u32, limit: f32, smooth: usize): void {
  for (let v = from; v < to; v++) {
    store<f32>(smooth + (<usize>v << 4) + 12, load<f32>(heights + (<usize>v << 2)) <= limit ? 1 : 0);
  }
}

@inline
function place(at: usize): v128 {
  return f32x4(load<f32>(at), load<f32>(at + 4), load<f32>(at + 8), 0);
}

@inline
function dot(a: v128, b: v128): f32 {
  const s = f32x4.mul(a, b);
  return f32x4.extract_lane(s, 0) + f32x4.extract_lane(s, 1) + f32x4.extract_lane(s, 2);
}

/** How many neighbours each vertex has, in a closed mesh: as many as triangles; u32 each. */
export function countNeighbours(from: u32, to: u32, indices: usize, first: u32, last: u32, counts: usize): void {
  const total = to - from;
  clearBytes(counts + (<usize>from << 2), <usize>total << 2);
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    for (let k: usize = 0; k < 12; k += 4) {
      const v = load<u32>(at + k);
      if (v - from < total) next(counts, v);
    }
  }
}

/** Counts (u32) in place to the sums of those before each. */
export function sumCounts(counts: usize, count: u32): void {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = counts + (<usize>i << 2);
    const own = load<u32>(at);
    store<u32>(at, sum);
    sum += own;
  }
}

/**
 * The neighbours of each vertex, one after the other, in the triangles' order: from where its `ends` point to, which move on
 * to the end. Each side of a triangle is a neighbour of its first vertex; the other way round it is another triangle's.
 */
export function listNeighbours(from: u32, to: u32, indices: usize, first: u32, last: u32, ends: usize, neighbours: usize): void {
  const total = to - from;
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = load<u32>(at), b = load<u32>(at + 4), c = load<u32>(at + 8);
    if (a - from < total) store<u32>(neighbours + (<usize>next(ends, a) << 2), b);
    if (b - from < total) store<u32>(neighbours + (<usize>next(ends, b) << 2), c);
    if (c - from < total) store<u32>(neighbours + (<usize>next(ends, c) << 2), a);
  }
}

/** The number of a vertex, which is one more from now on. */
@inline
function next(numbers: usize, v: u32): u32 {
  const at = numbers + (<usize>v << 2);
  const number = load<u32>(at);
  store<u32>(at, number + 1);
  return number;
}

/**
 * How far each vertex is to go along its normal, in mm (f32 each), for its neighbours to lie as their normals (16 bytes a
 * vertex) and its own ask for: an arc between two places has both of its normals askew to its chord by the same angle, so that
 * of a round body as of a flat one this is nothing, however unevenly the neighbours lie. Counts them as countHeights does;
 * then those that are not marked as even stay where they are.
 * Reads 4 bytes beyond the positions.
 */
export function neighbourHeights(
  positions: usize, smooth: usize, from: u32, to: u32, ends: usize, neighbours: usize, heights: usize,
  width: f32, bins: u32, counts: usize,
): void {
  let at = neighbours + (from > 0 ? <usize>load<u32>(ends + (<usize>(from - 1) << 2)) << 2 : 0);
  for (let v = from; v < to; v++) {
    const begin = at;
    const end = neighbours + (<usize>load<u32>(ends + (<usize>v << 2)) << 2);
    // What lies in the fourth places is not looked at.
    const place = v128.load(positions + <usize>v * 12), normal = v128.load(smooth + (<usize>v << 4));
    let sums = f32x4.splat(0);
    for (; at < end; at += 4) {
      const n = <usize>load<u32>(at);
      const way = f32x4.sub(v128.load(positions + n * 12), place);
      sums = f32x4.add(sums, f32x4.mul(way, f32x4.add(v128.load(smooth + (n << 4)), normal)));
    }
    const sum = f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1) + f32x4.extract_lane(sums, 2);
    // Each neighbour brings two normals.
    const height = end > begin ? sum / <f32>((end - begin) >> 1) : 0;
    countHeight(height, width, bins, counts);
    store<f32>(heights + (<usize>v << 2), f32x4.extract_lane(normal, 3) == 0 ? 0 : height);
  }
}

@inline
function countHeight(height: f32, width: f32, bins: u32, counts: usize): void {
  const bin = min<f32>(abs<f32>(height) / width, <f32>(bins - 1));
  const at = counts + (<usize>(<u32>bin) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Adds to the counts of |heights| in `bins` steps of `width`, u32 each; the last one takes what is beyond. */
export function countHeights(heights: usize, from: u32, to: u32, width: f32, bins: u32, counts: usize): void {
  for (let v = from; v < to; v++) countHeight(load<f32>(heights + (<usize>v << 2)), width, bins, counts);
}

/** Moves vertices along their normals by `share` of their heights, those whose amount is at most `limit` (mm). */
export function moveByHeights(positions: usize, normals: usize, from: u32, to: u32, heights: usize, share: f32, limit: f32): void {
  for (let v = from; v < to; v++) {
    const height = load<f32>(heights + (<usize>v << 2));
    if (!(abs<f32>(height) <= limit)) continue;
    const p = positions + <usize>v * 12, n = normals + <usize>v * 12;
    const by = share * height;
    store<f32>(p, load<f32>(p) + by * load<f32>(n));
    store<f32>(p + 4, load<f32>(p + 4) + by * load<f32>(n + 4));
    store<f32>(p + 8, load<f32>(p + 8) + by * load<f32>(n + 8));
  }
}

/**
 * How far each vertex that is marked as even is to go along the surface towards the middle of its neighbours (f32 xyz each, mm),
 * `share` of the way, and by how much the surface falls away beside it on that way, which its neighbours' normals (16 bytes a
 * vertex) tell; none of the others moves. Turns the vertices' own normals (f32 xyz) with it. Reads 4 bytes beyond the positions.
 */
export function movesAlong(
  positions: usize, smooth: usize, normals: usize, from: u32, to: u32, ends: usize, neighbours: usize, share: f32, moves: usize,
): void {
  let at = neighbours + (from > 0 ? <usize>load<u32>(ends + (<usize>(from - 1) << 2)) << 2 : 0);
  for (let v = from; v < to; v++) {
    const begin = at;
    const end = neighbours + (<usize>load<u32>(ends + (<usize>v << 2)) << 2);
    const here = v128.load(positions + <usize>v * 12), normal = v128.load(smooth + (<usize>v << 4));
    let ways = f32x4.splat(0), turns = f32x4.splat(0);
    for (; at < end; at += 4) {
      const n = <usize>load<u32>(at);
      ways = f32x4.add(ways, f32x4.sub(v128.load(positions + n * 12), here));
      turns = f32x4.add(turns, f32x4.sub(v128.load(smooth + (n << 4)), normal));
    }
    const isStill = f32x4.extract_lane(normal, 3) == 0 || end == begin;
    const part = f32x4.splat(isStill ? 0 : share / <f32>((end - begin) >> 2));
    const way = f32x4.mul(ways, part), turn = f32x4.mul(turns, part);
    const along = f32x4.sub(way, f32x4.mul(normal, f32x4.splat(dot(way, normal))));
    const move = f32x4.sub(along, f32x4.mul(normal, f32x4.splat(<f32>0.5 * dot(along, turn))));
    storePlace(moves + <usize>v * 12, move);
    if (isStill) continue;
    const own = normals + <usize>v * 12;
    const turned = f32x4.add(place(own), turn);
    const length = sqrt<f32>(dot(turned, turned));
    if (length > 0) storePlace(own, f32x4.div(turned, f32x4.splat(length)));
  }
}

/** Adds moves (f32 xyz each) to positions. */
export function moveAlong(positions: usize, from: u32, to: u32, moves: usize): void {
  const end = <usize>to * 12;
  for (let at = <usize>from * 12; at < end; at += 4) {
    store<f32>(positions + at, load<f32>(positions + at) + load<f32>(moves + at));
  }
}

@inline
function storePlace(at: usize, value: v128): void {
  store<f32>(at, f32x4.extract_lane(value, 0));
  store<f32>(at + 4, f32x4.extract_lane(value, 1));
  store<f32>(at + 8, f32x4.extract_lane(value, 2));
}
