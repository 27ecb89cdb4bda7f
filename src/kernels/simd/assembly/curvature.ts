// Mean curvature of a triangle mesh, and moving its vertices by it. Sums are f32 xyz and area, 16 bytes per vertex.
// Each call handles vertices from … to-1 with triangles first … last-1, all that touch them: every vertex is summed in
// triangle order, however the mesh is split.
import { clearBytes, copyBytes } from './bytes';

/**
 * For every vertex, the gradient of the mesh's area by the vertex position, and a third of its triangles' area. The
 * gradient is twice the mean curvature times the outward normal times the area (Desbrun, Meyer, Schröder, Barr 1999,
 * doi:10.1145/311535.311576); per triangle it is half the opposite side, so slivers do no harm.
 */
export function areaGradients(positions: usize, from: u32, to: u32, indices: usize, first: u32, last: u32, sums: usize): void {
  clearBytes(sums + (<usize>from << 4), <usize>(to - from) << 4);
  const count = to - from;
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = <usize>load<u32>(at), b = <usize>load<u32>(at + 4), c = <usize>load<u32>(at + 8);
    const pa = positions + a * 12, pb = positions + b * 12, pc = positions + c * 12;
    const ux = load<f32>(pb) - load<f32>(pa), uy = load<f32>(pb + 4) - load<f32>(pa + 4), uz = load<f32>(pb + 8) - load<f32>(pa + 8);
    const vx = load<f32>(pc) - load<f32>(pa), vy = load<f32>(pc + 4) - load<f32>(pa + 4), vz = load<f32>(pc + 8) - load<f32>(pa + 8);
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    const double = sqrt<f32>(nx * nx + ny * ny + nz * nz);
    if (!(double > 0)) continue;
    const s: f32 = <f32>0.5 / double;
    // Half the opposite side of each vertex, rotated in the triangle's plane towards the vertex by the unit normal.
    const bx = (ny * vz - nz * vy) * s, by = (nz * vx - nx * vz) * s, bz = (nx * vy - ny * vx) * s;
    const cx = (ny * uz - nz * uy) * s, cy = (nz * ux - nx * uz) * s, cz = (nx * uy - ny * ux) * s;
    const third = double / 6;
    if (<u32>a - from < count) add(sums + (a << 4), bx - cx, by - cy, bz - cz, third);
    if (<u32>b - from < count) add(sums + (b << 4), -bx, -by, -bz, third);
    if (<u32>c - from < count) add(sums + (c << 4), cx, cy, cz, third);
  }
}

@inline
function add(at: usize, x: f32, y: f32, z: f32, area: f32): void {
  v128.store(at, f32x4.add(v128.load(at), f32x4(x, y, z, area)));
}

/** Sums source over each vertex and its neighbours into target. */
export function addNeighbours(source: usize, target: usize, from: u32, to: u32, indices: usize, first: u32, last: u32): void {
  copyBytes(target + (<usize>from << 4), source + (<usize>from << 4), <usize>(to - from) << 4);
  const half = f32x4.splat(0.5);
  const count = to - from;
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const ia = load<u32>(at), ib = load<u32>(at + 4), ic = load<u32>(at + 8);
    const a = <usize>ia << 4, b = <usize>ib << 4, c = <usize>ic << 4;
    // Each side belongs to two triangles: each adds half.
    const fa = f32x4.mul(v128.load(source + a), half), fb = f32x4.mul(v128.load(source + b), half), fc = f32x4.mul(v128.load(source + c), half);
    if (ia - from < count) v128.store(target + a, f32x4.add(v128.load(target + a), f32x4.add(fb, fc)));
    if (ib - from < count) v128.store(target + b, f32x4.add(v128.load(target + b), f32x4.add(fc, fa)));
    if (ic - from < count) v128.store(target + c, f32x4.add(v128.load(target + c), f32x4.add(fa, fb)));
  }
}

@inline
function length(a: v128): f32 {
  const s = f32x4.mul(a, a);
  return sqrt<f32>(f32x4.extract_lane(s, 0) + f32x4.extract_lane(s, 1) + f32x4.extract_lane(s, 2));
}

/**
 * Moves vertices outward by `squared` (mm²) times their mean curvature plus `beyond` (mm²) times its excess over that
 * of the wider sums `around`, by `limit` (mm) at most. Only vertices with curvature of at least `least` (1/mm) move,
 * each once: moved ones are marked by a byte each.
 */
export function moveByCurvature(
  positions: usize, from: u32, to: u32, sums: usize, around: usize, squared: f32, beyond: f32, limit: f32, least: f32, moved: usize,
): void {
  for (let v = from; v < to; v++) {
    const sum = v128.load(sums + (<usize>v << 4)), wide = v128.load(around + (<usize>v << 4));
    const area = f32x4.extract_lane(sum, 3);
    if (!(area > 0) || load<u8>(moved + v)) continue;
    const curvature = f32x4.mul(sum, f32x4.splat(<f32>0.5 / area));
    if (length(curvature) < least) continue;
    store<u8>(moved + v, 1);
    const above = f32x4.sub(curvature, f32x4.mul(wide, f32x4.splat(<f32>0.5 / f32x4.extract_lane(wide, 3))));
    let move = f32x4.add(f32x4.mul(curvature, f32x4.splat(squared)), f32x4.mul(above, f32x4.splat(beyond)));
    const way = length(move);
    if (way > limit) move = f32x4.mul(move, f32x4.splat(limit / way));
    const p = positions + <usize>v * 12;
    store<f32>(p, load<f32>(p) + f32x4.extract_lane(move, 0));
    store<f32>(p + 4, load<f32>(p + 4) + f32x4.extract_lane(move, 1));
    store<f32>(p + 8, load<f32>(p + 8) + f32x4.extract_lane(move, 2));
  }
}

/** Clears the sums of marked vertices (a byte each), so that later sums leave them out. */
export function forgetMoved(sums: usize, from: u32, to: u32, moved: usize): void {
  for (let v = from; v < to; v++) {
    if (load<u8>(moved + v)) v128.store(sums + (<usize>v << 4), f32x4.splat(0));
  }
}
