// Wall thickness at the vertices of the isosurface: rays through the grid, and balls found by rays.

// @ts-ignore: decorator
@inline
function sample<T>(grid: usize, stride: i32, nx: i32, ny: i32, nz: i32, x: f32, y: f32, z: f32): f32 {
  const cx = clamp(x, <f32>nx - 1.001), cy = clamp(y, <f32>ny - 1.001), cz = clamp(z, <f32>nz - 1.001);
  const ix = <i32>cx, iy = <i32>cy, iz = <i32>cz;
  const fx = cx - <f32>ix, fy = cy - <f32>iy, fz = cz - <f32>iz;
  const row = <usize>stride * sizeof<T>();
  const plane = row * <usize>ny;
  const at = grid + <usize>iz * plane + <usize>iy * row + <usize>ix * sizeof<T>();
  const a = lerp<T>(at, fx), b = lerp<T>(at + row, fx);
  const c = lerp<T>(at + plane, fx), d = lerp<T>(at + plane + row, fx);
  const low = a + (b - a) * fy;
  const high = c + (d - c) * fy;
  return low + (high - low) * fz;
}

/** Between 0 and `top`; NaN gives 0. Comparisons are quicker here than the instructions for min and max with their NaN. */
// @ts-ignore: decorator
@inline
function clamp(v: f32, top: f32): f32 {
  const low: f32 = v > 0 ? v : 0;
  return low < top ? low : top;
}

// @ts-ignore: decorator
@inline
function lerp<T>(at: usize, f: f32): f32 {
  const v = <f32>load<T>(at);
  return v + (<f32>load<T>(at + sizeof<T>()) - v) * f;
}

/** How far (mm) along the index-space direction d (cells per mm) until the level is crossed outward; NaN = none. */
function chord<T>(
  grid: usize, stride: i32, nx: i32, ny: i32, nz: i32, iso: f32, solid: usize, bx: i32, by: i32,
  px: f32, py: f32, pz: f32, dx: f32, dy: f32, dz: f32, step: f32, limit: f32,
): f32 {
  let t: f32 = step;
  // The surface point itself lies on the level: material begins within a cell or two, or there is no wall.
  for (let k: i32 = 0; ; k++) {
    if (sample<T>(grid, stride, nx, ny, nz, px + dx * t, py + dy * t, pz + dz * t) > iso) break;
    if (k == 2) return NaN;
    t += step * 0.5;
  }
  // Steps are taken in whole numbers (1/4096 of a cell), from one nearest grid point to the next: only where that one
  // is air is the surface near, and only there is it worth looking between the grid points. The shell around the grid is
  // air, so no ray leaves it.
  const first = t;
  const row = <usize>stride * sizeof<T>();
  const plane = row * <usize>ny;
  const mx = <i32>(dx * step * 4096), my = <i32>(dy * step * 4096), mz = <i32>(dz * step * 4096);
  while (t < limit) {
    const x = px + dx * t, y = py + dy * t, z = pz + dz * t;
    // Blocks of 4 cells that are material throughout are crossed in one stride.
    const cx = <i32>x >> 2, cy = <i32>y >> 2, cz = <i32>z >> 2;
    if (load<u8>(solid + ((<usize>cz * <usize>by + <usize>cy) * <usize>bx + <usize>cx))) {
      const ex = dx > 0 ? (<f32>(cx * 4 + 4) - x) / dx : dx < 0 ? (<f32>(cx * 4) - x) / dx : f32.MAX_VALUE;
      const ey = dy > 0 ? (<f32>(cy * 4 + 4) - y) / dy : dy < 0 ? (<f32>(cy * 4) - y) / dy : f32.MAX_VALUE;
      const ez = dz > 0 ? (<f32>(cz * 4 + 4) - z) / dz : dz < 0 ? (<f32>(cz * 4) - z) / dz : f32.MAX_VALUE;
      let exit = ex < ey ? ex : ey;
      if (ez < exit) exit = ez;
      t += exit > step * 0.5 ? exit : step * 0.5;
      continue;
    }
    let ix = <i32>((x + 0.5) * 4096), iy = <i32>((y + 0.5) * 4096), iz = <i32>((z + 0.5) * 4096);
    for (let k: i32 = 1; k <= 4; k++) {
      ix += mx; iy += my; iz += mz;
      const nearest = <f32>load<T>(grid + <usize>(iz >> 12) * plane + <usize>(iy >> 12) * row + <usize>(ix >> 12) * sizeof<T>());
      if (nearest > iso) continue;
      let hi = t + step * <f32>k;
      let vHi = sample<T>(grid, stride, nx, ny, nz, px + dx * hi, py + dy * hi, pz + dz * hi);
      if (vHi > iso) continue;
      // The crossing may lie a step or two back, where the nearest grid point was still material.
      let lo = max<f32>(hi - step, first);
      let vLo = sample<T>(grid, stride, nx, ny, nz, px + dx * lo, py + dy * lo, pz + dz * lo);
      while (!(vLo > iso) && lo > first) {
        hi = lo; vHi = vLo;
        lo = max<f32>(lo - step, first);
        vLo = sample<T>(grid, stride, nx, ny, nz, px + dx * lo, py + dy * lo, pz + dz * lo);
      }
      for (let i: i32 = 0; i < 3; i++) {
        const m = lo + (hi - lo) * min<f32>(max<f32>((vLo - iso) / (vLo - vHi), 0.02), 0.98);
        const vm = sample<T>(grid, stride, nx, ny, nz, px + dx * m, py + dy * m, pz + dz * m);
        if (vm > iso) { lo = m; vLo = vm; } else { hi = m; vHi = vm; }
      }
      return lo + (hi - lo) * (vLo - iso) / (vLo - vHi);
    }
    t += step * 4;
  }
  return NaN;
}

/** 1 for each block of 4x4x4 cells whose 5x5x5 grid points are all material; block planes zFrom … zTo-1. */
export function solidBlocks(bits: usize, words: i32, ny: i32, nz: i32, bx: i32, by: i32, zFrom: i32, zTo: i32, solid: usize): void {
  const rowBytes = <usize>words << 3;
  for (let cz = zFrom; cz < zTo; cz++) {
    for (let cy: i32 = 0; cy < by; cy++) {
      const out = solid + (<usize>cz * <usize>by + <usize>cy) * <usize>bx;
      const whole = cz * 4 + 4 < nz && cy * 4 + 4 < ny;
      let now: u64 = whole ? allOf(bits, rowBytes, ny, cy, cz, 0) : 0;
      for (let w: i32 = 0; w < words; w++) {
        const next: u64 = whole && w + 1 < words ? allOf(bits, rowBytes, ny, cy, cz, w + 1) : 0;
        const five = now & (now >> 1) & (now >> 2) & (now >> 3) & ((now >> 4) | (next << 60));
        for (let k: i32 = 0; k < 16; k++) {
          const cx = (w << 4) + k;
          if (cx < bx) store<u8>(out + <usize>cx, <u8>(five >> (k << 2) & 1));
        }
        now = next;
      }
    }
  }
}

function allOf(bits: usize, rowBytes: usize, ny: i32, cy: i32, cz: i32, w: i32): u64 {
  let all: u64 = ~0;
  for (let z: i32 = 0; z < 5; z++) {
    for (let y: i32 = 0; y < 5; y++) {
      all &= load<u64>(bits + (<usize>(cz * 4 + z) * <usize>ny + <usize>(cy * 4 + y)) * rowBytes + (<usize>w << 3));
    }
    if (!all) return 0;
  }
  return all;
}

/**
 * Ray thickness (mm) of vertices from … to-1. `cone` holds `rays` unit vectors (f32 xyz) around +z; the shortest
 * counts. Vertices whose ray finds no opposite surface within `limit` get NaN.
 */
export function rays(
  grid: usize, isU16: i32, stride: i32, nx: i32, ny: i32, nz: i32, iso: f32, sx: f32, sy: f32, sz: f32,
  solid: usize, bx: i32, by: i32, positions: usize, normals: usize, from: u32, to: u32,
  cone: usize, rayCount: i32, limit: f32, thickness: usize,
): void {
  const step = min<f32>(sx, min<f32>(sy, sz)) * 0.5;
  for (let v = from; v < to; v++) {
    const p = positions + <usize>v * 12;
    const n = normals + <usize>v * 12;
    const px = load<f32>(p) / sx + 1, py = load<f32>(p + 4) / sy + 1, pz = load<f32>(p + 8) / sz + 1;
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
      const length = isU16
        ? chord<u16>(grid, stride, nx, ny, nz, iso, solid, bx, by, px, py, pz, dx / sx, dy / sy, dz / sz, step, limit)
        : chord<f32>(grid, stride, nx, ny, nz, iso, solid, bx, by, px, py, pz, dx / sx, dy / sy, dz / sz, step, limit);
      if (length == length && !(length >= best)) best = length;
    }
    store<f32>(thickness + (<usize>v << 2), best);
  }
}

/** Touches whose balls differ by no more than this share are one: of a ball in a ball all are, and the least of many is too small. */
const alike: f32 = 1.02;

/**
 * Diameter (mm) of the largest ball in the material that touches vertices from … to-1 (tangent there), as
 * Ma, Bae, Choi 2012 (doi:10.1007/s00371-011-0594-7) shrink it, but found by rays instead of nearest neighbours: where a
 * ball touches the opposite side is visible from p, at angle a to the inward normal and distance L its radius is
 * L / (2 cos a). thickness[] holds the length of the ray along the normal on entry (upper limit; NaN stays NaN).
 * The smallest ball counts, or rather the mean of those that are as good as equal to it (`scratch`: f32, two more than
 * `cone` has). `cone`: unit vectors around +z that are tried first; then the direction that the best touch's own normal asks for.
 * A touch counts when the surface there turns away from p's normal (dot product of normals ≤ maxDot). What lies to the
 * side is an edge when it stands alone, but a wall when another one stands opposite: `narrowed` looks for such pairs.
 */
export function balls(
  grid: usize, isU16: i32, stride: i32, nx: i32, ny: i32, nz: i32, iso: f32, sx: f32, sy: f32, sz: f32,
  solid: usize, bx: i32, by: i32, positions: usize, normals: usize, from: u32, to: u32,
  cone: usize, rayCount: i32, maxDot: f32, scratch: usize, thickness: usize,
): void {
  if (isU16) ballsOf<u16>(grid, stride, nx, ny, nz, iso, sx, sy, sz, solid, bx, by, positions, normals, from, to, cone, rayCount, maxDot, scratch, thickness);
  else ballsOf<f32>(grid, stride, nx, ny, nz, iso, sx, sy, sz, solid, bx, by, positions, normals, from, to, cone, rayCount, maxDot, scratch, thickness);
}

/** Slope along one axis by samples one cell to either side, grey values per mm. */
// @ts-ignore: decorator
@inline
function slopeAt<T>(grid: usize, stride: i32, nx: i32, ny: i32, nz: i32, x: f32, y: f32, z: f32, ox: f32, oy: f32, oz: f32, spacing: f32): f32 {
  return (sample<T>(grid, stride, nx, ny, nz, x + ox, y + oy, z + oz) - sample<T>(grid, stride, nx, ny, nz, x - ox, y - oy, z - oz)) / spacing;
}

function ballsOf<T>(
  grid: usize, stride: i32, nx: i32, ny: i32, nz: i32, iso: f32, sx: f32, sy: f32, sz: f32,
  solid: usize, bx: i32, by: i32, positions: usize, normals: usize, from: u32, to: u32,
  cone: usize, rayCount: i32, maxDot: f32, scratch: usize, thickness: usize,
): void {
  const step = min<f32>(sx, min<f32>(sy, sz)) * 0.5;
  for (let v = from; v < to; v++) {
    const slot = thickness + (<usize>v << 2);
    const start = load<f32>(slot);
    if (start != start) continue;
    const p = positions + <usize>v * 12;
    const n = normals + <usize>v * 12;
    const px = load<f32>(p) / sx + 1, py = load<f32>(p + 4) / sy + 1, pz = load<f32>(p + 8) / sz + 1;
    const ax = -load<f32>(n), ay = -load<f32>(n + 4), az = -load<f32>(n + 8);
    const sign: f32 = az < 0 ? -1 : 1;
    const a: f32 = <f32>-1 / (sign + az);
    const b = ax * ay * a;
    let diameter = start;
    let found: i32 = 0;
    // Opposite side's outward normal at the best touch; of the ray along the normal when none was better.
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
        // Tangent at p and at a plane with normal m, a ball touches the plane in the direction m - n from p.
        if (!moved) break;
        moved = false;
        dx = mx + ax; dy = my + ay; dz = mz + az;
        const scale = <f32>1 / sqrt<f32>(dx * dx + dy * dy + dz * dz);
        dx *= scale; dy *= scale; dz *= scale;
      }
      const cosine = dx * ax + dy * ay + dz * az;
      if (!(cosine > 0.8)) continue;
      // A normal that is off by a degree makes a ball touch at the side too early: what that could do doesn't count.
      const doubt: f32 = <f32>1 + <f32>0.022 * sqrt<f32>(max<f32>(<f32>1 / (cosine * cosine) - 1, 0));
      const limit = diameter * cosine * alike;
      const length = k == 0 ? start : chord<T>(grid, stride, nx, ny, nz, iso, solid, bx, by, px, py, pz, dx / sx, dy / sy, dz / sz, step, limit);
      if (k > 0 && !(length < limit)) continue;
      const x = px + dx / sx * length, y = py + dy / sy * length, z = pz + dz / sz * length;
      const gx = slopeAt<T>(grid, stride, nx, ny, nz, x, y, z, 1, 0, 0, sx);
      const gy = slopeAt<T>(grid, stride, nx, ny, nz, x, y, z, 0, 1, 0, sy);
      const gz = slopeAt<T>(grid, stride, nx, ny, nz, x, y, z, 0, 0, 1, sz);
      const size = sqrt<f32>(gx * gx + gy * gy + gz * gz);
      // Grey values fall towards air: the outward normal is the negative gradient; (ax, ay, az) is -n.
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
    store<f32>(slot, narrowed<T>(grid, stride, nx, ny, nz, iso, sx, sy, sz, solid, bx, by, px, py, pz, ax, ay, az, diameter, step));
  }
}

/**
 * The ball's diameter, or less where it does not fit between two walls at its sides, as on the narrow side of a plate,
 * on the end of a rod, on top of a rib: straight lines across the ball, at its centre and at those of smaller balls in
 * it, that meet the surface on both sides before the ball's own ends.
 */
function narrowed<T>(
  grid: usize, stride: i32, nx: i32, ny: i32, nz: i32, iso: f32, sx: f32, sy: f32, sz: f32, solid: usize, bx: i32, by: i32,
  px: f32, py: f32, pz: f32, ax: f32, ay: f32, az: f32, first: f32, step: f32,
): f32 {
  const sign: f32 = az < 0 ? -1 : 1;
  const a: f32 = <f32>-1 / (sign + az);
  const b = ax * ay * a;
  let diameter = first;
  let radius = first * 0.5;
  for (let turn: i32 = 0; turn < 6 && radius > step * 3; turn++) {
    const cx = px + ax / sx * radius, cy = py + ay / sy * radius, cz = pz + az / sz * radius;
    let width = radius * 2;
    // Every 30°: a wall that stands askew between two of the lines looks wider by 3.5 % at the most.
    let u: f32 = 1, w: f32 = 0;
    for (let k: i32 = 0; k < 6; k++) {
      const turned = u * <f32>0.8660254 - w * 0.5;
      w = u * 0.5 + w * <f32>0.8660254;
      u = turned;
      const dx = (u * (<f32>1 + sign * ax * ax * a) + w * b) / sx;
      const dy = (u * sign * b + w * (sign + ay * ay * a)) / sy;
      const dz = (u * -sign * ax - w * ay) / sz;
      const left = chord<T>(grid, stride, nx, ny, nz, iso, solid, bx, by, cx, cy, cz, dx, dy, dz, step, radius);
      if (left != left) continue;
      const right = chord<T>(grid, stride, nx, ny, nz, iso, solid, bx, by, cx, cy, cz, -dx, -dy, -dz, step, radius);
      if (left + right < width) width = left + right;
    }
    // A ball that fits has no shorter line across; noise and curvature make up to a seventh.
    if (width < radius * 1.7) {
      diameter = width;
      radius = width * 0.5;
    } else radius *= 0.5;
  }
  return diameter;
}

/** A third of each triangle's area (mm²) to vertices from … to-1 (f32); triangles first … last-1 are all that touch them. */
export function vertexAreas(positions: usize, from: u32, to: u32, indices: usize, first: u32, last: u32, areas: usize): void {
  memory.fill(areas + (<usize>from << 2), 0, <usize>(to - from) << 2);
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
