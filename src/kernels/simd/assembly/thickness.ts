// Wall thickness at the vertices of the isosurface: rays through the grid, and balls found by rays.
import { pitch, valueBytes } from './blocks';
import { clearBytes } from './bytes';
import { Blocks, Grid } from './layouts';

/**
 * Trilinear interpolation between grid points; positions (cells, f32 x y z) beyond the grid are clamped to it. Blocks
 * away from the surface have no values: they give one above or below the level.
 */
@inline
function sample<T>(table: usize, line: i32, layer: i32, iso: f32, top: v128, place: v128): f32 {
  // NaN becomes 0.
  const held = f32x4.pmin(top, f32x4.pmax(f32x4.splat(0), place));
  const whole = i32x4.trunc_sat_f32x4_s(held);
  const part = f32x4.sub(held, f32x4.convert_i32x4_s(whole));
  const x = i32x4.extract_lane(whole, 0), y = i32x4.extract_lane(whole, 1), z = i32x4.extract_lane(whole, 2);
  const block = blockAt(table, line, layer, x, y, z);
  if (block <= 32) return block ? iso + 1 : iso - 1;
  const at = <usize>block + <usize>(((z & 7) * pitch + (y & 7)) * pitch + (x & 7)) * sizeof<T>();
  const row = <usize>pitch * sizeof<T>(), plane = <usize>(pitch * pitch) * sizeof<T>();
  let left: v128, right: v128;
  if (sizeof<T>() == 2) {
    // Two neighbours along x in each of four rows.
    let both = v128.load32_zero(at);
    both = v128.load_lane<u32>(at + row, both, 1);
    both = v128.load_lane<u32>(at + plane, both, 2);
    both = v128.load_lane<u32>(at + plane + row, both, 3);
    left = f32x4.convert_i32x4_s(v128.and(both, i32x4.splat(0xffff)));
    right = f32x4.convert_i32x4_s(i32x4.shr_u(both, 16));
  } else {
    const low = v128.load_lane<u64>(at + row, v128.load64_zero(at), 1);
    const high = v128.load_lane<u64>(at + plane + row, v128.load64_zero(at + plane), 1);
    left = v128.shuffle<f32>(low, high, 0, 2, 4, 6);
    right = v128.shuffle<f32>(low, high, 1, 3, 5, 7);
  }
  const alongX = f32x4.add(left, f32x4.mul(f32x4.sub(right, left), v128.shuffle<f32>(part, part, 0, 0, 0, 0)));
  const next = v128.shuffle<f32>(alongX, alongX, 1, 1, 3, 3);
  const alongY = f32x4.add(alongX, f32x4.mul(f32x4.sub(next, alongX), v128.shuffle<f32>(part, part, 1, 1, 1, 1)));
  const near = f32x4.extract_lane(alongY, 0), far = f32x4.extract_lane(alongY, 2);
  return near + (far - near) * f32x4.extract_lane(part, 2);
}

/** Table entry of a grid point's block; the table has `line` blocks per row and `layer` per layer. */
@inline
function blockAt(table: usize, line: i32, layer: i32, x: i32, y: i32, z: i32): u32 {
  return load<u32>(table + (<usize>((z >> 3) * layer + (y >> 3) * line + (x >> 3)) << 2));
}

/** Largest position that `sample` reads. */
@inline
function findTop(nx: i32, ny: i32, nz: i32): v128 {
  return f32x4(<f32>nx - 1.001, <f32>ny - 1.001, <f32>nz - 1.001, 0);
}

@inline
function along(from: v128, direction: v128, t: f32): v128 {
  return f32x4.add(from, f32x4.mul(direction, f32x4.splat(t)));
}

/**
 * Minimum distance in cells, along any axis, to air from the grid point nearest to a place; `shifted` is the place plus
 * half a cell.
 */
@inline
function depthAt<T>(table: usize, line: i32, layer: i32, shifted: v128): i32 {
  const i = i32x4.trunc_sat_f32x4_s(shifted);
  const x = i32x4.extract_lane(i, 0), y = i32x4.extract_lane(i, 1), z = i32x4.extract_lane(i, 2);
  const block = blockAt(table, line, layer, x, y, z);
  if (block <= 32) return <i32>block;
  return <i32>load<u8>(<usize>block + valueBytes<T>() + <usize>((z & 7) << 6 | (y & 7) << 3 | (x & 7)));
}

/**
 * Start of material (mm) along a ray from the surface whose first step is not in material: the surface point itself is
 * on the level, so material starts within a cell, or there is no wall (NaN). Returns minus the wall's thickness if it
 * is thinner than the first step.
 */
function entry<T>(table: usize, line: i32, layer: i32, top: v128, p: v128, d: v128, step: f32, iso: f32): f32 {
  for (let lo = step * 0.5; lo > step * 0.2; lo *= 0.5) {
    const vLo = sample<T>(table, line, layer, iso, top, along(p, d, lo));
    if (!(vLo > iso)) continue;
    const vHi = sample<T>(table, line, layer, iso, top, along(p, d, lo * 2));
    return -lo * (1 + (vLo - iso) / (vLo - vHi));
  }
  for (let k: i32 = 2; k <= 4; k++) {
    const t = step * 0.5 * <f32>k;
    if (sample<T>(table, line, layer, iso, top, along(p, d, t)) > iso) return t;
  }
  return NaN;
}

/**
 * Distance (mm) from a place (cells) along direction d (cells per mm) to the next outward crossing of the level; NaN =
 * none. The blocks give for every grid point a minimum distance (in cells along any axis) to air: that distance minus
 * one can be skipped.
 */
function chord<T>(
  table: usize, line: i32, layer: i32, iso: f32, top: v128, p: v128, d: v128, step: f32, limit: f32,
): f32 {
  const shifted = f32x4.add(p, f32x4.splat(0.5));
  // For a surface point at the border, the first step may be beyond the grid, in the extension of its shell.
  const shell = f32x4.add(top, f32x4.splat(1));
  // If the nearest grid point is material, the place is assumed to be material, too, until this proves wrong.
  let first = step;
  if (depthAt<T>(table, line, layer, f32x4.pmin(shell, along(shifted, d, first))) == 0 && !(sample<T>(table, line, layer, iso, top, along(p, d, first)) > iso)) {
    first = entry<T>(table, line, layer, top, p, d, step, iso);
    if (!(first > 0)) return -first;
  }
  let t = first;
  // Steps from one nearest grid point to the next: the surface is near, and interpolation worthwhile, only where that
  // point is air. The shell around the grid is air, so no ray leaves it.
  const size = f32x4.abs(d);
  const steepest = max<f32>(f32x4.extract_lane(size, 0), max<f32>(f32x4.extract_lane(size, 1), f32x4.extract_lane(size, 2)));
  // Where the grey values have no gradient, there is no normal to follow.
  if (!(steepest > 0)) return NaN;
  const cell: f32 = <f32>1 / steepest;
  // The first grid point in air may be up to a cell beyond the crossing.
  const end = limit + cell + step;
  while (t < end) {
    const free = depthAt<T>(table, line, layer, along(shifted, d, t)) - 1;
    if (free > 0) { t += <f32>free * cell; continue; }
    if (free == 0) { t += step; continue; }
    let hi = t;
    let vHi = sample<T>(table, line, layer, iso, top, along(p, d, hi));
    if (vHi > iso) { t += step; continue; }
    // The crossing may be a step or two back, where the nearest grid point was still material.
    let lo = max<f32>(hi - step, first);
    let vLo = sample<T>(table, line, layer, iso, top, along(p, d, lo));
    while (!(vLo > iso) && lo > first) {
      hi = lo; vHi = vLo;
      lo = max<f32>(lo - step, first);
      vLo = sample<T>(table, line, layer, iso, top, along(p, d, lo));
    }
    if (!(vLo > iso)) {
      // No material on the way from the first step, although the adjacent grid points are material.
      first = entry<T>(table, line, layer, top, p, d, step, iso);
      if (!(first > 0)) return -first;
      t = first;
      continue;
    }
    // Over half a cell grey values are nearly linear: two steps leave an error below a thousandth of a cell.
    for (let i: i32 = 0; i < 2; i++) {
      const m = lo + (hi - lo) * min<f32>(max<f32>((vLo - iso) / (vLo - vHi), 0.02), 0.98);
      const vm = sample<T>(table, line, layer, iso, top, along(p, d, m));
      if (vm > iso) { lo = m; vLo = vm; } else { hi = m; vHi = vm; }
    }
    return lo + (hi - lo) * (vLo - iso) / (vLo - vHi);
  }
  return NaN;
}

/**
 * Ray thickness (mm) at vertices from … to-1. `cone` holds `rays` unit vectors (f32 xyz) around +z; the shortest ray
 * counts. Vertices without an opposite surface within `limit` get NaN.
 */
export function rays(
  grid: Grid, blocks: Blocks, positions: usize, normals: usize, from: u32, to: u32, cone: usize, rayCount: i32, limit: f32, thickness: usize,
): void {
  const table = blocks.table, line = blocks.nx, layer = blocks.nx * blocks.ny;
  const nx = grid.nx, ny = grid.ny, nz = grid.nz, iso = grid.iso, sx = grid.sx, sy = grid.sy, sz = grid.sz;
  const isU16 = grid.isU16;
  const step = min<f32>(sx, min<f32>(sy, sz)) * 0.5;
  const top = findTop(nx, ny, nz);
  const spacing = f32x4(sx, sy, sz, 1);
  for (let v = from; v < to; v++) {
    const p = findPlace(positions + <usize>v * 12, spacing);
    const n = normals + <usize>v * 12;
    const ax = -load<f32>(n), ay = -load<f32>(n + 4), az = -load<f32>(n + 8);
    // Tangent frame without branches (Duff et al. 2017, jcgt.org/published/0006/01/01).
    const sign: f32 = az < 0 ? -1 : 1;
    const a: f32 = <f32>-1 / (sign + az);
    const b = ax * ay * a;
    let best: f32 = NaN;
    for (let k: i32 = 0; k < rayCount; k++) {
      const r = cone + <usize>k * 12;
      const u = load<f32>(r), w = load<f32>(r + 4), m = load<f32>(r + 8);
      const dx = u * (<f32>1 + sign * ax * ax * a) + w * b + m * ax;
      const dy = u * sign * b + w * (sign + ay * ay * a) + m * ay;
      const dz = u * -sign * ax + w * -ay + m * az;
      const d = f32x4.div(f32x4(dx, dy, dz, 0), spacing);
      const length = isU16
        ? chord<u16>(table, line, layer, iso, top, p, d, step, limit)
        : chord<f32>(table, line, layer, iso, top, p, d, step, limit);
      if (length == length && !(length >= best)) best = length;
    }
    store<f32>(thickness + (<usize>v << 2), best);
  }
}

/** Position in cells of the padded grid. */
@inline
function findPlace(at: usize, spacing: v128): v128 {
  return f32x4.add(f32x4.div(f32x4(load<f32>(at), load<f32>(at + 4), load<f32>(at + 8), 0), spacing), f32x4.splat(1));
}

/**
 * Contacts whose balls differ by no more than this factor count as one: in a spherical part all of them are, and the
 * smallest of many would be biased low. It corresponds to the noise of a wall of five cells; the balls at a plate's
 * edges differ by 5 % and more.
 */
const alike: f32 = 1.027;

/**
 * Diameter (mm) of the largest ball in the material that is tangent to the surface at vertices from … to-1, found by
 * shrinking it as in Ma, Bae, Choi 2012 (doi:10.1007/s00371-011-0594-7), but with rays instead of nearest neighbours:
 * the point where a ball touches the opposite side is visible from p; at angle a to the inward normal and distance L
 * its radius is L / (2 cos a). thickness[] holds the length of the ray along the normal on entry (upper limit; NaN
 * stays NaN).
 * The result is the smallest ball, averaged with those nearly equal to it (`scratch`: f32, two more than `cone` has).
 * `cone`: unit vectors around +z that are tried first, followed by the direction predicted from the normal at the best
 * contact. A contact counts only if the surface there faces away from p's normal (dot product of normals ≤ maxDot). A
 * lateral contact is an edge if it is alone, but a wall if there is another one opposite: `narrowed` searches for such
 * pairs.
 */
export function balls(
  grid: Grid, blocks: Blocks, positions: usize, normals: usize, from: u32, to: u32,
  cone: usize, rayCount: i32, maxDot: f32, scratch: usize, thickness: usize,
): void {
  if (grid.isU16) measureBalls<u16>(grid, blocks, positions, normals, from, to, cone, rayCount, maxDot, scratch, thickness);
  else measureBalls<f32>(grid, blocks, positions, normals, from, to, cone, rayCount, maxDot, scratch, thickness);
}

/** Gradient from samples one cell to either side, grey values per mm. */
@inline
function slopesAt<T>(table: usize, line: i32, layer: i32, iso: f32, top: v128, place: v128, spacing: v128): v128 {
  const x = f32x4(1, 0, 0, 0), y = f32x4(0, 1, 0, 0), z = f32x4(0, 0, 1, 0);
  const after = f32x4(
    sample<T>(table, line, layer, iso, top, f32x4.add(place, x)),
    sample<T>(table, line, layer, iso, top, f32x4.add(place, y)),
    sample<T>(table, line, layer, iso, top, f32x4.add(place, z)), 0);
  const before = f32x4(
    sample<T>(table, line, layer, iso, top, f32x4.sub(place, x)),
    sample<T>(table, line, layer, iso, top, f32x4.sub(place, y)),
    sample<T>(table, line, layer, iso, top, f32x4.sub(place, z)), 0);
  return f32x4.div(f32x4.sub(after, before), spacing);
}

function measureBalls<T>(
  grid: Grid, blocks: Blocks, positions: usize, normals: usize, from: u32, to: u32, cone: usize, rayCount: i32, maxDot: f32, scratch: usize, thickness: usize,
): void {
  const table = blocks.table, line = blocks.nx, layer = blocks.nx * blocks.ny;
  const nx = grid.nx, ny = grid.ny, nz = grid.nz, iso = grid.iso, sx = grid.sx, sy = grid.sy, sz = grid.sz;
  const step = min<f32>(sx, min<f32>(sy, sz)) * 0.5;
  const top = findTop(nx, ny, nz);
  const spacing = f32x4(sx, sy, sz, 1);
  for (let v = from; v < to; v++) {
    const slot = thickness + (<usize>v << 2);
    const start = load<f32>(slot);
    if (start != start) continue;
    const p = findPlace(positions + <usize>v * 12, spacing);
    const n = normals + <usize>v * 12;
    const ax = -load<f32>(n), ay = -load<f32>(n + 4), az = -load<f32>(n + 8);
    const sign: f32 = az < 0 ? -1 : 1;
    const a: f32 = <f32>-1 / (sign + az);
    const b = ax * ay * a;
    let diameter = start;
    let found: i32 = 0;
    // The opposite side's outward normal at the best contact, or at the end of the ray along the normal if none was
    // better.
    let mx: f32 = 0, my: f32 = 0, mz: f32 = 0;
    let moved = true;
    for (let k: i32 = 0; k < rayCount + 2; k++) {
      let dx: f32 = ax, dy: f32 = ay, dz: f32 = az;
      if (k > 0 && k < rayCount) {
        const r = cone + <usize>k * 12;
        const u = load<f32>(r), w = load<f32>(r + 4), m = load<f32>(r + 8);
        dx = u * (<f32>1 + sign * ax * ax * a) + w * b + m * ax;
        dy = u * sign * b + w * (sign + ay * ay * a) + m * ay;
        dz = u * -sign * ax + w * -ay + m * az;
      } else if (k >= rayCount) {
        // A ball tangent at p and to a plane with normal m touches the plane in the direction m - n from p.
        if (!moved) break;
        moved = false;
        dx = mx + ax; dy = my + ay; dz = mz + az;
        const scale = <f32>1 / sqrt<f32>(dx * dx + dy * dy + dz * dz);
        dx *= scale; dy *= scale; dz *= scale;
      }
      const cosine = dx * ax + dy * ay + dz * az;
      if (!(cosine > 0.8)) continue;
      // An error of one degree in the normal makes a ball touch at the side too early: its possible effect is added to
      // the diameter.
      const doubt: f32 = <f32>1 + <f32>0.022 * sqrt<f32>(max<f32>(<f32>1 / (cosine * cosine) - 1, 0));
      const limit = diameter * cosine * alike;
      const d = f32x4.div(f32x4(dx, dy, dz, 0), spacing);
      const length = k == 0 ? start : chord<T>(table, line, layer, iso, top, p, d, step, limit);
      if (k > 0 && !(length < limit)) continue;
      const slopes = slopesAt<T>(table, line, layer, iso, top, along(p, d, length), spacing);
      const gx = f32x4.extract_lane(slopes, 0), gy = f32x4.extract_lane(slopes, 1), gz = f32x4.extract_lane(slopes, 2);
      const size = sqrt<f32>(gx * gx + gy * gy + gz * gz);
      // Grey values decrease towards air: the outward normal is the negative gradient; (ax, ay, az) is -n.
      if (k > 0 && gx * ax + gy * ay + gz * az > maxDot * size) continue;
      if (!(size > 0)) continue;
      const across = length / cosine;
      store<f32>(scratch + (<usize>found << 2), across);
      found++;
      if (k > 0 && !(across * doubt < diameter)) continue;
      mx = -gx / size; my = -gy / size; mz = -gz / size;
      diameter = across * doubt;
      moved = true;
    }
    if (found > 1) {
      let sum: f32 = 0, count: f32 = 0;
      for (let k: i32 = 0; k < found; k++) {
        const across = load<f32>(scratch + (<usize>k << 2));
        if (across <= diameter * alike) { sum += across; count += 1; }
      }
      if (count > 0) diameter = sum / count;
    }
    store<f32>(slot, narrowed<T>(table, line, layer, iso, top, spacing, p, ax, ay, az, diameter, step));
  }
}

/**
 * The ball's diameter, or less if it does not fit between two walls at its sides, as on the narrow side of a plate, the
 * end of a rod or the top of a rib: searches for lines across the ball, through its centre and those of smaller balls
 * in it, that meet the surface on both sides before the ball's own boundary.
 */
function narrowed<T>(
  table: usize, line: i32, layer: i32, iso: f32, top: v128, spacing: v128,
  p: v128, ax: f32, ay: f32, az: f32, first: f32, step: f32,
): f32 {
  const inward = f32x4.div(f32x4(ax, ay, az, 0), spacing);
  const sign: f32 = az < 0 ? -1 : 1;
  const a: f32 = <f32>-1 / (sign + az);
  const b = ax * ay * a;
  let diameter = first;
  let radius = first * 0.5;
  for (let turn: i32 = 0; turn < 6 && radius > step * 3; turn++) {
    const center = along(p, inward, radius);
    let width = radius * 2;
    // If there is enough material all around the centre, every line across is long enough.
    const free = depthAt<T>(table, line, layer, f32x4.add(center, f32x4.splat(0.5))) - 1;
    if (<f32>free * step * 2 >= radius * 0.85) { radius *= 0.5; continue; }
    // Every 30°: a wall oblique to the lines appears wider by 3.5 % at most.
    let u: f32 = 1, w: f32 = 0;
    for (let k: i32 = 0; k < 6; k++) {
      const turned = u * <f32>0.8660254 - w * 0.5;
      w = u * 0.5 + w * <f32>0.8660254;
      u = turned;
      const d = f32x4.div(f32x4(
        u * (<f32>1 + sign * ax * ax * a) + w * b,
        u * sign * b + w * (sign + ay * ay * a),
        u * -sign * ax - w * ay, 0), spacing);
      const left = chord<T>(table, line, layer, iso, top, center, d, step, radius);
      if (left != left) continue;
      const right = chord<T>(table, line, layer, iso, top, center, f32x4.neg(d), step, radius);
      if (left + right < width) width = left + right;
    }
    // A ball that fits has no shorter line across; noise and curvature cause up to a seventh.
    if (width < radius * 1.7) {
      diameter = width;
      radius = width * 0.5;
    } else radius *= 0.5;
  }
  return diameter;
}

/**
 * Adds a third of each triangle's area (mm²) to vertices from … to-1 (f32); triangles first … last-1 are all that touch
 * them.
 */
export function vertexAreas(positions: usize, from: u32, to: u32, indices: usize, first: u32, last: u32, areas: usize): void {
  clearBytes(areas + (<usize>from << 2), <usize>(to - from) << 2);
  const count = to - from;
  for (let t = first; t < last; t++) {
    const at = indices + <usize>t * 12;
    const a = load<u32>(at), b = load<u32>(at + 4), c = load<u32>(at + 8);
    const pa = positions + <usize>a * 12, pb = positions + <usize>b * 12, pc = positions + <usize>c * 12;
    const ux = load<f32>(pb) - load<f32>(pa), uy = load<f32>(pb + 4) - load<f32>(pa + 4), uz = load<f32>(pb + 8) - load<f32>(pa + 8);
    const vx = load<f32>(pc) - load<f32>(pa), vy = load<f32>(pc + 4) - load<f32>(pa + 4), vz = load<f32>(pc + 8) - load<f32>(pa + 8);
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const third = sqrt<f32>(x * x + y * y + z * z) / 6;
    if (a - from < count) store<f32>(areas + (<usize>a << 2), load<f32>(areas + (<usize>a << 2)) + third);
    if (b - from < count) store<f32>(areas + (<usize>b << 2), load<f32>(areas + (<usize>b << 2)) + third);
    if (c - from < count) store<f32>(areas + (<usize>c << 2), load<f32>(areas + (<usize>c << 2)) + third);
  }
}
