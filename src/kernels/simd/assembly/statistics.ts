// Range and histogram of grey values.

/**
 * Counts each value of an 8- or 16-bit array (kind 0 … 3) in counts[65536] (u32); signed values are shifted by half the
 * range.
 */
export function countValues(kind: i32, source: usize, count: usize, counts: usize): void {
  if (kind == 0) for (let i: usize = 0; i < count; i++) bump(counts, <u32>load<u8>(source + i));
  else if (kind == 1) for (let i: usize = 0; i < count; i++) bump(counts, <u32>(<i32>load<i8>(source + i) + 128));
  else if (kind == 2) for (let i: usize = 0; i < count; i++) bump(counts, <u32>load<u16>(source + (i << 1)));
  else for (let i: usize = 0; i < count; i++) bump(counts, <u32>(<i32>load<i16>(source + (i << 1)) + 32768));
}

@inline
function bump(counts: usize, bin: u32): void {
  const at = counts + (<usize>bin << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/**
 * Writes the lowest and highest finite value to result[0] and result[1], and the number of finite values to result[2]
 * (f64).
 */
export function findRange(kind: i32, source: usize, count: usize, result: usize): void {
  if (kind == 4) range<u32>(source, count, result);
  else if (kind == 5) range<i32>(source, count, result);
  else if (kind == 6) range<f32>(source, count, result);
  else range<f64>(source, count, result);
}

function range<T>(src: usize, n: usize, result: usize): void {
  let lo: f64 = Infinity;
  let hi: f64 = -Infinity;
  let count: f64 = 0;
  for (let i: usize = 0; i < n; i++) {
    const v = <f64>load<T>(src + i * sizeof<T>());
    if (!(Math.abs(v) < Infinity)) continue;
    lo = min(lo, v);
    hi = max(hi, v);
    count += 1;
  }
  store<f64>(result, lo);
  store<f64>(result + 8, hi);
  store<f64>(result + 16, count);
}

/** Planes per slab whose maximum is kept; as in grid/outline.ts. */
const slab: i32 = 8;

/**
 * Updates the maxima (f64) of each 8 planes across x, y and z from cells of planes z … z+planes-1, nx · ny each, in
 * rows. NaN is ignored. `scratch`: 2 bytes per cell of a row.
 */
export function raiseGreatest(kind: i32, source: usize, nx: i32, ny: i32, planes: i32, z: i32, alongX: usize, alongY: usize, alongZ: usize, scratch: usize): void {
  if (kind == 2) return raiseU16(source, nx, ny, planes, z, alongX, alongY, alongZ, scratch);
  if (kind == 0) raise<u8>(source, nx, ny, planes, z, alongX, alongY, alongZ);
  else if (kind == 1) raise<i8>(source, nx, ny, planes, z, alongX, alongY, alongZ);
  else if (kind == 3) raise<i16>(source, nx, ny, planes, z, alongX, alongY, alongZ);
  else if (kind == 4) raise<u32>(source, nx, ny, planes, z, alongX, alongY, alongZ);
  else if (kind == 5) raise<i32>(source, nx, ny, planes, z, alongX, alongY, alongZ);
  else if (kind == 6) raise<f32>(source, nx, ny, planes, z, alongX, alongY, alongZ);
  else raise<f64>(source, nx, ny, planes, z, alongX, alongY, alongZ);
}

@inline
function raiseTo(values: usize, i: i32, value: f64): void {
  const at = values + (<usize>(i / slab) << 3);
  if (value > load<f64>(at)) store<f64>(at, value);
}

function raise<T>(src: usize, nx: i32, ny: i32, planes: i32, z: i32, alongX: usize, alongY: usize, alongZ: usize): void {
  for (let k: i32 = 0; k < planes; k++) {
    for (let y: i32 = 0; y < ny; y++) {
      let ofRow: f64 = -Infinity;
      for (let x: i32 = 0; x < nx; x += slab) {
        let most: f64 = -Infinity;
        for (let i = x; i < min<i32>(x + slab, nx); i++, src += sizeof<T>()) {
          const v = <f64>load<T>(src);
          if (v > most) most = v;
        }
        raiseTo(alongX, x, most);
        if (most > ofRow) ofRow = most;
      }
      raiseTo(alongY, y, ofRow);
      raiseTo(alongZ, z + k, ofRow);
    }
  }
}

@inline
function findMost(eight: v128): f64 {
  let most = i16x8.max_u(eight, i8x16.shuffle(eight, eight, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  most = i16x8.max_u(most, i8x16.shuffle(most, most, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  return <f64>max<u16>(i16x8.extract_lane_u(most, 0), i16x8.extract_lane_u(most, 1));
}

/** Like `raise`, eight cells at a time: the cells of a slab across x. */
function raiseU16(src: usize, nx: i32, ny: i32, planes: i32, z: i32, alongX: usize, alongY: usize, alongZ: usize, scratch: usize): void {
  const whole = nx & ~7;
  const bytes = <usize>whole << 1;
  for (let x: usize = 0; x < bytes; x += 16) v128.store(scratch + x, i16x8.splat(0));
  for (let k: i32 = 0; k < planes; k++) {
    for (let y: i32 = 0; y < ny; y++) {
      let most = i16x8.splat(0);
      for (let x: usize = 0; x < bytes; x += 16) {
        const v = v128.load(src + x);
        most = i16x8.max_u(most, v);
        v128.store(scratch + x, i16x8.max_u(v128.load(scratch + x), v));
      }
      src += bytes;
      let ofRow = whole > 0 ? findMost(most) : 0;
      for (let x = whole; x < nx; x++, src += 2) {
        const v = <f64>load<u16>(src);
        raiseTo(alongX, x, v);
        if (v > ofRow) ofRow = v;
      }
      raiseTo(alongY, y, ofRow);
      raiseTo(alongZ, z + k, ofRow);
    }
  }
  for (let x: i32 = 0; x < whole; x += slab) raiseTo(alongX, x, findMost(v128.load(scratch + (<usize>x << 1))));
}

/** Counts finite values in `bins` bins over low … high (values outside go to the end bins). */
export function countBins(kind: i32, source: usize, count: usize, low: f64, high: f64, bins: i32, counts: usize): void {
  const scale = high > low ? <f64>bins / (high - low) : 0;
  if (kind == 4) binned<u32>(source, count, low, scale, bins, counts);
  else if (kind == 5) binned<i32>(source, count, low, scale, bins, counts);
  else if (kind == 6) binned<f32>(source, count, low, scale, bins, counts);
  else binned<f64>(source, count, low, scale, bins, counts);
}

function binned<T>(src: usize, n: usize, lo: f64, scale: f64, bins: i32, counts: usize): void {
  const last = <f64>(bins - 1);
  for (let i: usize = 0; i < n; i++) {
    const v = <f64>load<T>(src + i * sizeof<T>());
    if (!(Math.abs(v) < Infinity)) continue;
    bump(counts, <u32>min(max((v - lo) * scale, 0), last));
  }
}
