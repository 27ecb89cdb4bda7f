// Connected components on rows of bits: threshold -> bits -> runs -> union-find, and dilation by a ball.
// Rows are ordered by y, then z; a row has `words` 64-bit words. A run is a u32: first cell, last cell << 16.
import { clearBytes, copyBytes } from './bytes';
import { BitGrid, Components } from './layouts';

/** Bits of the 16 cells from `at` that are above `level` (of an unsigned 16-bit type). */
@inline
function above16(at: usize, level: v128): u64 {
  const a = i16x8.gt_u(v128.load(at), level);
  const b = i16x8.gt_u(v128.load(at + 16), level);
  return <u64><u32>i8x16.bitmask(i8x16.narrow_i16x8_s(a, b));
}

function rowAbove<T>(src: usize, n: i32, level: f64, first: i32, row: usize, invert: bool): void {
  let x: i32 = 0;
  while (x < n) {
    const w = <usize>((first + x) >> 6) << 3;
    const bit = (first + x) & 63;
    const count = min(64 - bit, n - x);
    let value: u64 = 0;
    let k: i32 = 0;
    if (sizeof<T>() == 2 && isInteger<T>() && !isSigned<T>()) {
      const limit = i16x8.splat(<i16><u16>max<f64>(min<f64>(Math.floor(level), 65535), 0));
      for (; k + 16 <= count; k += 16) value |= above16(src + (<usize>(x + k) << 1), limit) << k;
    }
    for (; k < count; k++) value |= <u64>(<f64>load<T>(src + <usize>(x + k) * sizeof<T>()) > level) << k;
    if (invert) value = ~value & (count == 64 ? ~(<u64>0) : ((<u64>1) << count) - 1);
    if (count == 64) store<u64>(row + w, value);
    else {
      // Another thread may be writing the other cells of this word.
      atomic.and<u64>(row + w, ~((((<u64>1) << count) - 1) << bit));
      atomic.or<u64>(row + w, value << bit);
    }
    x += count;
  }
}

/**
 * Thresholds a box of the source from cell x0, y0, 0 into a bit grid from cell atX, atY, atZ; other bits are left
 * unchanged.
 * `invert` 0: sets cells above `level`; 1: sets all others (including NaN). kind: see convertRow.
 */
export function thresholdBox(
  kind: i32, source: usize, bytes: i32, sourceNx: i32, sourceNy: i32, x0: i32, y0: i32, nx: i32, ny: i32, nz: i32, level: f64, invert: bool, grid: BitGrid, bits: usize, atX: i32, atY: i32, atZ: i32,
): void {
  const words = grid.words, rows = grid.rows;
  atX += grid.marginX;
  atY += grid.marginY;
  atZ += grid.marginZ;
  for (let z: i32 = 0; z < nz; z++) {
    for (let y: i32 = 0; y < ny; y++) {
      const from = source + ((<usize>z * <usize>sourceNy + <usize>(y0 + y)) * <usize>sourceNx + <usize>x0) * bytes;
      const row = bits + ((<usize>(z + atZ) * <usize>rows + <usize>(y + atY)) * <usize>words << 3);
      if (kind == 0) rowAbove<u8>(from, nx, level, atX, row, invert);
      else if (kind == 1) rowAbove<i8>(from, nx, level, atX, row, invert);
      else if (kind == 2) rowAbove<u16>(from, nx, level, atX, row, invert);
      else if (kind == 3) rowAbove<i16>(from, nx, level, atX, row, invert);
      else if (kind == 4) rowAbove<u32>(from, nx, level, atX, row, invert);
      else if (kind == 5) rowAbove<i32>(from, nx, level, atX, row, invert);
      else if (kind == 6) rowAbove<f32>(from, nx, level, atX, row, invert);
      else rowAbove<f64>(from, nx, level, atX, row, invert);
    }
  }
}

/** Writes the number of runs of set bits in each row to starts[row] (u32). */
export function countRuns(grid: BitGrid, bits: usize, zFrom: i32, zTo: i32, starts: usize): void {
  const words = grid.words, rowFrom = zFrom * grid.rows, rowTo = zTo * grid.rows;
  for (let r = rowFrom; r < rowTo; r++) {
    let at = bits + (<usize>r * <usize>words << 3);
    let carry: u64 = 0;
    let n: u32 = 0;
    for (let w: i32 = 0; w < words; w++, at += 8) {
      const v = load<u64>(at);
      n += <u32>popcnt(v & ~(v << 1 | carry));
      carry = v >> 63;
    }
    store<u32>(starts + (<usize>r << 2), n);
  }
}

/** Writes the runs of each row from starts[row], each as its own component in `parent`. */
export function writeRuns(grid: BitGrid, components: Components, bits: usize, zFrom: i32, zTo: i32): void {
  const words = grid.words, rowFrom = zFrom * grid.rows, rowTo = zTo * grid.rows;
  const starts = components.starts, runs = components.runs, parent = components.numbers;
  for (let r = rowFrom; r < rowTo; r++) {
    const row = bits + (<usize>r * <usize>words << 3);
    let id = load<u32>(starts + (<usize>r << 2));
    let begin: i32 = -1;
    for (let w: i32 = 0; w < words; w++) {
      const v = load<u64>(row + (<usize>w << 3));
      let at: i32 = 0;
      while (at < 64) {
        if (begin < 0) {
          const rest = v >> at;
          if (!rest) break;
          at += <i32>ctz(rest);
          begin = (w << 6) + at;
        } else {
          const rest = ~v >> at;
          // Bits shifted in from above belong to the next word.
          if (!rest) break;
          at += <i32>ctz(rest);
          if (at >= 64) break;
          store<u32>(runs + (<usize>id << 2), <u32>begin | <u32>((w << 6) + at - 1) << 16);
          store<u32>(parent + (<usize>id << 2), id);
          id++;
          begin = -1;
        }
      }
    }
    if (begin >= 0) {
      store<u32>(runs + (<usize>id << 2), <u32>begin | <u32>((words << 6) - 1) << 16);
      store<u32>(parent + (<usize>id << 2), id);
    }
  }
}

@inline
function find(parent: usize, i: u32): u32 {
  while (true) {
    const p = load<u32>(parent + (<usize>i << 2));
    if (p == i) return i;
    const g = load<u32>(parent + (<usize>p << 2));
    store<u32>(parent + (<usize>i << 2), g);
    i = g;
  }
}

/** Joins runs of two rows that touch; the root of a component is its lowest run. */
function joinRows(starts: usize, runs: usize, parent: usize, a: i32, b: i32, reach: i32): void {
  let i = load<u32>(starts + (<usize>a << 2));
  let j = load<u32>(starts + (<usize>b << 2));
  const endI = load<u32>(starts + (<usize>a << 2) + 4);
  const endJ = load<u32>(starts + (<usize>b << 2) + 4);
  while (i < endI && j < endJ) {
    const p = load<u32>(runs + (<usize>i << 2));
    const q = load<u32>(runs + (<usize>j << 2));
    const p1 = <i32>(p >> 16), q1 = <i32>(q >> 16);
    if (p1 + reach >= <i32>(q & 0xffff) && q1 + reach >= <i32>(p & 0xffff)) {
      const u = find(parent, i), v = find(parent, j);
      if (u < v) store<u32>(parent + (<usize>v << 2), u);
      else if (v < u) store<u32>(parent + (<usize>u << 2), v);
    }
    if (p1 < q1) i++;
    else j++;
  }
}

/**
 * Joins runs of planes zFrom … zTo-1 with each other or, with `seamOnly`, only with those of plane zFrom-1. `all26` 1:
 * cells that share a corner touch; 0: only those that share a face.
 */
export function joinRuns(
  grid: BitGrid, components: Components, zFrom: i32, zTo: i32, seamOnly: bool, all26: bool,
): void {
  const rows = grid.rows, starts = components.starts, runs = components.runs, parent = components.numbers;
  const reach: i32 = all26 ? 1 : 0;
  for (let z = zFrom; z < zTo; z++) {
    for (let y: i32 = 0; y < rows; y++) {
      const r = z * rows + y;
      if (load<u32>(starts + (<usize>r << 2)) == load<u32>(starts + (<usize>r << 2) + 4)) continue;
      if (!seamOnly && y > 0) joinRows(starts, runs, parent, r, r - 1, reach);
      if (seamOnly ? z > zFrom : z == zFrom) continue;
      if (z == 0) continue;
      joinRows(starts, runs, parent, r, r - rows, reach);
      if (all26) {
        if (y > 0) joinRows(starts, runs, parent, r, r - rows - 1, 1);
        if (y + 1 < rows) joinRows(starts, runs, parent, r, r - rows + 1, 1);
      }
    }
  }
}

/**
 * Replaces each parent by its component's number, counted from 0 in the order of first runs; returns the number of
 * components.
 */
export function numberRuns(numbers: usize, count: i32): i32 {
  let next: u32 = 0;
  for (let i: i32 = 0; i < count; i++) {
    const at = numbers + (<usize>i << 2);
    const p = load<u32>(at);
    // The root precedes all its descendants, so its number has already been written.
    if (p == <u32>i) store<u32>(at, next++);
    else store<u32>(at, load<u32>(numbers + (<usize>p << 2)));
  }
  return <i32>next;
}

/** Sets the bits of the runs of component `wanted`, planes zFrom … zTo-1. */
export function paintComponent(
  grid: BitGrid, components: Components, wanted: u32, target: usize, zFrom: i32, zTo: i32,
): void {
  const words = grid.words, rowFrom = zFrom * grid.rows, rowTo = zTo * grid.rows;
  const starts = components.starts, runs = components.runs, numbers = components.numbers;
  for (let r = rowFrom; r < rowTo; r++) {
    const row = target + (<usize>r * <usize>words << 3);
    clearBytes(row, <usize>words << 3);
    const end = load<u32>(starts + (<usize>r << 2) + 4);
    for (let i = load<u32>(starts + (<usize>r << 2)); i < end; i++) {
      if (load<u32>(numbers + (<usize>i << 2)) != wanted) continue;
      const run = load<u32>(runs + (<usize>i << 2));
      const first = <i32>(run & 0xffff), last = <i32>(run >> 16);
      for (let w = first >> 6; w <= last >> 6; w++) {
        const from = max(first - (w << 6), 0), to = min(last - (w << 6), 63);
        const mask = (~(<u64>0) >> (63 - (to - from))) << from;
        const at = row + (<usize>w << 3);
        store<u64>(at, load<u64>(at) | mask);
      }
    }
  }
}

/** dst = src and its neighbours one cell left and right, words wFrom … wTo-1 of a row. */
function widen(src: usize, dst: usize, words: i32, wFrom: i32, wTo: i32): void {
  let w = wFrom;
  if (w == 0) widenOne(src, dst, words, w++);
  for (; w + 2 <= wTo && w + 2 < words; w += 2) {
    const at = src + (<usize>w << 3);
    const v = v128.load(at);
    const sides = v128.or(i64x2.shr_u(v128.load(at - 8), 63), i64x2.shl(v128.load(at + 8), 63));
    v128.store(dst + (<usize>w << 3), v128.or(v128.or(v, sides), v128.or(i64x2.shl(v, 1), i64x2.shr_u(v, 1))));
  }
  for (; w < wTo; w++) widenOne(src, dst, words, w);
}

@inline
function widenOne(src: usize, dst: usize, words: i32, w: i32): void {
  const at = src + (<usize>w << 3);
  const v = load<u64>(at);
  const before: u64 = w > 0 ? load<u64>(at - 8) : 0;
  const after: u64 = w + 1 < words ? load<u64>(at + 8) : 0;
  store<u64>(dst + (<usize>w << 3), v | v << 1 | before >> 63 | v >> 1 | after << 63);
}

/** dst[i] |= src[i + shift] wherever both are within 0 … n-1. */
function orShifted(dst: usize, src: usize, n: i32, shift: i32): void {
  let i = max<i32>(0, -shift);
  const end = min<i32>(n, n - shift);
  const from = src + <usize>shift;
  for (; i + 16 <= end; i += 16) {
    const at = dst + <usize>i;
    v128.store(at, v128.or(v128.load(at), v128.load(from + <usize>i)));
  }
  for (; i < end; i++) store<u8>(dst + <usize>i, load<u8>(dst + <usize>i) | load<u8>(from + <usize>i));
}

/** ORs each byte with those up to `reach` rows before and after it in its plane. */
function spreadRows(src: usize, dst: usize, rows: i32, words: i32, reach: i32): void {
  copyBytes(dst, src, <usize>(rows * words));
  for (let k: i32 = 1; k <= reach; k++) {
    orShifted(dst, src, rows * words, k * words);
    orShifted(dst, src, rows * words, -k * words);
  }
}

/**
 * Dilation by a ball, then a combination, planes zFrom … zTo-1. `offsets`: i32 triples dy, dz, half-width in x;
 * `levels` = largest half-width + 1, `reachY` and `reachZ` = largest dy and dz. `invert`: dilates the unset bits of
 * `src`.
 * `mode` 0: the dilation; 1: its complement; 2: other without it; 3: other within it.
 * Rows beyond the grid are empty. A word is processed (`active`) only if bits are set in or around it and it has
 * requested bits that are still unset, until none is left; only the rows that these words read are widened. Offsets
 * should start with the nearest.
 * Scratch: (zTo-zFrom + 2 reachZ) · rows · words · (levels · 8 + 3) + 4 · offsetCount + 8 bytes.
 */
export function dilate(
  grid: BitGrid, bits: usize, invert: bool, zFrom: i32, zTo: i32, offsets: usize, offsetCount: i32, levels: i32, reachY: i32, reachZ: i32, other: usize, mode: i32, target: usize, scratch: usize,
): void {
  const src = bits, dst = target, words = grid.words, rows = grid.rows, planes = grid.planes;
  const wide = <usize>words;
  const rowBytes = wide << 3;
  const reachX = levels + 62 >> 6;
  // Cells of a word that reach into the next word, and into the previous one.
  const high: u64 = levels > 64 ? ~(<u64>0) : levels > 1 ? ~(<u64>0) << (65 - levels) : 0;
  const low: u64 = levels > 64 ? ~(<u64>0) : levels > 1 ? ~(<u64>0) >> (65 - levels) : 0;
  const first = max(zFrom - reachZ, 0);
  const last = min(zTo + reachZ, planes);
  const planeMarks = <usize>rows * wide;
  const marks = planeMarks * <usize>(last - first);
  const turned: u64 = invert ? ~(<u64>0) : 0;
  const turnedPair = i64x2.splat(turned);
  // One byte per word, in three sets.
  const set = scratch + marks * 8 * <usize>levels;
  const across = set + marks;
  const active = across + marks;
  const sources = active + marks + 3 & ~3;
  for (let z = first; z < last; z++) {
    const own = set + <usize>(z - first) * planeMarks;
    for (let y: i32 = 0; y < rows; y++) {
      const from = src + (<usize>z * <usize>rows + <usize>y) * rowBytes;
      const to = own + <usize>y * wide;
      let before: u64 = 0, here = load<u64>(from) ^ turned;
      for (let w: usize = 0; w < wide; w++) {
        const after = w + 1 < wide ? load<u64>(from + (w + 1 << 3)) ^ turned : 0;
        // In adjacent words, only the cells that reach into this one count.
        store<u8>(to + w, u8((here | (before & high) | (after & low)) != 0));
        before = here;
        here = after;
      }
      for (let k: i32 = 1; k < reachX; k++) {
        let before: u8 = 0, here = load<u8>(to);
        for (let w: usize = 0; w < wide; w++) {
          const after: u8 = w + 1 < wide ? load<u8>(to + w + 1) : 0;
          store<u8>(to + w, before | here | after);
          before = here;
          here = after;
        }
      }
    }
    spreadRows(own, across + <usize>(z - first) * planeMarks, rows, words, reachY);
  }
  for (let z = zFrom; z < zTo; z++) {
    const own = active + <usize>(z - first) * planeMarks;
    clearBytes(own, planeMarks);
    for (let k = max(z - reachZ, first); k < min(z + reachZ + 1, last); k++) {
      orShifted(own, across + <usize>(k - first) * planeMarks, <i32>planeMarks, 0);
    }
    const from = src + <usize>z * <usize>rows * rowBytes;
    const beside = other + <usize>z * <usize>rows * rowBytes;
    for (let w: usize = 0; w < planeMarks; w++) {
      if (!load<u8>(own + w)) continue;
      const asked = mode >= 2 ? load<u64>(beside + (w << 3)) : ~(<u64>0);
      if (!(asked & ~(load<u64>(from + (w << 3)) ^ turned))) store<u8>(own + w, 0);
    }
    spreadRows(own, set + <usize>(z - first) * planeMarks, rows, words, reachY);
  }
  for (let z = first; z < last; z++) {
    const needed = across + <usize>(z - first) * planeMarks;
    clearBytes(needed, planeMarks);
    for (let k = max(z - reachZ, zFrom); k < min(z + reachZ + 1, zTo); k++) {
      orShifted(needed, set + <usize>(k - first) * planeMarks, <i32>planeMarks, 0);
    }
    for (let y: i32 = 0; y < rows; y++) {
      const from = src + (<usize>z * <usize>rows + <usize>y) * rowBytes;
      const own = needed + <usize>y * wide;
      const row = scratch + (<usize>(z - first) * <usize>rows + <usize>y) * rowBytes * <usize>levels;
      let w: i32 = 0;
      while (w < words) {
        if (!load<u8>(own + <usize>w)) { w++; continue; }
        let end = w + 1;
        while (end < words && load<u8>(own + <usize>end)) end++;
        // Wrong bits beyond the ends move inward by one bit per level, so they never cross the adjacent words.
        const a = max<i32>(w - reachX, 0), b = min<i32>(end + reachX, words);
        for (let k = max<i32>(a - 1, 0); k < min<i32>(b + 1, words); k++) {
          store<u64>(row + (<usize>k << 3), load<u64>(from + (<usize>k << 3)) ^ turned);
        }
        let to = row;
        for (let k: i32 = 1; k < levels; k++, to += rowBytes) widen(to, to + rowBytes, words, a, b);
        w = end;
      }
    }
  }
  for (let z = zFrom; z < zTo; z++) {
    for (let y: i32 = 0; y < rows; y++) {
      const r = <usize>z * <usize>rows + <usize>y;
      const from = src + r * rowBytes;
      const out = dst + r * rowBytes;
      const mark = active + (<usize>(z - first) * <usize>rows + <usize>y) * wide;
      const beside = other + r * rowBytes;
      let found: usize = 0;
      for (let w: usize = 0; w < wide; w++) {
        const at = w << 3;
        let v = load<u64>(from + at) ^ turned;
        if (load<u8>(mark + w)) {
          if (!found) found = listSources(sources, offsets, offsetCount, levels, y, z, first, rows, planes, rowBytes, scratch);
          if (w + 1 < wide && load<u8>(mark + w + 1)) {
            // Two words at once.
            let both = v128.xor(v128.load(from + at), turnedPair);
            const asked = mode >= 2 ? v128.load(beside + at) : i64x2.splat(-1);
            for (let k = sources; k < found && v128.any_true(v128.andnot(asked, both));) {
              const end = min<usize>(k + 32, found);
              for (; k < end; k += 4) both = v128.or(both, v128.load(<usize>load<u32>(k) + at));
            }
            v = v128.extract_lane<u64>(both, 0);
            const next = v128.extract_lane<u64>(both, 1);
            store<u64>(out + at + 8, combined(mode, next, mode >= 2 ? load<u64>(beside + at + 8) : 0));
            w++;
          } else {
            const asked = mode >= 2 ? load<u64>(beside + at) : ~(<u64>0);
            for (let k = sources; k < found && asked & ~v;) {
              const end = min<usize>(k + 32, found);
              for (; k < end; k += 4) v |= load<u64>(<usize>load<u32>(k) + at);
            }
          }
        }
        store<u64>(out + at, combined(mode, v, mode >= 2 ? load<u64>(beside + at) : 0));
      }
    }
  }
}

/** Combines a word of the dilation with that of `other` by `mode` of `dilate`. */
@inline
function combined(mode: i32, dilation: u64, other: u64): u64 {
  return mode == 0 ? dilation : mode == 1 ? ~dilation : mode == 2 ? other & ~dilation : other & dilation;
}

/** Lists the addresses of the rows within a ball around row y, z; returns the end of the list. */
function listSources(
  sources: usize, offsets: usize, offsetCount: i32, levels: i32, y: i32, z: i32, first: i32, rows: i32, planes: i32, rowBytes: usize, scratch: usize,
): usize {
  let end = sources;
  for (let k: i32 = 0; k < offsetCount; k++) {
    const at = offsets + <usize>k * 12;
    const sy = y + load<i32>(at);
    const sz = z + load<i32>(at + 4);
    if (sy < 0 || sy >= rows || sz < 0 || sz >= planes) continue;
    const i = <usize>(sz - first) * <usize>rows + <usize>sy;
    store<u32>(end, <u32>(scratch + (i * <usize>levels + <usize>load<i32>(at + 8)) * rowBytes));
    end += 4;
  }
  return end;
}

/** dst = a combined with b, `count` words. mode 0: a or b; 1: a without b; 2: a and b. */
export function combineBits(a: usize, b: usize, target: usize, count: usize, mode: i32): void {
  for (let i: usize = 0; i < count << 3; i += 8) {
    const p = load<u64>(a + i), q = load<u64>(b + i);
    store<u64>(target + i, mode == 0 ? p | q : mode == 1 ? p & ~q : p & q);
  }
}

/** Number of set bits in `count` words. */
export function countBits(bits: usize, count: usize): f64 {
  let sum: u64 = 0;
  for (let i: usize = 0; i < count << 3; i += 8) sum += popcnt(load<u64>(bits + i));
  return <f64>sum;
}
