// Volume, area, closedness and connected parts of a triangle mesh, in pieces: vertices from … to-1, and triangles first
// … last-1, which are all that touch them.
import { clearBytes } from './bytes';

/**
 * Sums over triangles first … last-1, two f64: sums[0] six times the volume relative to the point (ox, oy, oz), sums[1]
 * twice the area.
 */
export function sumTriangles(positions: usize, indices: usize, first: u32, last: u32, ox: f64, oy: f64, oz: f64, sums: usize): void {
  let volume: f64 = 0, area: f64 = 0;
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = positions + <usize>load<u32>(at) * 12, b = positions + <usize>load<u32>(at + 4) * 12, c = positions + <usize>load<u32>(at + 8) * 12;
    const ax = <f64>load<f32>(a) - ox, ay = <f64>load<f32>(a + 4) - oy, az = <f64>load<f32>(a + 8) - oz;
    const ux = <f64>load<f32>(b) - ox - ax, uy = <f64>load<f32>(b + 4) - oy - ay, uz = <f64>load<f32>(b + 8) - oz - az;
    const vx = <f64>load<f32>(c) - ox - ax, vy = <f64>load<f32>(c + 4) - oy - ay, vz = <f64>load<f32>(c + 8) - oz - az;
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    area += sqrt<f64>(nx * nx + ny * ny + nz * nz);
    volume += ax * nx + ay * ny + az * nz;
  }
  store<f64>(sums, volume);
  store<f64>(sums, area, 8);
}

/**
 * Returns 1 if every directed side whose lower vertex is in from … to-1 occurs once, and its reverse once. Sides are
 * grouped by their lower vertex and stored as twice the higher one, plus one if they run downward. Scratch: to - from +
 * 1 and 3 (last - first) u32.
 */
export function sidesMatch(from: u32, to: u32, indices: usize, first: u32, last: u32, scratch: usize): i32 {
  const count = to - from;
  const starts = scratch;
  const sides = scratch + (<usize>(count + 1) << 2);
  clearBytes(starts, <usize>(count + 1) << 2);
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = load<u32>(at), b = load<u32>(at + 4), c = load<u32>(at + 8);
    if (a == b || b == c || c == a) return 0;
    countSide(min<u32>(a, b) - from, count, starts);
    countSide(min<u32>(b, c) - from, count, starts);
    countSide(min<u32>(c, a) - from, count, starts);
  }
  // Counts become end positions, which the filling then decrements to start positions.
  let sum: u32 = 0;
  for (let v: u32 = 0; v <= count; v++) {
    sum += load<u32>(starts + (<usize>v << 2));
    store<u32>(starts + (<usize>v << 2), sum);
  }
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = load<u32>(at), b = load<u32>(at + 4), c = load<u32>(at + 8);
    addSide(a, b, from, count, starts, sides);
    addSide(b, c, from, count, starts, sides);
    addSide(c, a, from, count, starts, sides);
  }
  for (let v: u32 = 0; v < count; v++) {
    const begin = sides + (<usize>load<u32>(starts + (<usize>v << 2)) << 2);
    const end = sides + (<usize>load<u32>(starts + (<usize>(v + 1) << 2)) << 2);
    for (let i = begin; i < end; i += 4) {
      const side = load<u32>(i);
      let same = 0, reverse = 0;
      for (let j = begin; j < end; j += 4) {
        const other = load<u32>(j);
        same += i32(other == side);
        reverse += i32(other == (side ^ 1));
      }
      if (same != 1 || reverse != 1) return 0;
    }
  }
  return 1;
}

@inline
function countSide(low: u32, count: u32, starts: usize): void {
  if (low >= count) return;
  const at = starts + (<usize>low << 2);
  store<u32>(at, load<u32>(at) + 1);
}

@inline
function addSide(a: u32, b: u32, from: u32, count: u32, starts: usize, sides: usize): void {
  const low = min<u32>(a, b);
  if (low - from >= count) return;
  const at = starts + (<usize>(low - from) << 2);
  const place = load<u32>(at) - 1;
  store<u32>(at, place);
  store<u32>(sides + (<usize>place << 2), max<u32>(a, b) << 1 | u32(a > b));
}

@inline
function root(parents: usize, v: u32): u32 {
  let at = v;
  let parent = load<u32>(parents + (<usize>at << 2));
  while (parent != at) {
    const next = load<u32>(parents + (<usize>parent << 2));
    store<u32>(parents + (<usize>at << 2), next);
    at = next;
    parent = load<u32>(parents + (<usize>at << 2));
  }
  return at;
}

function join(parents: usize, a: u32, b: u32): void {
  const ra = root(parents, a), rb = root(parents, b);
  if (ra < rb) store<u32>(parents + (<usize>rb << 2), ra);
  else store<u32>(parents + (<usize>ra << 2), rb);
}

/** Makes each vertex from … to-1 its own part, then joins the parts connected by triangles first … last-1 within them. */
export function joinVertices(from: u32, to: u32, indices: usize, first: u32, last: u32, parents: usize): void {
  for (let v = from; v < to; v++) store<u32>(parents + (<usize>v << 2), v);
  const count = to - from;
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = load<u32>(at), b = load<u32>(at + 4), c = load<u32>(at + 8);
    const isA = a - from < count, isB = b - from < count, isC = c - from < count;
    if (isA && isB) join(parents, a, b);
    if (isB && isC) join(parents, b, c);
    if (isA && isC && !isB) join(parents, a, c);
  }
}

/** Joins parts connected by triangles first … last-1, wherever their vertices are. */
export function joinSeam(indices: usize, first: u32, last: u32, parents: usize): void {
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = load<u32>(at), b = load<u32>(at + 4), c = load<u32>(at + 8);
    join(parents, a, b);
    join(parents, b, c);
  }
}

/** Number of vertices from … to-1 that are roots of their part. */
export function countParts(from: u32, to: u32, parents: usize): u32 {
  let count: u32 = 0;
  for (let v = from; v < to; v++) count += u32(load<u32>(parents + (<usize>v << 2)) == v);
  return count;
}
