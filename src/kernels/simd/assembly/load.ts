// Converts grey values of any type to the arena's grid (u16 or f32), with optional smoothing by a separable Gaussian.
// The grid has a shell of one cell on every side; `pad` fills it so that every body is closed.
import { clearBytes, copyBytes } from './bytes';
import { Grid, Loading } from './layouts';

/** Copies the cells of a box (x fastest) into planes of nx · ny cells at x, y, z. */
export function placeBox(
  box: usize, sizeX: i32, sizeY: i32, sizeZ: i32, x: i32, y: i32, z: i32, bytes: usize, planes: usize, nx: i32, ny: i32,
): void {
  const rowBytes = <usize>min<i32>(sizeX, nx - x) * bytes;
  const rows = min<i32>(sizeY, ny - y);
  for (let k: i32 = 0; k < sizeZ; k++) {
    for (let j: i32 = 0; j < rows; j++) {
      const from = box + (<usize>k * <usize>sizeY + <usize>j) * <usize>sizeX * bytes;
      const to = planes + ((<usize>(z + k) * <usize>ny + <usize>(y + j)) * <usize>nx + <usize>x) * bytes;
      copyBytes(to, from, rowBytes);
    }
  }
}

/** Converts `n` elements to f32; NaN becomes `air`. */
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
 * dst[x] = sum of weights[k] src[x+k], k = -radius … radius; weights are symmetric, weights[0] is the centre; n is a
 * multiple of 8. Sixteen values at a time, so that each weight is loaded once for all of them; every value is summed in
 * the same order.
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

@inline
function clampIndex(i: i32, n: i32): i32 {
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/**
 * Weighted sum of 2 radius + 1 rows with addresses in `rows`, from xFrom to xTo-1, multiples of 8. Like blurRow, but
 * across rows.
 */
function combineRows(rows: usize, dst: usize, xFrom: i32, xTo: i32, radius: i32, weights: usize): void {
  const middle = <usize>load<u32>(rows + (<usize>radius << 2));
  const first = v128.load32_splat(weights);
  const bytes = <usize>xTo << 2;
  let x = <usize>xFrom << 2;
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
 * (src - offset) · gain for 16-bit values, signed or not, with a result that fits 16 bits: integer arithmetic modulo
 * 2^16.
 */
function stretchRow(src: usize, dst: usize, n: i32, offset: i16, gain: i16): void {
  const o = i16x8.splat(offset), g = i16x8.splat(gain);
  const bytes = <usize>n << 1;
  let x: usize = 0;
  for (; x + 16 <= bytes; x += 16) v128.store(dst + x, i16x8.mul(i16x8.sub(v128.load(src + x), o), g));
  for (; x < bytes; x += 2) store<i16>(dst + x, (load<i16>(src + x) - offset) * gain);
}

/** Cells along x that are filtered or skipped together: a multiple of 16. */
const run: i32 = 32;

/** Classifies a run of cells: 1 some at or below the level, 2 some above, 3 both. */
function sides<T>(src: usize, n: i32, level: f64, nan: u8): u8 {
  let found: u8 = 0;
  for (let i: i32 = 0; i < n; i++) {
    const v = <f64>load<T>(src + <usize>i * sizeof<T>());
    found |= v != v ? nan : v > level ? 2 : 1;
  }
  return found;
}

/** Like `sides`, for a full run of u16. */
@inline
function sidesU16(src: usize, level: v128): u8 {
  const a = i16x8.gt_u(v128.load(src), level), b = i16x8.gt_u(v128.load(src, 16), level);
  const c = i16x8.gt_u(v128.load(src, 32), level), d = i16x8.gt_u(v128.load(src, 48), level);
  const some = v128.or(v128.or(a, b), v128.or(c, d)), all = v128.and(v128.and(a, b), v128.and(c, d));
  return <u8>(i32(v128.any_true(some)) << 1) | <u8>i32(!i16x8.all_true(all));
}

function markRowSides(kind: i32, src: usize, n: i32, level: f64, nan: u8, dst: usize): void {
  let x: i32 = 0;
  if (kind == 2 && level >= 0 && level < 65535) {
    const splat = i16x8.splat(<i16><u16>level);
    for (; x + run <= n; x += run) store<u8>(dst++, sidesU16(src + (<usize>x << 1), splat));
  }
  for (; x < n; x += run) {
    const m = min<i32>(run, n - x);
    const at = <usize>x;
    let found: u8;
    if (kind == 0) found = sides<u8>(src + at, m, level, nan);
    else if (kind == 1) found = sides<i8>(src + at, m, level, nan);
    else if (kind == 2) found = sides<u16>(src + (at << 1), m, level, nan);
    else if (kind == 3) found = sides<i16>(src + (at << 1), m, level, nan);
    else if (kind == 4) found = sides<u32>(src + (at << 2), m, level, nan);
    else if (kind == 5) found = sides<i32>(src + (at << 2), m, level, nan);
    else if (kind == 6) found = sides<f32>(src + (at << 2), m, level, nan);
    else found = sides<f64>(src + (at << 3), m, level, nan);
    store<u8>(dst++, found);
  }
}

/** ORs each byte of `rowCount` rows of `runs` bytes with its left and right neighbours. */
function spreadX(src: usize, dst: usize, rowCount: i32, runs: i32): void {
  for (let r: i32 = 0; r < rowCount; r++) {
    const a = src + <usize>r * <usize>runs, b = dst + <usize>r * <usize>runs;
    let before: u8 = 0, here = load<u8>(a);
    for (let s: i32 = 0; s < runs; s++) {
      const after: u8 = s + 1 < runs ? load<u8>(a + <usize>s + 1) : 0;
      store<u8>(b + <usize>s, before | here | after);
      before = here;
      here = after;
    }
  }
}

/** dst[i] = OR of src[i-reach] … src[i+reach], limited to from … to-1; items of `bytes` bytes, a multiple of 16. */
function spread(src: usize, from: i32, to: i32, dst: usize, dstFrom: i32, dstTo: i32, bytes: usize, reach: i32): void {
  for (let i = dstFrom; i < dstTo; i++) {
    const first = max<i32>(i - reach, from), last = min<i32>(i + reach, to - 1);
    const out = dst + <usize>(i - dstFrom) * bytes;
    for (let x: usize = 0; x < bytes; x += 16) {
      let all = i8x16.splat(0);
      for (let k = first; k <= last; k++) all = v128.or(all, v128.load(src + <usize>(k - from) * bytes + x));
      v128.store(out + x, all);
    }
  }
}

/** The first wanted run from `s` on (`wanted` 0: the first unwanted one); `runs` if there is none. */
function nextRun(row: usize, s: i32, runs: i32, wanted: i32): i32 {
  while (s < runs && i32(load<u8>(row + <usize>s) != 0) != wanted) s++;
  return s;
}

/**
 * Loads planes zFrom … zTo-1 of the region into the grid. `source` holds planes sourceFrom … sourceTo-1 of the region:
 * radiusZ + 2 more than requested on either side, as far as they exist. Where all grey values within the filter's
 * radius plus two cells (along x: within the run of 32 cells and the adjacent runs) are on one side of the level, no
 * surface is near, and cells keep their own grey value, unless every cell is filtered. The result for a cell depends on
 * its position only.
 * Scratch (16-byte aligned): row buffer (nx + 2 radiusX + 24) f32; at least 2 radiusY + 1 rows of `pitch` f32, their
 * number a power of two (pitch = nx rounded up to 8); as many u32 as the larger filter has weights; (2 radiusZ + 1) ·
 * tileRows rows; and three times (sourceTo - sourceFrom) · ny bytes of runs (their number rounded up to 16). The caller
 * reserves it.
 */
export function loadSlab(
  loading: Loading, grid: Grid, source: usize, sourceFrom: i32, sourceTo: i32, zFrom: i32, zTo: i32, scratch: usize,
): void {
  const kind = loading.kind, bytes = <usize>loading.bytes, src = source, srcFrom = sourceFrom, srcTo = sourceTo;
  const srcNx = loading.sourceNx, srcNy = loading.sourceNy, x0 = loading.x0, y0 = loading.y0;
  const nx = grid.nx - 2, ny = grid.ny - 2, nz = grid.nz - 2, points = grid.points, isU16 = grid.isU16, stride = grid.stride;
  const offset = loading.offset, gain = loading.gain, lo = loading.low, hi = loading.high, air = loading.air;
  const level = loading.level, nan: u8 = loading.isNanAbove ? 2 : 1, everywhere = loading.everywhere;
  const radiusX = loading.radiusX, radiusY = loading.radiusY, radiusZ = loading.radiusZ;
  const weightsX = loading.weightsX, weightsY = loading.weightsY, weightsZ = loading.weightsZ, tileRows = loading.tileRows;
  const pitch: i32 = (nx + 7) & ~7;
  const rowBytes = <usize>pitch << 2;
  const slots = 2 * radiusZ + 1;
  // Ring buffer of rows filtered along x: a power of two, so that a row's number gives its address.
  let mask: i32 = 1;
  while (mask < 2 * radiusY + 1) mask <<= 1;
  mask -= 1;
  const rowBuffer = scratch + (<usize>((radiusX + 3) & ~3) << 2);
  let at = scratch + ((<usize>(nx + 2 * radiusX + 24) << 2) + 15 & ~15);
  const temporary = at; at += <usize>(mask + 1) * rowBytes;
  const rows = at; at += (<usize>(2 * max<i32>(radiusY, radiusZ) + 1) << 2) + 15 & ~15;
  const ring = at; at += <usize>(slots * tileRows) * rowBytes;
  const runs: i32 = (pitch + run - 1) / run;
  const runBytes: usize = <usize>((runs + 15) & ~15);
  const planeRuns = runBytes * <usize>ny;
  const setBytes = planeRuns * <usize>(srcTo - srcFrom);
  const wanted = at; at += setBytes;
  const acrossZ = at; at += setBytes;
  const acrossYZ = at;
  const isFiltered = radiusX + radiusY + radiusZ > 0;

  if (isFiltered) {
    if (everywhere) memory.fill(wanted, 1, planeRuns * <usize>(zTo - zFrom));
    else {
      clearBytes(acrossYZ, setBytes);
      for (let z = srcFrom; z < srcTo; z++) {
        for (let y: i32 = 0; y < ny; y++) {
          const from = src + ((<usize>(z - srcFrom) * <usize>srcNy + <usize>(y0 + y)) * <usize>srcNx + <usize>x0) * bytes;
          markRowSides(kind, from, nx, level, nan, acrossYZ + <usize>(z - srcFrom) * planeRuns + <usize>y * runBytes);
        }
      }
      spreadX(acrossYZ, acrossZ, ny * (srcTo - srcFrom), <i32>runBytes);
      for (let z = srcFrom; z < srcTo; z++) {
        const plane = <usize>(z - srcFrom) * planeRuns;
        spread(acrossZ + plane, 0, ny, acrossYZ + plane, 0, ny, runBytes, radiusY + 2);
      }
      spread(acrossYZ, srcFrom, srcTo, wanted, zFrom, zTo, planeRuns, radiusZ + 2);
      const both = i8x16.splat(3);
      for (let i: usize = 0; i < planeRuns * <usize>(zTo - zFrom); i += 16) {
        v128.store(wanted + i, i8x16.eq(v128.load(wanted + i), both));
      }
    }
    const first = max<i32>(zFrom - radiusZ, 0), end = min<i32>(zTo + radiusZ, nz);
    spread(wanted, zFrom, zTo, acrossZ + planeRuns * <usize>(first - srcFrom), first, end, planeRuns, radiusZ);
    for (let z = first; z < end; z++) {
      const plane = <usize>(z - srcFrom) * planeRuns;
      spread(acrossZ + plane, 0, ny, acrossYZ + plane, 0, ny, runBytes, radiusY);
    }
  }

  // Tiles of rows, through all planes: the rows of the filter across z stay in the cache.
  for (let tile: i32 = 0; tile < ny; tile += tileRows) {
    const tileEnd = min<i32>(tile + tileRows, ny);
    let ready = max<i32>(zFrom - radiusZ, 0);
    for (let z = zFrom; z < zTo; z++) {
      const last = isFiltered ? min<i32>(z + radiusZ, nz - 1) : -1;
      for (; ready <= last; ready++) {
        const plane = ring + <usize>((ready % slots) * tileRows) * rowBytes;
        const marks = <usize>(ready - srcFrom) * planeRuns;
        // Rows across y are computed a few rows after those along x, while these are still in the cache.
        for (let y = max<i32>(tile - radiusY, 0); y < tileEnd + radiusY; y++) {
          if (y < ny) {
            const from = src + ((<usize>(ready - srcFrom) * <usize>srcNy + <usize>(y0 + y)) * <usize>srcNx + <usize>x0) * bytes;
            const target = radiusY ? temporary + <usize>(y & mask) * rowBytes : plane + <usize>(y - tile) * rowBytes;
            const marked = acrossYZ + marks + <usize>y * runBytes;
            for (let s = nextRun(marked, 0, runs, 1); s < runs;) {
              const sEnd = nextRun(marked, s, runs, 0);
              const xFrom = s * run, xTo = min<i32>(sEnd * run, pitch);
              alongX(kind, from, rowBuffer, nx, xFrom, xTo, bytes, offset, gain, lo, hi, air, radiusX, weightsX, target);
              s = nextRun(marked, sEnd, runs, 1);
            }
          }
          const done = y - radiusY;
          if (!radiusY || done < tile) continue;
          const marked = acrossZ + marks + <usize>done * runBytes;
          let s = nextRun(marked, 0, runs, 1);
          if (s == runs) continue;
          for (let k: i32 = -radiusY; k <= radiusY; k++) {
            store<u32>(rows + (<usize>(radiusY + k) << 2), <u32>(temporary + <usize>(clampIndex(done + k, ny) & mask) * rowBytes));
          }
          while (s < runs) {
            const sEnd = nextRun(marked, s, runs, 0);
            const xFrom = s * run, xTo = min<i32>(sEnd * run, pitch);
            combineRows(rows, plane + <usize>(done - tile) * rowBytes, xFrom, xTo, radiusY, weightsY);
            s = nextRun(marked, sEnd, runs, 1);
          }
        }
      }
      for (let y = tile; y < tileEnd; y++) {
        const marked = wanted + <usize>(z - zFrom) * planeRuns + <usize>y * runBytes;
        const to = points + (((<usize>(z + 1) * <usize>(ny + 2) + <usize>(y + 1)) * <usize>stride + 1) << (isU16 ? 1 : 2));
        if (!isFiltered || nextRun(marked, 0, runs, 0) < runs) {
          const from = src + ((<usize>(z - srcFrom) * <usize>srcNy + <usize>(y0 + y)) * <usize>srcNx + <usize>x0) * bytes;
          if (isU16 && (kind == 2 || kind == 3) && gain == floor<f64>(gain)) stretchRow(from, to, nx, <i16><i64>offset, <i16><i64>gain);
          else {
            convertRow(kind, from, rowBuffer, nx, offset, gain, lo, hi, air);
            if (isU16) storeU16(rowBuffer, to, pitch);
            else copyRow(rowBuffer, to, pitch);
          }
          if (!isFiltered) continue;
        }
        let s = nextRun(marked, 0, runs, 1);
        if (s == runs) continue;
        for (let k: i32 = -radiusZ; k <= radiusZ; k++) {
          const slot = clampIndex(z + k, nz) % slots;
          store<u32>(rows + (<usize>(radiusZ + k) << 2), <u32>(ring + <usize>(slot * tileRows + y - tile) * rowBytes));
        }
        while (s < runs) {
          const sEnd = nextRun(marked, s, runs, 0);
          const xFrom = s * run, xTo = min<i32>(sEnd * run, pitch);
          const offsetTo = <usize>xFrom << (isU16 ? 1 : 2);
          combineRows(rows, rowBuffer, xFrom, xTo, radiusZ, weightsZ);
          if (isU16) storeU16(rowBuffer + (<usize>xFrom << 2), to + offsetTo, xTo - xFrom);
          else copyRow(rowBuffer + (<usize>xFrom << 2), to + offsetTo, xTo - xFrom);
          s = nextRun(marked, sEnd, runs, 1);
        }
      }
    }
  }
}

/**
 * Filters cells xFrom … xTo-1 of a source row along x: target[xFrom …]; end values are repeated beyond the row's ends.
 */
function alongX(
  kind: i32, src: usize, buffer: usize, nx: i32, xFrom: i32, xTo: i32, bytes: usize,
  offset: f64, gain: f64, lo: f32, hi: f32, air: f32, radius: i32, weights: usize, target: usize,
): void {
  const from = max<i32>(xFrom - radius, 0), to = min<i32>(xTo + radius, nx);
  convertRow(kind, src + <usize>from * bytes, buffer + (<usize>from << 2), to - from, offset, gain, lo, hi, air);
  if (from == 0) {
    const left = load<f32>(buffer);
    for (let k: i32 = 1; k <= radius; k++) store<f32>(buffer - (<usize>k << 2), left);
  }
  if (to == nx) {
    const right = load<f32>(buffer + (<usize>(nx - 1) << 2));
    for (let k: i32 = nx; k < nx + radius + 8; k++) store<f32>(buffer + (<usize>k << 2), right);
  }
  const first = <usize>xFrom << 2;
  if (radius) blurRow(buffer + first, target + first, xTo - xFrom, radius, weights);
  else copyRow(buffer + first, target + first, xTo - xFrom);
}

@inline
function mirror<T>(at: usize, iso: f32): T {
  const v = <f32>load<T>(at);
  if (!(v > iso)) return load<T>(at);
  const m: f32 = <f32>2 * iso - v;
  if (isInteger<T>()) return <T>max<f32>(m, 0);
  return <T>m;
}

function padPlanes<T>(layout: Grid, zFrom: i32, zTo: i32): void {
  const grid = layout.points, stride = layout.stride, nx = layout.nx - 2, ny = layout.ny - 2, iso = layout.iso;
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

/** Fills the x and y sides of the shell in planes zFrom … zTo-1 (of the region). */
export function pad(grid: Grid, zFrom: i32, zTo: i32): void {
  if (grid.isU16) padPlanes<u16>(grid, zFrom, zTo);
  else padPlanes<f32>(grid, zFrom, zTo);
}

/** Fills the first and the last plane of the shell if they are in memory; call after `pad` of all planes. */
export function padEnds(grid: Grid): void {
  const points = grid.points, iso = grid.iso, from = grid.planeFrom, to = grid.planeTo;
  const n = grid.stride * grid.ny;
  const planeBytes = <usize>n * (grid.isU16 ? 2 : 4);
  const last = points + <usize>(grid.nz - 1) * planeBytes;
  if (grid.isU16) {
    if (from == 0) padRow<u16>(points, points + planeBytes, n, iso);
    if (to == grid.nz) padRow<u16>(last, last - planeBytes, n, iso);
  } else {
    if (from == 0) padRow<f32>(points, points + planeBytes, n, iso);
    if (to == grid.nz) padRow<f32>(last, last - planeBytes, n, iso);
  }
}
