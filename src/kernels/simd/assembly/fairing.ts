// Fairing of a triangle mesh: smooth normals as means over rings of neighbours, height corrections of vertices from
// these normals, and tangential moves towards evenly sized triangles. In pieces as in curvature.ts: vertices from …
// to-1, and triangles first … last-1, which are all that touch them.
import { clearBytes } from './bytes';

/** Copies normals (f32 xyz) to 16-byte entries, as `addNeighbours` expects them; the fourth number is a count. */
export function spreadNormals(normals: usize, from: u32, to: u32, sums: usize): void {
  for (let v = from; v < to; v++) {
    v128.store(sums + (<usize>v << 4), f32x4.replace_lane(place(normals + <usize>v * 12), 3, 1));
  }
}

/**
 * Normalizes sums of normals in place; zero stays zero. `heights` (f32 each): spread of the summed normals, 0 (all
 * equal) to 1.
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

/**
 * Marks vertices on faces in the fourth number of their smooth normal: 1 where the spread of normals is at most
 * `limit`, else 0.
 */
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

/** Adds a neighbour's term and counts it in the fourth number. */
@inline
function addTerm(sums: usize, v: u32, term: v128): void {
  const at = sums + (<usize>v << 4);
  v128.store(at, f32x4.add(v128.load(at), f32x4.replace_lane(term, 3, 1)));
}

/**
 * Distance of each vertex along its normal (f32 each, mm) to the position that fits its own normal and those of its
 * neighbours (16 bytes per vertex). On an arc between two points both normals make the same angle with the chord, so
 * this is zero on round as on flat bodies, however unevenly the neighbours are spaced. Counts the heights as
 * countHeights does; then vertices that are not marked as even get zero. Each side of a triangle makes its end a
 * neighbour of its start; the reverse side belongs to another triangle.
 * Reads 4 bytes beyond the positions. Scratch: 16 bytes per vertex.
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
    // The fourth lanes are not used.
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
    // Each neighbour adds two normals.
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

/** Adds |heights| to a histogram of `bins` bins of `width`, u32 each; the last bin includes everything beyond. */
export function countHeights(heights: usize, from: u32, to: u32, width: f32, bins: u32, counts: usize): void {
  for (let v = from; v < to; v++) countHeight(load<f32>(heights + (<usize>v << 2)), width, bins, counts);
}

/**
 * Moves vertices along their normals by `share` of their heights if these are at most `limit` (mm), and adds the move
 * to `moved` (f32 each, mm).
 */
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

/** Means of values (f32 each) over each vertex and its neighbours. Scratch: 8 bytes per vertex. */
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
    // Each edge occurs once for each of its ends.
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

/** Moves vertices marked as even back along their normals by `moved` (f32 each, mm). */
export function moveBack(positions: usize, normals: usize, smooth: usize, from: u32, to: u32, moved: usize): void {
  for (let v = from; v < to; v++) {
    if (load<f32>(smooth + (<usize>v << 4) + 12) != 0) move(positions, normals, v, -load<f32>(moved + (<usize>v << 2)));
  }
}

/**
 * Tangential move of each vertex marked as even towards the mean of its neighbours (f32 xyz each, mm), by `share` of
 * the distance, plus the drop of the surface over that distance, derived from the neighbours' normals (16 bytes per
 * vertex); other vertices stay. Rotates the vertices' own normals (f32 xyz) accordingly. Reads 4 bytes beyond the
 * positions. Scratch: 32 bytes per vertex.
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

/** Adds moves (f32 xyz each) to the positions. */
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
