// Wall thickness at the vertices of the isosurface: rays through the grid, tangent balls against the vertices.

// @ts-ignore: decorator
@inline
function sample<T>(grid: usize, stride: i32, nx: i32, ny: i32, nz: i32, x: f32, y: f32, z: f32): f32 {
  const cx = min<f32>(max<f32>(x, 0), <f32>nx - 1.001);
  const cy = min<f32>(max<f32>(y, 0), <f32>ny - 1.001);
  const cz = min<f32>(max<f32>(z, 0), <f32>nz - 1.001);
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
  let before: f32 = 0;
  // The surface point itself lies on the level: material begins within a cell or two, or there is no wall.
  for (let k: i32 = 0; ; k++) {
    before = sample<T>(grid, stride, nx, ny, nz, px + dx * t, py + dy * t, pz + dz * t);
    if (before > iso) break;
    if (k == 2) return NaN;
    t += step * 0.5;
  }
  while (t < limit) {
    // Blocks of 4 cells that are material throughout are crossed in one stride.
    const x = px + dx * t, y = py + dy * t, z = pz + dz * t;
    let next = t + step;
    const cx = <i32>x >> 2, cy = <i32>y >> 2, cz = <i32>z >> 2;
    if (x >= 0 && y >= 0 && z >= 0 && x < <f32>(nx - 1) && y < <f32>(ny - 1) && z < <f32>(nz - 1)) {
      if (load<u8>(solid + ((<usize>cz * <usize>by + <usize>cy) * <usize>bx + <usize>cx))) {
        const ex = dx > 0 ? (<f32>(cx * 4 + 4) - x) / dx : dx < 0 ? (<f32>(cx * 4) - x) / dx : f32.MAX_VALUE;
        const ey = dy > 0 ? (<f32>(cy * 4 + 4) - y) / dy : dy < 0 ? (<f32>(cy * 4) - y) / dy : f32.MAX_VALUE;
        const ez = dz > 0 ? (<f32>(cz * 4 + 4) - z) / dz : dz < 0 ? (<f32>(cz * 4) - z) / dz : f32.MAX_VALUE;
        next = t + max<f32>(min<f32>(ex, min<f32>(ey, ez)), step * 0.5);
      }
    } else return NaN;
    const v = sample<T>(grid, stride, nx, ny, nz, px + dx * next, py + dy * next, pz + dz * next);
    if (v <= iso) {
      // Inside a stride of a solid block nothing is crossed, so the bracket is at most one step wide at its end.
      let lo = max<f32>(t, next - step), hi = next;
      let vLo = lo > t ? sample<T>(grid, stride, nx, ny, nz, px + dx * lo, py + dy * lo, pz + dz * lo) : before;
      let vHi = v;
      for (let k: i32 = 0; k < 3; k++) {
        const m = lo + (hi - lo) * min<f32>(max<f32>((vLo - iso) / (vLo - vHi), 0.02), 0.98);
        const vm = sample<T>(grid, stride, nx, ny, nz, px + dx * m, py + dy * m, pz + dz * m);
        if (vm > iso) { lo = m; vLo = vm; } else { hi = m; vHi = vm; }
      }
      return lo + (hi - lo) * (vLo - iso) / (vLo - vHi);
    }
    before = v;
    t = next;
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

// @ts-ignore: decorator
@inline
function blockOf(p: usize, sx: f32, sy: f32, sz: f32, bx: i32, by: i32): usize {
  const x = <i32>(load<f32>(p) / sx + 1) >> 2;
  const y = <i32>(load<f32>(p + 4) / sy + 1) >> 2;
  const z = <i32>(load<f32>(p + 8) / sz + 1) >> 2;
  return (<usize>z * <usize>by + <usize>y) * <usize>bx + <usize>x;
}

/**
 * Sorts the vertices into blocks of 4x4x4 cells: starts[blocks + 1] (u32), then x, y, z planes of `capacity` f32 and
 * their vertex numbers (u32) one after another from `sorted`. `any16`, `any64`: whether blocks of 16³ and 64³ cells hold any.
 */
export function sortIntoBlocks(
  positions: usize, count: u32, capacity: u32, sx: f32, sy: f32, sz: f32, bx: i32, by: i32, bz: i32,
  starts: usize, sorted: usize, any16: usize, any64: usize,
): void {
  const blocks = <usize>bx * <usize>by * <usize>bz;
  memory.fill(starts, 0, (blocks + 1) << 2);
  for (let v: u32 = 0; v < count; v++) {
    const at = starts + ((blockOf(positions + <usize>v * 12, sx, sy, sz, bx, by) + 1) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  const cx = (bx + 3) >> 2, cy = (by + 3) >> 2, cz = (bz + 3) >> 2;
  const gx = (cx + 3) >> 2, gy = (cy + 3) >> 2, gz = (cz + 3) >> 2;
  memory.fill(any16, 0, <usize>cx * <usize>cy * <usize>cz);
  memory.fill(any64, 0, <usize>gx * <usize>gy * <usize>gz);
  let sum: u32 = 0;
  let at = starts + 4;
  for (let z: i32 = 0; z < bz; z++) for (let y: i32 = 0; y < by; y++) for (let x: i32 = 0; x < bx; x++, at += 4) {
    const n = load<u32>(at);
    if (n) {
      store<u8>(any16 + (<usize>(z >> 2) * <usize>cy + <usize>(y >> 2)) * <usize>cx + <usize>(x >> 2), 1);
      store<u8>(any64 + (<usize>(z >> 4) * <usize>gy + <usize>(y >> 4)) * <usize>gx + <usize>(x >> 4), 1);
    }
    // starts[b + 1] holds where block b begins while it is being filled, and where it ends afterwards.
    store<u32>(at, sum);
    sum += n;
  }
  const plane = <usize>capacity << 2;
  for (let v: u32 = 0; v < count; v++) {
    const p = positions + <usize>v * 12;
    const slot = starts + ((blockOf(p, sx, sy, sz, bx, by) + 1) << 2);
    const i = load<u32>(slot);
    store<u32>(slot, i + 1);
    const to = sorted + (<usize>i << 2);
    store<f32>(to, load<f32>(p));
    store<f32>(to + plane, load<f32>(p + 4));
    store<f32>(to + plane * 2, load<f32>(p + 8));
    store<u32>(to + plane * 3, v);
  }
}

// @ts-ignore: decorator
@inline
function boxDistance2(cx: f32, cy: f32, cz: f32, x: i32, y: i32, z: i32, size: i32, sx: f32, sy: f32, sz: f32): f32 {
  const lx = <f32>(x * size - 1) * sx, ly = <f32>(y * size - 1) * sy, lz = <f32>(z * size - 1) * sz;
  const ox = max<f32>(max<f32>(lx - cx, cx - lx - <f32>size * sx), 0);
  const oy = max<f32>(max<f32>(ly - cy, cy - ly - <f32>size * sy), 0);
  const oz = max<f32>(max<f32>(lz - cz, cz - lz - <f32>size * sz), 0);
  return ox * ox + oy * oy + oz * oz;
}

// @ts-ignore: decorator
@inline
function low(c: f32, r: f32, s: f32, size: f32): i32 {
  return max<i32>(<i32>Mathf.floor(((c - r) / s + 1) / size), 0);
}

// @ts-ignore: decorator
@inline
function high(c: f32, r: f32, s: f32, size: f32, n: i32): i32 {
  return min<i32>(<i32>Mathf.floor(((c + r) / s + 1) / size), n - 1);
}

/**
 * Radius of the largest ball tangent at p (normal n) that holds no vertex of the opposite side, at most `limit`: its bits
 * as f32 in the upper half, the vertex that it touches in the lower (`self` when none). One search that shrinks the ball
 * while it walks the blocks: tangent balls are nested, so what lies outside the present one never matters again.
 */
function tangentBall(
  px: f32, py: f32, pz: f32, nx: f32, ny: f32, nz: f32, self: u32, limit: f32,
  normals: usize, sx: f32, sy: f32, sz: f32, bx: i32, by: i32, bz: i32,
  starts: usize, sorted: usize, plane: usize, any16: usize, any64: usize, maxDot: f32, near: f32,
): u64 {
  const m_x = (bx + 3) >> 2, m_y = (by + 3) >> 2, m_z = (bz + 3) >> 2;
  const g_x = (m_x + 3) >> 2, g_y = (m_y + 3) >> 2, g_z = (m_z + 3) >> 2;
  let r = limit;
  let touching = self;
  let cx = px - nx * r, cy = py - ny * r, cz = pz - nz * r;
  const g0 = low(cx, r, sx, 64), g1 = high(cx, r, sx, 64, g_x);
  const h0 = low(cy, r, sy, 64), h1 = high(cy, r, sy, 64, g_y);
  const i0 = low(cz, r, sz, 64), i1 = high(cz, r, sz, 64, g_z);
  for (let gz = i0; gz <= i1; gz++) for (let gy = h0; gy <= h1; gy++) for (let gx = g0; gx <= g1; gx++) {
    if (!load<u8>(any64 + (<usize>gz * <usize>g_y + <usize>gy) * <usize>g_x + <usize>gx)) continue;
    if (boxDistance2(cx, cy, cz, gx, gy, gz, 64, sx, sy, sz) >= r * r) continue;
    const mx0 = max<i32>(gx << 2, low(cx, r, sx, 16)), mx1 = min<i32>((gx << 2) + 3, high(cx, r, sx, 16, m_x));
    const my0 = max<i32>(gy << 2, low(cy, r, sy, 16)), my1 = min<i32>((gy << 2) + 3, high(cy, r, sy, 16, m_y));
    const mz0 = max<i32>(gz << 2, low(cz, r, sz, 16)), mz1 = min<i32>((gz << 2) + 3, high(cz, r, sz, 16, m_z));
    for (let mz = mz0; mz <= mz1; mz++) for (let my = my0; my <= my1; my++) for (let mx = mx0; mx <= mx1; mx++) {
      if (!load<u8>(any16 + (<usize>mz * <usize>m_y + <usize>my) * <usize>m_x + <usize>mx)) continue;
      if (boxDistance2(cx, cy, cz, mx, my, mz, 16, sx, sy, sz) >= r * r) continue;
      const x0 = max<i32>(mx << 2, low(cx, r, sx, 4)), x1 = min<i32>((mx << 2) + 3, high(cx, r, sx, 4, bx));
      const y0 = max<i32>(my << 2, low(cy, r, sy, 4)), y1 = min<i32>((my << 2) + 3, high(cy, r, sy, 4, by));
      const z0 = max<i32>(mz << 2, low(cz, r, sz, 4)), z1 = min<i32>((mz << 2) + 3, high(cz, r, sz, 4, bz));
      for (let z = z0; z <= z1; z++) for (let y = y0; y <= y1; y++) for (let x = x0; x <= x1; x++) {
        const at = starts + (((<usize>z * <usize>by + <usize>y) * <usize>bx + <usize>x) << 2);
        const begin = load<u32>(at), end = load<u32>(at + 4);
        if (begin == end || boxDistance2(cx, cy, cz, x, y, z, 4, sx, sy, sz) >= r * r) continue;
        for (let i = begin; i < end; i += 4) {
          const q = sorted + (<usize>i << 2);
          const ex = f32x4.sub(v128.load(q), f32x4.splat(px));
          const ey = f32x4.sub(v128.load(q + plane), f32x4.splat(py));
          const ez = f32x4.sub(v128.load(q + plane * 2), f32x4.splat(pz));
          const d2 = f32x4.add(f32x4.add(f32x4.mul(ex, ex), f32x4.mul(ey, ey)), f32x4.mul(ez, ez));
          const depth = f32x4.neg(f32x4.add(f32x4.add(f32x4.mul(ex, f32x4.splat(nx)), f32x4.mul(ey, f32x4.splat(ny))), f32x4.mul(ez, f32x4.splat(nz))));
          // inside the ball: |q - p|² < 2 r depth
          let hit = i32x4.bitmask(v128.and(f32x4.lt(d2, f32x4.mul(depth, f32x4.splat(2 * r))), f32x4.gt(d2, f32x4.splat(near))));
          if (end - i < 4) hit &= (1 << (end - i)) - 1;
          while (hit) {
            const k = <usize>ctz(hit);
            hit &= hit - 1;
            const id = load<u32>(q + plane * 3 + (k << 2));
            const m = normals + <usize>id * 12;
            if (load<f32>(m) * nx + load<f32>(m + 4) * ny + load<f32>(m + 8) * nz > maxDot) continue;
            const qx = load<f32>(q + (k << 2)) - px, qy = load<f32>(q + (k << 2) + plane) - py, qz = load<f32>(q + (k << 2) + plane * 2) - pz;
            const radius = (qx * qx + qy * qy + qz * qz) / (-2 * (qx * nx + qy * ny + qz * nz));
            if (!(radius < r)) continue;
            r = radius;
            touching = id;
            cx = px - nx * r; cy = py - ny * r; cz = pz - nz * r;
          }
        }
      }
    }
  }
  return <u64>reinterpret<u32>(r) << 32 | <u64>touching;
}

/**
 * Diameter (mm) of the largest ball inside the material that touches each vertex from … to-1 (tangent there), after the
 * shrinking ball of Ma, Bae, Choi 2012 (doi:10.1007/s00371-011-0594-7). thickness[] holds the length of the ray on entry
 * (upper limit of the diameter; NaN stays NaN). A vertex counts as the opposite side when its normal turns from this one
 * by the separation angle at least (dot product ≤ maxDot). `slack`: how far beyond the ray vertices may lie, mm.
 */
export function balls(
  positions: usize, normals: usize, from: u32, to: u32, sx: f32, sy: f32, sz: f32, bx: i32, by: i32, bz: i32,
  starts: usize, sorted: usize, capacity: u32, any16: usize, any64: usize, maxDot: f32, near: f32, slack: f32, thickness: usize,
): void {
  const plane = <usize>capacity << 2;
  for (let v = from; v < to; v++) {
    const slot = thickness + (<usize>v << 2);
    const start = load<f32>(slot);
    if (start != start) continue;
    const p = positions + <usize>v * 12;
    const n = normals + <usize>v * 12;
    const px = load<f32>(p), py = load<f32>(p + 4), pz = load<f32>(p + 8);
    let nx = load<f32>(n), ny = load<f32>(n + 4), nz = load<f32>(n + 8);
    // The ray ends where the grey values cross the level; the vertices there may lie a little further out.
    const first = start * 0.5 + slack;
    let found = tangentBall(px, py, pz, nx, ny, nz, v, first, normals, sx, sy, sz, bx, by, bz, starts, sorted, plane, any16, any64, maxDot, near);
    let r = reinterpret<f32>(<u32>(found >> 32));
    let touching = <u32>found;
    if (touching == v) continue;
    // A normal that is off by a degree makes the ball of a round part touch at the side, too early: within that
    // degree the direction that gives the largest ball is taken.
    let tilt: f32 = 0.016;
    for (let k: i32 = 0; k < 3 && touching != v; k++, tilt *= 0.6) {
      const q = positions + <usize>touching * 12;
      const qx = load<f32>(q) - px, qy = load<f32>(q + 4) - py, qz = load<f32>(q + 8) - pz;
      const along = qx * nx + qy * ny + qz * nz;
      let ux = qx - along * nx, uy = qy - along * ny, uz = qz - along * nz;
      const side = sqrt<f32>(ux * ux + uy * uy + uz * uz);
      // Opposite within 8°: the direction hardly matters.
      if (side < -0.15 * along) break;
      const scale = tilt / side;
      let tx = nx + ux * scale, ty = ny + uy * scale, tz = nz + uz * scale;
      const unit = <f32>1 / sqrt<f32>(tx * tx + ty * ty + tz * tz);
      tx *= unit; ty *= unit; tz *= unit;
      found = tangentBall(px, py, pz, tx, ty, tz, v, min<f32>(first, r * 1.03), normals, sx, sy, sz, bx, by, bz, starts, sorted, plane, any16, any64, maxDot, near);
      const larger = reinterpret<f32>(<u32>(found >> 32));
      if (!(larger > r)) continue;
      r = larger;
      nx = tx; ny = ty; nz = tz;
      if (<u32>found == v) break;
      touching = <u32>found;
    }
    // The touching vertex stands for the surface around it: touch its tangent plane instead of the vertex.
    const m = normals + <usize>touching * 12;
    const q = positions + <usize>touching * 12;
    const mx = load<f32>(m), my = load<f32>(m + 4), mz = load<f32>(m + 8);
    const plane2 = (mx * (load<f32>(q) - px) + my * (load<f32>(q + 4) - py) + mz * (load<f32>(q + 8) - pz)) /
      (1 - (mx * nx + my * ny + mz * nz));
    if (<u32>found != v && abs<f32>(plane2 - r) < 0.5 * min<f32>(sx, min<f32>(sy, sz))) r = min<f32>(plane2, first);
    store<f32>(slot, 2 * r);
  }
}

/** A third of each triangle's area (mm²) to each of its vertices (f32, cleared by the caller). */
export function vertexAreas(positions: usize, indices: usize, triangles: u32, areas: usize): void {
  for (let t: u32 = 0; t < triangles; t++) {
    const at = indices + <usize>t * 12;
    const a = load<u32>(at), b = load<u32>(at + 4), c = load<u32>(at + 8);
    const pa = positions + <usize>a * 12, pb = positions + <usize>b * 12, pc = positions + <usize>c * 12;
    const ux = load<f32>(pb) - load<f32>(pa), uy = load<f32>(pb + 4) - load<f32>(pa + 4), uz = load<f32>(pb + 8) - load<f32>(pa + 8);
    const vx = load<f32>(pc) - load<f32>(pa), vy = load<f32>(pc + 4) - load<f32>(pa + 4), vz = load<f32>(pc + 8) - load<f32>(pa + 8);
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const third = sqrt<f32>(x * x + y * y + z * z) / 6;
    store<f32>(areas + (<usize>a << 2), load<f32>(areas + (<usize>a << 2)) + third);
    store<f32>(areas + (<usize>b << 2), load<f32>(areas + (<usize>b << 2)) + third);
    store<f32>(areas + (<usize>c << 2), load<f32>(areas + (<usize>c << 2)) + third);
  }
}

/** Unit normals of the vertices as the area-weighted mean of their triangles' (f32 xyz; zero where all have no area). */
export function faceNormals(positions: usize, vertices: u32, indices: usize, triangles: u32, to: usize): void {
  memory.fill(to, 0, <usize>vertices * 12);
  for (let t: u32 = 0; t < triangles; t++) {
    const at = indices + <usize>t * 12;
    const a = <usize>load<u32>(at) * 12, b = <usize>load<u32>(at + 4) * 12, c = <usize>load<u32>(at + 8) * 12;
    const pa = positions + a, pb = positions + b, pc = positions + c;
    const ux = load<f32>(pb) - load<f32>(pa), uy = load<f32>(pb + 4) - load<f32>(pa + 4), uz = load<f32>(pb + 8) - load<f32>(pa + 8);
    const vx = load<f32>(pc) - load<f32>(pa), vy = load<f32>(pc + 4) - load<f32>(pa + 4), vz = load<f32>(pc + 8) - load<f32>(pa + 8);
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    addTo(to + a, x, y, z);
    addTo(to + b, x, y, z);
    addTo(to + c, x, y, z);
  }
  for (let v: u32 = 0; v < vertices; v++) normalize(to + <usize>v * 12);
}

// @ts-ignore: decorator
@inline
function addTo(at: usize, x: f32, y: f32, z: f32): void {
  store<f32>(at, load<f32>(at) + x);
  store<f32>(at + 4, load<f32>(at + 4) + y);
  store<f32>(at + 8, load<f32>(at + 8) + z);
}

// @ts-ignore: decorator
@inline
function normalize(n: usize): void {
  const x = load<f32>(n), y = load<f32>(n + 4), z = load<f32>(n + 8);
  const length = sqrt<f32>(x * x + y * y + z * z);
  const scale: f32 = length > 0 ? <f32>1 / length : 0;
  store<f32>(n, x * scale);
  store<f32>(n + 4, y * scale);
  store<f32>(n + 8, z * scale);
}

/**
 * Means of unit vectors over each vertex and its neighbours that point about the same way (so edges stay):
 * from -> to, f32 xyz each. Small triangles point anywhere; the mean of a ring hardly does.
 */
export function smoothNormals(from: usize, to: usize, vertices: u32, indices: usize, triangles: u32): void {
  memory.copy(to, from, <usize>vertices * 12);
  for (let t: u32 = 0; t < triangles; t++) {
    const at = indices + <usize>t * 12;
    const a = <usize>load<u32>(at) * 12, b = <usize>load<u32>(at + 4) * 12, c = <usize>load<u32>(at + 8) * 12;
    share(from + a, from + b, to + a, to + b);
    share(from + b, from + c, to + b, to + c);
    share(from + c, from + a, to + c, to + a);
  }
  for (let v: u32 = 0; v < vertices; v++) normalize(to + <usize>v * 12);
}

// @ts-ignore: decorator
@inline
function share(a: usize, b: usize, toA: usize, toB: usize): void {
  const ax = load<f32>(a), ay = load<f32>(a + 4), az = load<f32>(a + 8);
  const bx = load<f32>(b), by = load<f32>(b + 4), bz = load<f32>(b + 8);
  if (ax * bx + ay * by + az * bz < 0.7) return;
  // Each side belongs to two triangles: half from each.
  addTo(toA, bx * 0.5, by * 0.5, bz * 0.5);
  addTo(toB, ax * 0.5, ay * 0.5, az * 0.5);
}
