// Median of 3 × 3 × 3 cells for any type of grey values: as many cells at a time as fit a vector, with branchless
// sorting networks.
// For every cell of a row, its nine neighbours in x and z are sorted: triples along z, then three of these across x.
// The nines of two rows are merged for ranks 5 to 14 of 18, which serves the medians of both rows: together with the
// nine of the row before the first, or of the row after the second, they contain the 14th of 27. About ten operations
// per cell and vector.
// Batcher 1968 (odd-even merge), https://doi.org/10.1145/1468075.1468121; nine by Floyd's 25 comparisons (Knuth, TAOCP
// 3, 5.3.4).
import { copyBytes } from './bytes';

/** Bytes of a row processed at a time: the buffers of four such rows fit a core's L1 cache. */
const tileBytes: usize = 512;
/** Buffer for a tile of one rank, with one vector before and two after it. */
const rankBytes: usize = tileBytes + 48;
/** Nine ranks of a row, and a mask of the cells with a missing value among their nine. */
const rowBytes: usize = 10 * rankBytes;

@inline
function lo<T>(a: v128, b: v128): v128 {
  return isFloat<T>() ? v128.pmin<T>(a, b) : v128.min<T>(a, b);
}

@inline
function hi<T>(a: v128, b: v128): v128 {
  return isFloat<T>() ? v128.pmax<T>(a, b) : v128.max<T>(a, b);
}

/** −0 becomes +0: otherwise the network's result would depend on the order of the two zeros. */
@inline
function values<T>(at: usize): v128 {
  const v = v128.load(at);
  return isFloat<T>() ? v128.add<T>(v, v128.splat<T>(0)) : v;
}

/** Cells xFrom … xTo-1 of three rows, sorted along z: in `ranks`, values of cell `origin` are rankBytes apart. */
@inline
function sortAlongZ<T>(below: usize, row: usize, above: usize, origin: i32, xFrom: i32, xTo: i32, nx: i32, ranks: usize): void {
  const lanes = 16 / <i32>sizeof<T>();
  const at = ranks - <usize>origin * sizeof<T>();
  const first = max<i32>(xFrom - 1, 0), last = min<i32>(xTo + 1, nx);
  for (let x = first; x < last; x += lanes) {
    const i = <usize>x * sizeof<T>();
    let a = values<T>(below + i), b = values<T>(row + i), c = values<T>(above + i);
    if (isFloat<T>()) {
      // NaN is detected before comparisons lose it: a nine that contains NaN gets it in every rank.
      const sum = v128.add<T>(v128.sub<T>(a, a), v128.add<T>(v128.sub<T>(b, b), v128.sub<T>(c, c)));
      v128.store(at + i, sum, 3 * rankBytes);
    }
    let low = lo<T>(a, b); b = hi<T>(a, b); a = low;
    low = lo<T>(b, c); c = hi<T>(b, c); b = low;
    low = lo<T>(a, b); b = hi<T>(a, b);
    v128.store(at + i, low);
    v128.store(at + i, b, rankBytes);
    v128.store(at + i, c, 2 * rankBytes);
  }
}

/** Repeats the end cells beyond the ends of a row. */
@inline
function extendRow<T>(ranks: usize, origin: i32, xFrom: i32, xTo: i32, nx: i32): void {
  const at = ranks - <usize>origin * sizeof<T>();
  const end = at + <usize>nx * sizeof<T>();
  for (let k: i32 = 0; k < (isFloat<T>() ? 4 : 3); k++) {
    const rank = <usize>k * rankBytes;
    if (xFrom == 0) store<T>(at + rank - sizeof<T>(), load<T>(at + rank));
    if (xTo == nx) store<T>(end + rank, load<T>(end + rank - sizeof<T>()));
  }
}

/** Sorts triples along z into nines, for a tile. */
@inline
function sortNines<T>(triples: usize, bytes: usize, row: usize): void {
  for (let i: usize = 0; i < bytes; i += 16) {
    const at = triples + i, to = row + i;
    let low: v128;
    let v0 = v128.load(at - sizeof<T>());
    let v1 = v128.load(at - sizeof<T>(), rankBytes);
    let v2 = v128.load(at - sizeof<T>(), 2 * rankBytes);
    let v3 = v128.load(at);
    let v4 = v128.load(at, rankBytes);
    let v5 = v128.load(at, 2 * rankBytes);
    let v6 = v128.load(at + sizeof<T>());
    let v7 = v128.load(at + sizeof<T>(), rankBytes);
    let v8 = v128.load(at + sizeof<T>(), 2 * rankBytes);
    // Sorts the minima, the middle values and the maxima of the three triples, then all.
    low = lo<T>(v2, v5); v5 = hi<T>(v2, v5); v2 = low;
    low = lo<T>(v5, v8); v8 = hi<T>(v5, v8); v5 = low;
    low = lo<T>(v2, v5); v5 = hi<T>(v2, v5); v2 = low;
    low = lo<T>(v0, v3); v3 = hi<T>(v0, v3); v0 = low;
    low = lo<T>(v3, v6); v6 = hi<T>(v3, v6); v3 = low;
    low = lo<T>(v0, v3); v3 = hi<T>(v0, v3); v0 = low;
    low = lo<T>(v1, v4); v4 = hi<T>(v1, v4); v1 = low;
    low = lo<T>(v4, v7); v7 = hi<T>(v4, v7); v4 = low;
    low = lo<T>(v1, v4); v4 = hi<T>(v1, v4); v1 = low;
    low = lo<T>(v5, v7); v7 = hi<T>(v5, v7); v5 = low;
    low = lo<T>(v2, v6); v6 = hi<T>(v2, v6); v2 = low;
    low = lo<T>(v1, v3); v3 = hi<T>(v1, v3); v1 = low;
    low = lo<T>(v4, v6); v6 = hi<T>(v4, v6); v4 = low;
    low = lo<T>(v2, v4); v4 = hi<T>(v2, v4); v2 = low;
    low = lo<T>(v5, v6); v6 = hi<T>(v5, v6); v5 = low;
    low = lo<T>(v2, v3); v3 = hi<T>(v2, v3); v2 = low;
    v128.store(to, v0);
    v128.store(to, v1, rankBytes);
    v128.store(to, v2, 2 * rankBytes);
    v128.store(to, v3, 3 * rankBytes);
    v128.store(to, v4, 4 * rankBytes);
    v128.store(to, v5, 5 * rankBytes);
    v128.store(to, v6, 6 * rankBytes);
    v128.store(to, v7, 7 * rankBytes);
    v128.store(to, v8, 8 * rankBytes);
    if (isFloat<T>()) {
      const sum = v128.add<T>(v128.load(at - sizeof<T>(), 3 * rankBytes), v128.load(at + sizeof<T>(), 3 * rankBytes));
      v128.store(to, v128.add<T>(sum, v128.load(at, 3 * rankBytes)), 9 * rankBytes);
    }
  }
}

/** The 14th of 27, from ranks 5 to 14 of two nines and a third nine. */
@inline
function withThird<T>(
  m1: v128, m2: v128, m3: v128, m4: v128, m5: v128, m6: v128, m7: v128, m8: v128, m9: v128, m10: v128, at: usize,
): v128 {
  // For one i, i of the ten and 10 - i of the nine are at or below the 10th of these nineteen.
  let found = lo<T>(m10, hi<T>(m9, v128.load(at)));
  found = lo<T>(found, hi<T>(m8, v128.load(at, rankBytes)));
  found = lo<T>(found, hi<T>(m7, v128.load(at, 2 * rankBytes)));
  found = lo<T>(found, hi<T>(m6, v128.load(at, 3 * rankBytes)));
  found = lo<T>(found, hi<T>(m5, v128.load(at, 4 * rankBytes)));
  found = lo<T>(found, hi<T>(m4, v128.load(at, 5 * rankBytes)));
  found = lo<T>(found, hi<T>(m3, v128.load(at, 6 * rankBytes)));
  found = lo<T>(found, hi<T>(m2, v128.load(at, 7 * rankBytes)));
  found = lo<T>(found, hi<T>(m1, v128.load(at, 8 * rankBytes)));
  return found;
}

/**
 * One tile of two rows: medians from the nines of the row before, both rows and the row after. `second` 0: one row
 * only.
 */
@inline
function filterTwoRows<T>(before: usize, row: usize, next: usize, after: usize, bytes: usize, first: usize, second: usize, scratch: usize): void {
  for (let i: usize = 0; i < bytes; i += 16) {
    let low: v128;
    let p0 = v128.load(row + i);
    let p1 = v128.load(row + i, rankBytes);
    let p2 = v128.load(row + i, 2 * rankBytes);
    let p3 = v128.load(row + i, 3 * rankBytes);
    let p4 = v128.load(row + i, 4 * rankBytes);
    let p5 = v128.load(row + i, 5 * rankBytes);
    let p6 = v128.load(row + i, 6 * rankBytes);
    let p7 = v128.load(row + i, 7 * rankBytes);
    let p8 = v128.load(row + i, 8 * rankBytes);
    let q0 = v128.load(next + i);
    let q1 = v128.load(next + i, rankBytes);
    let q2 = v128.load(next + i, 2 * rankBytes);
    let q3 = v128.load(next + i, 3 * rankBytes);
    let q4 = v128.load(next + i, 4 * rankBytes);
    let q5 = v128.load(next + i, 5 * rankBytes);
    let q6 = v128.load(next + i, 6 * rankBytes);
    let q7 = v128.load(next + i, 7 * rankBytes);
    let q8 = v128.load(next + i, 8 * rankBytes);
    q0 = hi<T>(p0, q0);
    p8 = lo<T>(p8, q8);
    low = lo<T>(p8, q0); q0 = hi<T>(p8, q0); p8 = low;
    low = lo<T>(p4, q4); q4 = hi<T>(p4, q4); p4 = low;
    low = lo<T>(p4, p8); p8 = hi<T>(p4, p8); p4 = low;
    low = lo<T>(q4, q0); q0 = hi<T>(q4, q0); q4 = low;
    low = lo<T>(p2, q2); q2 = hi<T>(p2, q2); p2 = low;
    low = lo<T>(p6, q6); q6 = hi<T>(p6, q6); p6 = low;
    low = lo<T>(p6, q2); q2 = hi<T>(p6, q2); p6 = low;
    p4 = hi<T>(p2, p4);
    low = lo<T>(p6, p8); p8 = hi<T>(p6, p8); p6 = low;
    low = lo<T>(q2, q4); q4 = hi<T>(q2, q4); q2 = low;
    q6 = lo<T>(q6, q0);
    q1 = hi<T>(p1, q1);
    low = lo<T>(p5, q5); q5 = hi<T>(p5, q5); p5 = low;
    low = lo<T>(p5, q1); q1 = hi<T>(p5, q1); p5 = low;
    low = lo<T>(p3, q3); q3 = hi<T>(p3, q3); p3 = low;
    p7 = lo<T>(p7, q7);
    low = lo<T>(p7, q3); q3 = hi<T>(p7, q3); p7 = low;
    low = lo<T>(p3, p5); p5 = hi<T>(p3, p5); p3 = low;
    low = lo<T>(p7, q1); q1 = hi<T>(p7, q1); p7 = low;
    low = lo<T>(q3, q5); q5 = hi<T>(q3, q5); q3 = low;
    p4 = hi<T>(p3, p4);
    low = lo<T>(p5, p6); p6 = hi<T>(p5, p6); p5 = low;
    low = lo<T>(p7, p8); p8 = hi<T>(p7, p8); p7 = low;
    low = lo<T>(q1, q2); q2 = hi<T>(q1, q2); q1 = low;
    low = lo<T>(q3, q4); q4 = hi<T>(q3, q4); q3 = low;
    q5 = lo<T>(q5, q6);
    const a = withThird<T>(p4, p5, p6, p7, p8, q1, q2, q3, q4, q5, before + i);
    const b = withThird<T>(p4, p5, p6, p7, p8, q1, q2, q3, q4, q5, after + i);
    if (i + 16 <= bytes) {
      v128.store(first + i, a);
      if (second) v128.store(second + i, b);
    } else {
      // Cells beyond the row must not be overwritten.
      v128.store(scratch, a);
      v128.store(scratch, b, 16);
      copyBytes(first + i, scratch, bytes - i);
      if (second) copyBytes(second + i, scratch + 16, bytes - i);
    }
  }
}

/** Median of the numbers around a cell, the lower of two middle ones; a missing cell stays missing. */
function filterNumbers<T>(
  below: usize, plane: usize, above: usize, x: i32, y: i32, nx: i32, ny: i32, sorted: usize,
): T {
  const middle = load<T>(plane + (<usize>y * <usize>nx + <usize>x) * sizeof<T>());
  if (middle != middle) return middle;
  let count: i32 = 0;
  for (let k: i32 = 0; k < 3; k++) {
    const from = k == 0 ? below : k == 1 ? plane : above;
    for (let dy: i32 = -1; dy <= 1; dy++) {
      const row = from + <usize>min<i32>(max<i32>(y + dy, 0), ny - 1) * <usize>nx * sizeof<T>();
      for (let dx: i32 = -1; dx <= 1; dx++) {
        const v = <T>(load<T>(row + <usize>min<i32>(max<i32>(x + dx, 0), nx - 1) * sizeof<T>()) + 0);
        if (v != v) continue;
        let i = count++;
        for (; i > 0 && load<T>(sorted + <usize>(i - 1) * sizeof<T>()) > v; i--) {
          store<T>(sorted + <usize>i * sizeof<T>(), load<T>(sorted + <usize>(i - 1) * sizeof<T>()));
        }
        store<T>(sorted + <usize>i * sizeof<T>(), v);
      }
    }
  }
  return load<T>(sorted + <usize>((count - 1) >> 1) * sizeof<T>());
}

/** Recomputes, one by one, the cells of a tile that have a missing value nearby. */
function patchRow<T>(
  before: usize, row: usize, after: usize, below: usize, plane: usize, above: usize,
  xFrom: i32, xTo: i32, y: i32, nx: i32, ny: i32, target: usize, sorted: usize,
): void {
  const lanes = 16 / <i32>sizeof<T>();
  for (let x = xFrom; x < xTo; x += lanes) {
    const i = <usize>(x - xFrom) * sizeof<T>();
    const sum = v128.add<T>(
      v128.add<T>(v128.load(before + i, 9 * rankBytes), v128.load(after + i, 9 * rankBytes)), v128.load(row + i, 9 * rankBytes),
    );
    if (!v128.any_true(v128.ne<T>(sum, sum))) continue;
    for (let k = x; k < min<i32>(x + lanes, xTo); k++) {
      const v = filterNumbers<T>(below, plane, above, k, y, nx, ny, sorted);
      store<T>(target + <usize>(k - xFrom) * sizeof<T>(), v);
    }
  }
}

function filterPlane<T>(below: usize, plane: usize, above: usize, nx: i32, ny: i32, yFrom: i32, yTo: i32, target: usize, scratch: usize): void {
  const width = <i32>(tileBytes / sizeof<T>());
  const pitch = <usize>nx * sizeof<T>();
  const triples = scratch + 16, rows = scratch + 4 * rankBytes, ends = rows + 4 * rowBytes, sorted = ends + 32;
  for (let xFrom: i32 = 0; xFrom < nx; xFrom += width) {
    const xTo = min<i32>(xFrom + width, nx);
    const bytes = <usize>(xTo - xFrom) * sizeof<T>();
    const shift = <usize>xFrom * sizeof<T>();
    let ready = max<i32>(yFrom - 1, 0);
    for (let y = yFrom; y < yTo; y += 2) {
      for (const last = min<i32>(y + 2, ny - 1); ready <= last; ready++) {
        const at = <usize>ready * pitch;
        sortAlongZ<T>(below + at, plane + at, above + at, xFrom, xFrom, xTo, nx, triples);
        extendRow<T>(triples, xFrom, xFrom, xTo, nx);
        sortNines<T>(triples, bytes, rows + <usize>(ready & 3) * rowBytes);
      }
      const before = rows + <usize>(max<i32>(y - 1, 0) & 3) * rowBytes;
      const row = rows + <usize>(y & 3) * rowBytes;
      const next = rows + <usize>(min<i32>(y + 1, ny - 1) & 3) * rowBytes;
      const after = rows + <usize>(min<i32>(y + 2, ny - 1) & 3) * rowBytes;
      const first = target + <usize>y * pitch + shift;
      const second = y + 1 < yTo ? first + pitch : 0;
      filterTwoRows<T>(before, row, next, after, bytes, first, second, ends);
      if (isFloat<T>()) {
        patchRow<T>(before, row, next, below, plane, above, xFrom, xTo, y, nx, ny, first, sorted);
        if (second) patchRow<T>(row, next, after, below, plane, above, xFrom, xTo, y + 1, nx, ny, second, sorted);
      }
    }
  }
}

/**
 * Rows yFrom … yTo-1 of planes zFrom … zTo-1 of `target`, computed from whole planes of `source`; both are (possibly
 * virtual) addresses of plane 0: nx · ny cells each, x fastest. Beyond the volume's nz planes, its rows and its
 * columns, the outermost cells are repeated. May read sixteen bytes beyond the last plane of `source`. `scratch`:
 * 25,000 bytes (four ranks of triples, nines of four rows, row ends, 27 numbers).
 */
export function medianPlanes(
  kind: i32, source: usize, nx: i32, ny: i32, nz: i32, yFrom: i32, yTo: i32, zFrom: i32, zTo: i32, target: usize, scratch: usize,
): void {
  const bytes: usize = kind < 2 ? 1 : kind < 4 ? 2 : kind < 7 ? 4 : 8;
  const size = <usize>nx * <usize>ny * bytes;
  for (let z = zFrom; z < zTo; z++) {
    const below = source + <usize>max<i32>(z - 1, 0) * size;
    const plane = source + <usize>z * size;
    const above = source + <usize>min<i32>(z + 1, nz - 1) * size;
    const to = target + <usize>z * size;
    if (kind == 0) filterPlane<u8>(below, plane, above, nx, ny, yFrom, yTo, to, scratch);
    else if (kind == 1) filterPlane<i8>(below, plane, above, nx, ny, yFrom, yTo, to, scratch);
    else if (kind == 2) filterPlane<u16>(below, plane, above, nx, ny, yFrom, yTo, to, scratch);
    else if (kind == 3) filterPlane<i16>(below, plane, above, nx, ny, yFrom, yTo, to, scratch);
    else if (kind == 4) filterPlane<u32>(below, plane, above, nx, ny, yFrom, yTo, to, scratch);
    else if (kind == 5) filterPlane<i32>(below, plane, above, nx, ny, yFrom, yTo, to, scratch);
    else if (kind == 6) filterPlane<f32>(below, plane, above, nx, ny, yFrom, yTo, to, scratch);
    else filterPlane<f64>(below, plane, above, nx, ny, yFrom, yTo, to, scratch);
  }
}
