// Exact squared Euclidean distances in cells to the nearest set cell, up to 254 cells: two passes along z, then in the
// planes sums of squares tried outward until none can be smaller (Saito & Toriwaki 1994,
// doi:10.1016/0031-3203(94)90133-3), 32 cells at once.
import { BitGrid } from './layouts';

/** Value for distances beyond the range, and its square. */
const far: u8 = 255;
const farSquared: i16 = -1;

/**
 * Cells along z to the nearest set (or with `invert`, unset) cell, for rows yFrom … yTo-1 of planes first … last-1 of
 * the grid, a byte per cell, 255 = none within 254; other planes are ignored.
 */
export function distanceAlongZ(
  grid: BitGrid, bits: usize, invert: bool, first: i32, last: i32, yFrom: i32, yTo: i32, near: usize,
): void {
  const words = grid.words, rows = grid.rows;
  const stride = <usize>words << 6;
  const plane = stride * <usize>rows;
  const one = i8x16.splat(1), none = i8x16.splat(<i8>far);
  const turned = i8x16.splat(invert ? -1 : 0);
  const which = i8x16(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  const bit = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
  for (let z = first; z < last; z++) {
    for (let y = yFrom; y < yTo; y++) {
      const row = bits + ((<usize>z * <usize>rows + <usize>y) * <usize>words << 3);
      const to = near + <usize>(z - first) * plane + <usize>y * stride;
      for (let x: usize = 0; x < stride; x += 16) {
        const both = i8x16.swizzle(i16x8.splat(load<i16>(row + (x >> 3))), which);
        const set = v128.xor(i8x16.eq(v128.and(both, bit), bit), turned);
        const before = z > first ? i8x16.add_sat_u(v128.load(to + x - plane), one) : none;
        v128.store(to + x, v128.andnot(before, set));
      }
    }
  }
  for (let z = last - 2; z >= first; z--) {
    for (let y = yFrom; y < yTo; y++) {
      const to = near + <usize>(z - first) * plane + <usize>y * stride;
      for (let x: usize = 0; x < stride; x += 16) {
        v128.store(to + x, i8x16.min_u(v128.load(to + x), i8x16.add_sat_u(v128.load(to + x + plane), one)));
      }
    }
  }
}

@inline
function square(cells: v128): v128 {
  return v128.or(i16x8.mul(cells, cells), i16x8.eq(cells, i16x8.splat(<i16>far)));
}

/**
 * Converts distances along z of planes from … to-1 of `near` to squared distances (u16, 65535 = beyond `reach`, at most
 * 254) in `squared`. Blocks of 32 cells without a set cell within reach, which is most of a part and of the air around
 * it, are skipped. Scratch: (rows + 1) · stride · 2 bytes, rows · (2 words rounded up to a multiple of 16) and 2,112
 * more.
 */
export function distanceInPlanes(
  grid: BitGrid, near: usize, from: i32, to: i32, reach: i32, squared: usize, scratch: usize,
): void {
  const words = grid.words, rows = grid.rows;
  const stride = <usize>words << 6;
  const rowBytes = stride << 1;
  const none = i16x8.splat(farSquared);
  const line = scratch + 1024;
  const plane = line + rowBytes + 1088;
  // For each 32 cells of a row: rows to the nearest such block with a cell within reach along z.
  const blocks = words << 1, pitch = <usize>(blocks + 15 & ~15), away = plane + <usize>rows * rowBytes;
  const aside = reach + 31 >> 5;
  const one = i8x16.splat(1), most8 = i8x16.splat(<i8>reach);
  for (let i: usize = 0; i < 1024; i += 16) v128.store(scratch + i, none);
  for (let i: usize = 0; i < 1088; i += 16) v128.store(line + rowBytes + i, none);
  const limit = i16x8.splat(<i16>(reach * reach));
  for (let z = from; z < to; z++) {
    const source = near + <usize>z * stride * <usize>rows;
    for (let y: i32 = 0; y < rows; y++) {
      const cells = source + <usize>y * stride, row = plane + <usize>y * rowBytes, flags = away + <usize>y * pitch;
      for (let k: i32 = 0; k < blocks; k++) {
        const x = <usize>k << 5;
        let a = v128.load(cells + x), b = v128.load(cells + x, 16);
        const beyondA = i8x16.gt_u(a, most8), beyondB = i8x16.gt_u(b, most8);
        store<u8>(flags + <usize>k, i8x16.all_true(v128.and(beyondA, beyondB)) ? far : 0);
        a = v128.or(a, beyondA);
        b = v128.or(b, beyondB);
        const at = row + (x << 1);
        v128.store(at, square(i16x8.extend_low_i8x16_u(a)));
        v128.store(at, square(i16x8.extend_high_i8x16_u(a)), 16);
        v128.store(at, square(i16x8.extend_low_i8x16_u(b)), 32);
        v128.store(at, square(i16x8.extend_high_i8x16_u(b)), 48);
      }
      if (y == 0) continue;
      for (let k: usize = 0; k < pitch; k += 16) {
        v128.store(flags + k, i8x16.min_u(v128.load(flags + k), i8x16.add_sat_u(v128.load(flags + k - pitch), one)));
      }
    }
    for (let y = rows - 2; y >= 0; y--) {
      const flags = away + <usize>y * pitch;
      for (let k: usize = 0; k < pitch; k += 16) {
        v128.store(flags + k, i8x16.min_u(v128.load(flags + k), i8x16.add_sat_u(v128.load(flags + k + pitch), one)));
      }
    }
    for (let y: i32 = 0; y < rows; y++) {
      const row = plane + <usize>y * rowBytes;
      const flags = away + <usize>y * pitch;
      const most = min<i32>(reach, max<i32>(y, rows - 1 - y));
      for (let x: usize = 0; x < rowBytes; x += 64) {
        const at = row + x;
        let a = v128.load(at), b = v128.load(at, 16), c = v128.load(at, 32), d = v128.load(at, 48);
        for (let k = max<i32>(1, <i32>load<u8>(flags + (x >> 6))); k <= most; k++) {
          const k2 = i16x8.splat(<i16>(k * k));
          const largest = i16x8.max_u(i16x8.max_u(a, b), i16x8.max_u(c, d));
          if (!v128.any_true(i16x8.gt_u(largest, k2))) break;
          if (k <= y) {
            const p = at - <usize>k * rowBytes;
            a = i16x8.min_u(a, i16x8.add_sat_u(v128.load(p), k2));
            b = i16x8.min_u(b, i16x8.add_sat_u(v128.load(p, 16), k2));
            c = i16x8.min_u(c, i16x8.add_sat_u(v128.load(p, 32), k2));
            d = i16x8.min_u(d, i16x8.add_sat_u(v128.load(p, 48), k2));
          }
          if (y + k < rows) {
            const p = at + <usize>k * rowBytes;
            a = i16x8.min_u(a, i16x8.add_sat_u(v128.load(p), k2));
            b = i16x8.min_u(b, i16x8.add_sat_u(v128.load(p, 16), k2));
            c = i16x8.min_u(c, i16x8.add_sat_u(v128.load(p, 32), k2));
            d = i16x8.min_u(d, i16x8.add_sat_u(v128.load(p, 48), k2));
          }
        }
        v128.store(line + x, a);
        v128.store(line + x, b, 16);
        v128.store(line + x, c, 32);
        v128.store(line + x, d, 48);
      }
      const out = squared + (<usize>(z - from) * <usize>rows + <usize>y) * rowBytes;
      for (let x: usize = 0; x < rowBytes; x += 64) {
        const block = <i32>(x >> 6), last = min<i32>(blocks - 1, block + aside);
        let k0 = max<i32>(0, block - aside);
        while (k0 <= last && <i32>load<u8>(flags + <usize>k0) > reach) k0++;
        if (k0 > last) {
          v128.store(out + x, none);
          v128.store(out + x, none, 16);
          v128.store(out + x, none, 32);
          v128.store(out + x, none, 48);
          continue;
        }
        const at = line + x;
        let a = v128.load(at), b = v128.load(at, 16), c = v128.load(at, 32), d = v128.load(at, 48);
        for (let k: i32 = 1; k <= reach; k++) {
          const k2 = i16x8.splat(<i16>(k * k));
          const largest = i16x8.max_u(i16x8.max_u(a, b), i16x8.max_u(c, d));
          if (!v128.any_true(i16x8.gt_u(largest, k2))) break;
          const p = at - (<usize>k << 1), q = at + (<usize>k << 1);
          a = i16x8.min_u(a, i16x8.add_sat_u(i16x8.min_u(v128.load(p), v128.load(q)), k2));
          b = i16x8.min_u(b, i16x8.add_sat_u(i16x8.min_u(v128.load(p, 16), v128.load(q, 16)), k2));
          c = i16x8.min_u(c, i16x8.add_sat_u(i16x8.min_u(v128.load(p, 32), v128.load(q, 32)), k2));
          d = i16x8.min_u(d, i16x8.add_sat_u(i16x8.min_u(v128.load(p, 48), v128.load(q, 48)), k2));
        }
        v128.store(out + x, v128.or(a, i16x8.gt_u(a, limit)));
        v128.store(out + x, v128.or(b, i16x8.gt_u(b, limit)), 16);
        v128.store(out + x, v128.or(c, i16x8.gt_u(c, limit)), 32);
        v128.store(out + x, v128.or(d, i16x8.gt_u(d, limit)), 48);
      }
    }
  }
}

/**
 * Converts squared distances of `count` words of cells to bits of those within `limit`. `mode` 0: these; 1: all others;
 * 2: other without them; 3: other within them.
 */
export function withinDistance(squared: usize, count: i32, limit: i32, other: usize, mode: i32, target: usize): void {
  const most = i16x8.splat(<i16>limit);
  for (let w: usize = 0; w < <usize>count; w++) {
    const from = squared + (w << 7);
    let v: u64 = 0;
    for (let k: usize = 0; k < 64; k += 16) {
      const a = i16x8.le_u(v128.load(from + (k << 1)), most), b = i16x8.le_u(v128.load(from + (k << 1), 16), most);
      v |= <u64><u32>i8x16.bitmask(i8x16.narrow_i16x8_s(a, b)) << k;
    }
    const at = w << 3;
    if (mode == 1) v = ~v;
    else if (mode == 2) v = load<u64>(other + at) & ~v;
    else if (mode == 3) v = load<u64>(other + at) & v;
    store<u64>(target + at, v);
  }
}
