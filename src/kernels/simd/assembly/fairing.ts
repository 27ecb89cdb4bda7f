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

/** Adds what a neighbour brings, and counts it in the fourth number. */
@inline
function addTerm(sums: usize, v: u32, term: v128): void {
  const at = sums + (<usize>v << 4);
  v128.store(at, f32x4.add(v128.load(at), f32x4.replace_lane(term, 3, 1)));
}

/**
 * How far each vertex is to go along its normal, in mm (f32 each), for its neighbours to lie as their normals (16 bytes a
 * vertex) and its own ask for: an arc between two places has both of its normals askew to its chord by the same angle, so that
 * of a round body as of a flat one this is nothing, however unevenly the neighbours lie. Counts them as countHeights does;
 * then those that are not marked as even stay where they are. Each side of a triangle is a neighbour of its first vertex; the
 * other way round it is another triangle's.
 * Reads 4 bytes beyond the positions. Scratch: 16 bytes a vertex.
 */
export function neighbourHeights(
  positions: usize, smooth: usize, from: u32, to: u32, indices: usize, first: u32, last: u32, heights: usize,
  width: f32, bins: u32, counts: usize, scratch: usize,
): void {
  const total = to - from;
  clearBytes(scratch, <usize>total << 4);
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = load<u32>(at), b = load<u32>(at + 4), c = load<u32>(at + 8);
    // What lies in the fourth places is not looked at.
    const pa = v128.load(positions + <usize>a * 12), na = v128.load(smooth + (<usize>a << 4));
    const pb = v128.load(positions + <usize>b * 12), nb = v128.load(smooth + (<usize>b << 4));
    const pc = v128.load(positions + <usize>c * 12), nc = v128.load(smooth + (<usize>c << 4));
    if (a - from < total) addTerm(scratch, a - from, f32x4.mul(f32x4.sub(pb, pa), f32x4.add(nb, na)));
    if (b - from < total) addTerm(scratch, b - from, f32x4.mul(f32x4.sub(pc, pb), f32x4.add(nc, nb)));
    if (c - from < total) addTerm(scratch, c - from, f32x4.mul(f32x4.sub(pa, pc), f32x4.add(na, nc)));
  }
  let at = scratch;
  for (let v = from; v < to; v++) {
    const sums = v128.load(at);
    at += 16;
    const sum = f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1) + f32x4.extract_lane(sums, 2);
    const count = f32x4.extract_lane(sums, 3);
    // Each neighbour brings two normals.
    const height = count > 0 ? sum / (2 * count) : 0;
    countHeight(height, width, bins, counts);
    store<f32>(heights + (<usize>v << 2), load<f32>(smooth + (<usize>v << 4) + 12) == 0 ? 0 : height);
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

/** Moves vertices along their normals by `share` of their heights, those whose amount is at most `limit` (mm), and adds that to `moved` (f32 each, mm). */
export function moveByHeights(
  positions: usize, normals: usize, from: u32, to: u32, heights: usize, share: f32, limit: f32, moved: usize,
): void {
  for (let v = from; v < to; v++) {
    const height = load<f32>(heights + (<usize>v << 2));
    if (!(abs<f32>(height) <= limit)) continue;
    const by = share * height, at = moved + (<usize>v << 2);
    move(positions, normals, v, by);
    store<f32>(at, load<f32>(at) + by);
  }
}

@inline
function move(positions: usize, normals: usize, v: u32, by: f32): void {
  const p = positions + <usize>v * 12, n = normals + <usize>v * 12;
  store<f32>(p, load<f32>(p) + by * load<f32>(n));
  store<f32>(p + 4, load<f32>(p + 4) + by * load<f32>(n + 4));
  store<f32>(p + 8, load<f32>(p + 8) + by * load<f32>(n + 8));
}

/** Means of numbers (f32 each) over each vertex and its neighbours. Scratch: 8 bytes a vertex. */
export function neighbourMeans(
  source: usize, target: usize, from: u32, to: u32, indices: usize, first: u32, last: u32, scratch: usize,
): void {
  const total = to - from;
  for (let v = from; v < to; v++) {
    const at = scratch + (<usize>(v - from) << 3);
    store<f32>(at, load<f32>(source + (<usize>v << 2)));
    store<f32>(at + 4, 1);
  }
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = load<u32>(at), b = load<u32>(at + 4), c = load<u32>(at + 8);
    // Each side is here once for each of its ends.
    if (a - from < total) addNumber(scratch, a - from, load<f32>(source + (<usize>b << 2)));
    if (b - from < total) addNumber(scratch, b - from, load<f32>(source + (<usize>c << 2)));
    if (c - from < total) addNumber(scratch, c - from, load<f32>(source + (<usize>a << 2)));
  }
  for (let v = from; v < to; v++) {
    const at = scratch + (<usize>(v - from) << 3);
    store<f32>(target + (<usize>v << 2), load<f32>(at) / load<f32>(at + 4));
  }
}

@inline
function addNumber(sums: usize, v: u32, value: f32): void {
  const at = sums + (<usize>v << 3);
  store<f32>(at, load<f32>(at) + value);
  store<f32>(at + 4, load<f32>(at + 4) + 1);
}

/** Moves vertices that are marked as even back along their normals by what is given (f32 each, mm). */
export function moveBack(positions: usize, normals: usize, smooth: usize, from: u32, to: u32, moved: usize): void {
  for (let v = from; v < to; v++) {
    if (load<f32>(smooth + (<usize>v << 4) + 12) != 0) move(positions, normals, v, -load<f32>(moved + (<usize>v << 2)));
  }
}

/**
 * How far each vertex that is marked as even is to go along the surface towards the middle of its neighbours (f32 xyz each, mm),
 * `share` of the way, and by how much the surface falls away beside it on that way, which its neighbours' normals (16 bytes a
 * vertex) tell; none of the others moves. Turns the vertices' own normals (f32 xyz) with it. Reads 4 bytes beyond the positions.
 * Scratch: 32 bytes a vertex.
 */
export function movesAlong(
  positions: usize, smooth: usize, normals: usize, from: u32, to: u32, indices: usize, first: u32, last: u32, share: f32,
  moves: usize, scratch: usize,
): void {
  const total = to - from;
  const turnsOf = scratch + (<usize>total << 4);
  clearBytes(scratch, <usize>total << 5);
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = load<u32>(at), b = load<u32>(at + 4), c = load<u32>(at + 8);
    const pa = v128.load(positions + <usize>a * 12), na = v128.load(smooth + (<usize>a << 4));
    const pb = v128.load(positions + <usize>b * 12), nb = v128.load(smooth + (<usize>b << 4));
    const pc = v128.load(positions + <usize>c * 12), nc = v128.load(smooth + (<usize>c << 4));
    if (a - from < total) {
      addTerm(scratch, a - from, f32x4.sub(pb, pa));
      addTerm(turnsOf, a - from, f32x4.sub(nb, na));
    }
    if (b - from < total) {
      addTerm(scratch, b - from, f32x4.sub(pc, pb));
      addTerm(turnsOf, b - from, f32x4.sub(nc, nb));
    }
    if (c - from < total) {
      addTerm(scratch, c - from, f32x4.sub(pa, pc));
      addTerm(turnsOf, c - from, f32x4.sub(na, nc));
    }
  }
  for (let v = from; v < to; v++) {
    const normal = v128.load(smooth + (<usize>v << 4));
    const ways = v128.load(scratch + (<usize>(v - from) << 4)), turns = v128.load(turnsOf + (<usize>(v - from) << 4));
    const count = f32x4.extract_lane(ways, 3);
    const isStill = f32x4.extract_lane(normal, 3) == 0 || count == 0;
    const part = f32x4.splat(isStill ? 0 : share / count);
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
