// Mean curvature of a triangle mesh and moving its vertices by it. Sums are f32 xyz and area, 16 bytes a vertex. Work is
// on vertices from … to-1 and on triangles first … last-1, which are all that touch them: each vertex gets its sums in
// the triangles' order, however the mesh is cut into pieces.
import { clearBytes, copyBytes } from './bytes';

/**
 * At every vertex the gradient of the mesh's area by its place, and a third of its triangles' area. The gradient is
 * twice the mean curvature times the outward normal times the area (Desbrun, Meyer, Schröder, Barr 1999,
 * doi:10.1145/311535.311576); of one triangle it is half the opposite side, so slivers do no harm.
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
    // Half the unit normal times each vertex's opposite side, turned in the triangle's plane towards the vertex.
    const bx = (ny * vz - nz * vy) * s, by = (nz * vx - nx * vz) * s, bz = (nx * vy - ny * vx) * s;
    const cx = (ny * uz - nz * uy) * s, cy = (nz * ux - nx * uz) * s, cz = (nx * uy - ny * ux) * s;
    const third = double / 6;
    if (<u32>a - from < count) add(sums + (a << 4), bx - cx, by - cy, bz - cz, third);
    if (<u32>b - from < count) add(sums + (b << 4), -bx, -by, -bz, third);
    if (<u32>c - from < count) add(sums + (c << 4), cx, cy, cz, third);
  }
}

// @ts-ignore: decorator
@inline
function add(at: usize, x: f32, y: f32, z: f32, area: f32): void {
  v128.store(at, f32x4.add(v128.load(at), f32x4(x, y, z, area)));
}

/** Sums over each vertex and its neighbours: source -> target. */
export function addNeighbours(source: usize, target: usize, from: u32, to: u32, indices: usize, first: u32, last: u32): void {
  copyBytes(target + (<usize>from << 4), source + (<usize>from << 4), <usize>(to - from) << 4);
  const half = f32x4.splat(0.5);
  const count = to - from;
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const ia = load<u32>(at), ib = load<u32>(at + 4), ic = load<u32>(at + 8);
    const a = <usize>ia << 4, b = <usize>ib << 4, c = <usize>ic << 4;
    // Each side belongs to two triangles: half from each.
    const fa = f32x4.mul(v128.load(source + a), half), fb = f32x4.mul(v128.load(source + b), half), fc = f32x4.mul(v128.load(source + c), half);
    if (ia - from < count) v128.store(target + a, f32x4.add(v128.load(target + a), f32x4.add(fb, fc)));
    if (ib - from < count) v128.store(target + b, f32x4.add(v128.load(target + b), f32x4.add(fc, fa)));
    if (ic - from < count) v128.store(target + c, f32x4.add(v128.load(target + c), f32x4.add(fa, fb)));
  }
}

/**
 * At every vertex, in the first number, how far outward it is to go, in mm, times a third of its triangles' area; in the
 * second the mean curvature times that area; in the fourth that area. Half of the trace of the surface's curvature times the point spread's moments across the triangle's
 * normal (`table` as written by point-spread.ts, in `steps` steps of the squares of the normal's x and y), and `chord`
 * times what the plane of the triangle cuts off the body. Curvature is how the vertices' normals turn along the triangle.
 */
export function spreadShifts(
  positions: usize, normals: usize, from: u32, to: u32, indices: usize, first: u32, last: u32,
  table: usize, steps: i32, chord: f32, sums: usize,
): void {
  clearBytes(sums + (<usize>from << 4), <usize>(to - from) << 4);
  const count = to - from;
  const size = <usize>(steps + 1);
  const fine = <f32>steps;
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = <usize>load<u32>(at), b = <usize>load<u32>(at + 4), c = <usize>load<u32>(at + 8);
    const pa = positions + a * 12, pb = positions + b * 12, pc = positions + c * 12;
    const ux = load<f32>(pb) - load<f32>(pa), uy = load<f32>(pb + 4) - load<f32>(pa + 4), uz = load<f32>(pb + 8) - load<f32>(pa + 8);
    const vx = load<f32>(pc) - load<f32>(pa), vy = load<f32>(pc + 4) - load<f32>(pa + 4), vz = load<f32>(pc + 8) - load<f32>(pa + 8);
    let nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    const double = sqrt<f32>(nx * nx + ny * ny + nz * nz);
    if (!(double > 0)) continue;
    nx /= double; ny /= double; nz /= double;
    // How the normals turn from a to b and from a to c.
    const na = normals + a * 12, nb = normals + b * 12, nc = normals + c * 12;
    const bx = load<f32>(nb) - load<f32>(na), by = load<f32>(nb + 4) - load<f32>(na + 4), bz = load<f32>(nb + 8) - load<f32>(na + 8);
    const cx = load<f32>(nc) - load<f32>(na), cy = load<f32>(nc + 4) - load<f32>(na + 4), cz = load<f32>(nc + 8) - load<f32>(na + 8);
    // The unit normal times each vertex's opposite side: the slope of the vertex's share, times twice the area.
    const gbx = vy * nz - vz * ny, gby = vz * nx - vx * nz, gbz = vx * ny - vy * nx;
    const gcx = ny * uz - nz * uy, gcy = nz * ux - nx * uz, gcz = nx * uy - ny * ux;
    // The moments, between four places of the table.
    const i = nx * nx * fine, j = ny * ny * fine;
    const i0 = min<i32>(<i32>i, steps - 1), j0 = min<i32>(<i32>j, steps - 1);
    const p = i - <f32>i0, q = j - <f32>j0;
    const m0 = table + ((<usize>j0 * size + <usize>i0) << 5), m1 = m0 + (size << 5);
    const w00 = f32x4.splat((1 - p) * (1 - q)), w10 = f32x4.splat(p * (1 - q)), w01 = f32x4.splat((1 - p) * q), w11 = f32x4.splat(p * q);
    const low = f32x4.add(
      f32x4.add(f32x4.mul(w00, v128.load(m0)), f32x4.mul(w10, v128.load(m0 + 32))),
      f32x4.add(f32x4.mul(w01, v128.load(m1)), f32x4.mul(w11, v128.load(m1 + 32))));
    const high = f32x4.add(
      f32x4.add(f32x4.mul(w00, v128.load(m0 + 16)), f32x4.mul(w10, v128.load(m0 + 48))),
      f32x4.add(f32x4.mul(w01, v128.load(m1 + 16)), f32x4.mul(w11, v128.load(m1 + 48))));
    const xx = f32x4.extract_lane(low, 0), yy = f32x4.extract_lane(low, 1), zz = f32x4.extract_lane(low, 2);
    const xy = f32x4.extract_lane(low, 3) * nx * ny, xz = f32x4.extract_lane(high, 0) * nx * nz, yz = f32x4.extract_lane(high, 1) * ny * nz;
    const trace =
      gbx * (xx * bx + xy * by + xz * bz) + gby * (xy * bx + yy * by + yz * bz) + gbz * (xz * bx + yz * by + zz * bz) +
      gcx * (xx * cx + xy * cy + xz * cz) + gcy * (xy * cx + yy * cy + yz * cz) + gcz * (xz * cx + yz * cy + zz * cz);
    // A side times how normals turn along it, all three sides.
    const turned = ux * bx + uy * by + uz * bz + vx * cx + vy * cy + vz * cz +
      (vx - ux) * (cx - bx) + (vy - uy) * (cy - by) + (vz - uz) * (cz - bz);
    const third = double / 6;
    const bend = (gbx * bx + gby * by + gbz * bz + gcx * cx + gcy * cy + gcz * cz) / 12;
    const shift = trace / 12 + chord * turned * <f32>(1.0 / 24.0) * third;
    if (<u32>a - from < count) add(sums + (a << 4), shift, bend, 0, third);
    if (<u32>b - from < count) add(sums + (b << 4), shift, bend, 0, third);
    if (<u32>c - from < count) add(sums + (c << 4), shift, bend, 0, third);
  }
}

/**
 * Moves vertices along their normals by what `spreadShifts` found or, with `squared` (mm²), by that times the mean curvature where this
 * is above `least` (1/mm); by `limit` (mm) at most. Those that are marked, a byte each, as moved already stay; those that are moved
 * are marked.
 */
export function moveByShifts(
  positions: usize, normals: usize, from: u32, to: u32, sums: usize, squared: f32, least: f32, limit: f32, moved: usize,
): void {
  const isEdge = squared > 0;
  for (let v = from; v < to; v++) {
    const s = sums + (<usize>v << 4);
    const area = load<f32>(s + 12);
    if (!(area > 0) || load<u8>(moved + v)) continue;
    const bend = load<f32>(s + 4) / area;
    if (isEdge && !(abs<f32>(bend) > least)) continue;
    store<u8>(moved + v, 1);
    const by = min<f32>(max<f32>(isEdge ? squared * bend : load<f32>(s) / area, -limit), limit);
    const p = positions + <usize>v * 12, n = normals + <usize>v * 12;
    store<f32>(p, load<f32>(p) + by * load<f32>(n));
    store<f32>(p + 4, load<f32>(p + 4) + by * load<f32>(n + 4));
    store<f32>(p + 8, load<f32>(p + 8) + by * load<f32>(n + 8));
  }
}
