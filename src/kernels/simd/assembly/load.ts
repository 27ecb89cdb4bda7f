// Grey values of any type -> the arena's grid (u16 or f32), smoothed by a separable Gauss on the way.
// The grid is padded by one cell on every side; `pad` fills that shell so that every body is closed.

/** Reads one element as f64, NaN included. */
// @ts-ignore: decorator
@inline
function convert<T>(src: usize, dst: usize, n: i32, offset: f64, gain: f64, lo: f32, hi: f32, air: f32): void {
  for (let i: i32 = 0; i < n; i++) {
    const raw = <f64>load<T>(src + <usize>i * sizeof<T>());
    let v = <f32>((raw - offset) * gain);
    v = v != v ? air : min<f32>(max<f32>(v, lo), hi);
    store<f32>(dst + (<usize>i << 2), v);
  }
}

function convertU16(src: usize, dst: usize, n: i32, offset: f32, gain: f32): void {
  const o = f32x4.splat(offset);
  const g = f32x4.splat(gain);
  let i: i32 = 0;
  for (; i + 8 <= n; i += 8) {
    const raw = v128.load(src + (<usize>i << 1));
    v128.store(dst + (<usize>i << 2), f32x4.mul(f32x4.sub(f32x4.convert_i32x4_u(i32x4.extend_low_i16x8_u(raw)), o), g));
    v128.store(dst + (<usize>i << 2) + 16, f32x4.mul(f32x4.sub(f32x4.convert_i32x4_u(i32x4.extend_high_i16x8_u(raw)), o), g));
  }
  for (; i < n; i++) store<f32>(dst + (<usize>i << 2), (<f32>load<u16>(src + (<usize>i << 1)) - offset) * gain);
}

/** kind: 0 u8, 1 i8, 2 u16, 3 i16, 4 u32, 5 i32, 6 f32, 7 f64 */
export function convertRow(kind: i32, src: usize, dst: usize, n: i32, offset: f64, gain: f64, lo: f32, hi: f32, air: f32): void {
  if (kind == 0) convert<u8>(src, dst, n, offset, gain, lo, hi, air);
  else if (kind == 1) convert<i8>(src, dst, n, offset, gain, lo, hi, air);
  else if (kind == 2) convertU16(src, dst, n, <f32>offset, <f32>gain);
  else if (kind == 3) convert<i16>(src, dst, n, offset, gain, lo, hi, air);
  else if (kind == 4) convert<u32>(src, dst, n, offset, gain, lo, hi, air);
  else if (kind == 5) convert<i32>(src, dst, n, offset, gain, lo, hi, air);
  else if (kind == 6) convert<f32>(src, dst, n, offset, gain, lo, hi, air);
  else convert<f64>(src, dst, n, offset, gain, lo, hi, air);
}

/**
 * dst[x] = sum of weights[k] src[x+k], k = -radius … radius; weights are symmetric, weights[0] the middle; n is a multiple
 * of 8. Sixteen values at a time, so that a weight is loaded once for all of them; each is summed in the same order.
 */
function blurRow(src: usize, dst: usize, n: i32, radius: i32, weights: usize): void {
  const first = v128.load32_splat(weights);
  const bytes = <usize>n << 2;
  let x: usize = 0;
  for (; x + 64 <= bytes; x += 64) {
    const at = src + x;
    let s0 = f32x4.mul(v128.load(at), first), s1 = f32x4.mul(v128.load(at, 16), first);
    let s2 = f32x4.mul(v128.load(at, 32), first), s3 = f32x4.mul(v128.load(at, 48), first);
    for (let k: i32 = 1; k <= radius; k++) {
      const weight = v128.load32_splat(weights + (<usize>k << 2));
      const a = at + (<usize>k << 2), b = at - (<usize>k << 2);
      s0 = f32x4.add(s0, f32x4.mul(f32x4.add(v128.load(a), v128.load(b)), weight));
      s1 = f32x4.add(s1, f32x4.mul(f32x4.add(v128.load(a, 16), v128.load(b, 16)), weight));
      s2 = f32x4.add(s2, f32x4.mul(f32x4.add(v128.load(a, 32), v128.load(b, 32)), weight));
      s3 = f32x4.add(s3, f32x4.mul(f32x4.add(v128.load(a, 48), v128.load(b, 48)), weight));
    }
    const to = dst + x;
    v128.store(to, s0);
    v128.store(to, s1, 16);
    v128.store(to, s2, 32);
    v128.store(to, s3, 48);
  }
  for (; x < bytes; x += 16) {
    const at = src + x;
    let sum = f32x4.mul(v128.load(at), first);
    for (let k: i32 = 1; k <= radius; k++) {
      const both = f32x4.add(v128.load(at + (<usize>k << 2)), v128.load(at - (<usize>k << 2)));
      sum = f32x4.add(sum, f32x4.mul(both, v128.load32_splat(weights + (<usize>k << 2))));
    }
    v128.store(dst + x, sum);
  }
}

function copyRow(src: usize, dst: usize, n: i32): void {
  for (let x: i32 = 0; x < n; x += 4) v128.store(dst + (<usize>x << 2), v128.load(src + (<usize>x << 2)));
}

// @ts-ignore: decorator
@inline
function clampIndex(i: i32, n: i32): i32 {
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/** Weighted sum of 2 radius + 1 rows, whose addresses lie at `rows`; n is a multiple of 8. As blurRow, across rows. */
function combineRows(rows: usize, dst: usize, n: i32, radius: i32, weights: usize): void {
  const middle = <usize>load<u32>(rows + (<usize>radius << 2));
  const first = v128.load32_splat(weights);
  const bytes = <usize>n << 2;
  let x: usize = 0;
  for (; x + 64 <= bytes; x += 64) {
    const at = middle + x;
    let s0 = f32x4.mul(v128.load(at), first), s1 = f32x4.mul(v128.load(at, 16), first);
    let s2 = f32x4.mul(v128.load(at, 32), first), s3 = f32x4.mul(v128.load(at, 48), first);
    for (let k: i32 = 1; k <= radius; k++) {
      const weight = v128.load32_splat(weights + (<usize>k << 2));
      const a = <usize>load<u32>(rows + (<usize>(radius + k) << 2)) + x, b = <usize>load<u32>(rows + (<usize>(radius - k) << 2)) + x;
      s0 = f32x4.add(s0, f32x4.mul(f32x4.add(v128.load(a), v128.load(b)), weight));
      s1 = f32x4.add(s1, f32x4.mul(f32x4.add(v128.load(a, 16), v128.load(b, 16)), weight));
      s2 = f32x4.add(s2, f32x4.mul(f32x4.add(v128.load(a, 32), v128.load(b, 32)), weight));
      s3 = f32x4.add(s3, f32x4.mul(f32x4.add(v128.load(a, 48), v128.load(b, 48)), weight));
    }
    const to = dst + x;
    v128.store(to, s0);
    v128.store(to, s1, 16);
    v128.store(to, s2, 32);
    v128.store(to, s3, 48);
  }
  for (; x < bytes; x += 16) {
    let sum = f32x4.mul(v128.load(middle + x), first);
    for (let k: i32 = 1; k <= radius; k++) {
      const a = <usize>load<u32>(rows + (<usize>(radius + k) << 2));
      const b = <usize>load<u32>(rows + (<usize>(radius - k) << 2));
      const both = f32x4.add(v128.load(a + x), v128.load(b + x));
      sum = f32x4.add(sum, f32x4.mul(both, v128.load32_splat(weights + (<usize>k << 2))));
    }
    v128.store(dst + x, sum);
  }
}

function storeU16(src: usize, dst: usize, n: i32): void {
  const half = f32x4.splat(0.5);
  for (let x: i32 = 0; x < n; x += 8) {
    const a = i32x4.trunc_sat_f32x4_u(f32x4.add(v128.load(src + (<usize>x << 2)), half));
    const b = i32x4.trunc_sat_f32x4_u(f32x4.add(v128.load(src + (<usize>x << 2) + 16), half));
    v128.store(dst + (<usize>x << 1), i16x8.narrow_i32x4_u(a, b));
  }
}

/**
 * Planes zFrom … zTo-1 of the region into the grid. `src` holds source planes from region plane `srcFrom` on.
 * Scratch (16-byte aligned): row buffer (nx + 2 radiusX + 16) f32, (2 radiusZ + 1) planes of ny · pitch f32
 * (pitch = nx rounded up to 8), 2 (2 radiusY + 1) rows of them, then (2 max(radiusY, radiusZ) + 1) u32 row addresses; the caller reserves it.
 */
export function loadSlab(
  kind: i32, src: usize, srcFrom: i32, srcNx: i32, srcNy: i32, x0: i32, y0: i32,
  nx: i32, ny: i32, nz: i32, zFrom: i32, zTo: i32,
  offset: f64, gain: f64, lo: f32, hi: f32, air: f32,
  radiusX: i32, radiusY: i32, radiusZ: i32, weightsX: usize, weightsY: usize, weightsZ: usize,
  scratch: usize, bytes: usize, grid: usize, isU16: i32, stride: i32,
): void {
  const pitch: i32 = (nx + 7) & ~7;
  const planeBytes = <usize>pitch * <usize>ny << 2;
  const slots = 2 * radiusZ + 1;
  const rowBuffer = scratch + (<usize>((radiusX + 3) & ~3) << 2);
  let at = scratch + ((<usize>(nx + 2 * radiusX + 24) << 2) + 15 & ~15);
  const temporary = at; at += <usize>pitch * <usize>(4 * radiusY + 2) << 2;
  const ring = at; at += planeBytes * <usize>slots;
  const rows = at;
  const elementShift: usize = isU16 ? 1 : 2;
  const rowBytes = <usize>pitch << 2;
  // Rows along x that are kept: a power of two, so that each has its place by its number.
  let mask: i32 = 1;
  while (mask < 2 * radiusY + 1) mask <<= 1;
  mask -= 1;
  let ready = max<i32>(zFrom - radiusZ, 0);
  for (let z = zFrom; z < zTo; z++) {
    const last = min<i32>(z + radiusZ, nz - 1);
    for (; ready <= last; ready++) {
      const plane = ring + planeBytes * <usize>(ready % slots);
      // Rows across y follow a few behind those along x, while these are still in the cache.
      for (let y: i32 = 0; y < ny + radiusY; y++) {
        if (y < ny) {
          const from = src + ((<usize>(ready - srcFrom) * <usize>srcNy + <usize>(y0 + y)) * <usize>srcNx + <usize>x0) * bytes;
          const target = radiusY ? temporary + <usize>(y & mask) * rowBytes : plane + <usize>y * rowBytes;
          convertRow(kind, from, rowBuffer, nx, offset, gain, lo, hi, air);
          const left = load<f32>(rowBuffer);
          const right = load<f32>(rowBuffer + (<usize>(nx - 1) << 2));
          for (let k: i32 = 1; k <= radiusX; k++) store<f32>(rowBuffer - (<usize>k << 2), left);
          for (let k: i32 = nx; k < nx + radiusX + 8; k++) store<f32>(rowBuffer + (<usize>k << 2), right);
          if (radiusX) blurRow(rowBuffer, target, pitch, radiusX, weightsX);
          else copyRow(rowBuffer, target, pitch);
        }
        const done = y - radiusY;
        if (!radiusY || done < 0) continue;
        for (let k: i32 = -radiusY; k <= radiusY; k++) {
          store<u32>(rows + (<usize>(radiusY + k) << 2), <u32>(temporary + <usize>(clampIndex(done + k, ny) & mask) * rowBytes));
        }
        combineRows(rows, plane + <usize>done * rowBytes, pitch, radiusY, weightsY);
      }
    }
    for (let y: i32 = 0; y < ny; y++) {
      let row = ring + planeBytes * <usize>(z % slots) + (<usize>y * <usize>pitch << 2);
      if (radiusZ) {
        for (let k: i32 = -radiusZ; k <= radiusZ; k++) {
          const slot = clampIndex(z + k, nz) % slots;
          store<u32>(rows + (<usize>(radiusZ + k) << 2), <u32>(ring + planeBytes * <usize>slot + (<usize>y * <usize>pitch << 2)));
        }
        combineRows(rows, temporary, pitch, radiusZ, weightsZ);
        row = temporary;
      }
      const to = grid + (((<usize>(z + 1) * <usize>(ny + 2) + <usize>(y + 1)) * <usize>stride + 1) << elementShift);
      if (isU16) storeU16(row, to, pitch);
      else copyRow(row, to, pitch);
    }
  }
}

// @ts-ignore: decorator
@inline
function mirror<T>(at: usize, iso: f32): T {
  const v = <f32>load<T>(at);
  if (!(v > iso)) return load<T>(at);
  const m: f32 = <f32>2 * iso - v;
  if (isInteger<T>()) return <T>max<f32>(m, 0);
  return <T>m;
}

function padPlanes<T>(grid: usize, stride: i32, nx: i32, ny: i32, zFrom: i32, zTo: i32, iso: f32): void {
  const rowBytes = <usize>stride * sizeof<T>();
  for (let z = zFrom; z < zTo; z++) {
    const plane = grid + <usize>(z + 1) * <usize>(ny + 2) * rowBytes;
    for (let y: i32 = 1; y <= ny; y++) {
      const row = plane + <usize>y * rowBytes;
      store<T>(row, mirror<T>(row + sizeof<T>(), iso));
      const last = mirror<T>(row + <usize>nx * sizeof<T>(), iso);
      for (let x = nx + 1; x < stride; x++) store<T>(row + <usize>x * sizeof<T>(), last);
    }
    padRow<T>(plane, plane + rowBytes, stride, iso);
    padRow<T>(plane + <usize>(ny + 1) * rowBytes, plane + <usize>ny * rowBytes, stride, iso);
  }
}

function padRow<T>(to: usize, from: usize, n: i32, iso: f32): void {
  for (let x: usize = 0; x < <usize>n; x++) store<T>(to + x * sizeof<T>(), mirror<T>(from + x * sizeof<T>(), iso));
}

/** Fills the shell in x and y of planes zFrom … zTo-1 (of the region). */
export function pad(grid: usize, isU16: i32, stride: i32, nx: i32, ny: i32, zFrom: i32, zTo: i32, iso: f32): void {
  if (isU16) padPlanes<u16>(grid, stride, nx, ny, zFrom, zTo, iso);
  else padPlanes<f32>(grid, stride, nx, ny, zFrom, zTo, iso);
}

/** Fills the first and the last plane of the shell; after `pad` has been through all planes. */
export function padEnds(grid: usize, isU16: i32, stride: i32, ny: i32, nz: i32, iso: f32): void {
  const n = stride * (ny + 2);
  const planeBytes = <usize>n * (isU16 ? 2 : 4);
  if (isU16) {
    padRow<u16>(grid, grid + planeBytes, n, iso);
    padRow<u16>(grid + <usize>(nz + 1) * planeBytes, grid + <usize>nz * planeBytes, n, iso);
  } else {
    padRow<f32>(grid, grid + planeBytes, n, iso);
    padRow<f32>(grid + <usize>(nz + 1) * planeBytes, grid + <usize>nz * planeBytes, n, iso);
  }
}
