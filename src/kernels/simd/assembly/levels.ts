// Local levels of air and material: block means, moments deep in either, windows over bricks, and rescaling grey values
// to them.
import { clearBytes } from './bytes';
import { LevelCells } from './layouts';
import { convertRow } from './load';

/** Blocks along each edge of a brick, and moments summed per brick and kind; see levels/bricks.ts. */
const brickBlocks: i32 = 4;
const moments: usize = 15;

/** Position of a cell between nodes, which are in the middle of every `per` cells. */
@inline
function findPlace(cell: i32, per: i32, nodes: i32): f32 {
  return min<f32>(max<f32>((<f32>cell + 0.5) / <f32>per - 0.5, 0), <f32>(nodes - 1));
}

/** Nodes of row y of plane z, interpolated linearly from a field: f32, the last one repeated. */
function readLine(field: usize, kx: i32, ky: i32, kz: i32, per: i32, y: i32, z: i32, line: usize): void {
  const py = findPlace(y, per, ky), pz = findPlace(z, per, kz);
  const y0 = <i32>py, z0 = <i32>pz;
  const sy = py - <f32>y0, sz = pz - <f32>z0;
  const y1 = min<i32>(ky - 1, y0 + 1), z1 = min<i32>(kz - 1, z0 + 1);
  const a = field + (<usize>((z0 * ky + y0) * kx) << 2), b = field + (<usize>((z0 * ky + y1) * kx) << 2);
  const c = field + (<usize>((z1 * ky + y0) * kx) << 2), d = field + (<usize>((z1 * ky + y1) * kx) << 2);
  for (let k: usize = 0; k < <usize>kx << 2; k += 4) {
    const low = load<f32>(a + k) + sy * (load<f32>(b + k) - load<f32>(a + k));
    const high = load<f32>(c + k) + sy * (load<f32>(d + k) - load<f32>(c + k));
    store<f32>(line + k, low + sz * (high - low));
  }
  store<f32>(line + (<usize>kx << 2), load<f32>(line + (<usize>(kx - 1) << 2)));
}

/** Cells xFrom … xTo-1 of a row, interpolated linearly between nodes; up to three more values are written. */
function expandLine(line: usize, nodes: i32, per: i32, xFrom: i32, xTo: i32, row: usize): void {
  for (let x = xFrom; x < xTo;) {
    const place = findPlace(x, per, nodes);
    const k = <i32>place;
    const from = load<f32>(line + (<usize>k << 2));
    const isBefore = 2 * x + 1 < per, isLast = k >= nodes - 1;
    const step: f32 = isBefore || isLast ? 0 : (load<f32>(line + (<usize>k << 2), 4) - from) / <f32>per;
    // Up to the first cell beyond the next node.
    const end = isLast ? xTo : min<i32>(xTo, isBefore ? per >> 1 : (2 * k + 3) * per >> 1);
    const stop = max<i32>(end, x + 1);
    const first = step == 0 ? from : from + (place - <f32>k) * <f32>per * step;
    let v = f32x4(first, first + step, first + 2 * step, first + 3 * step);
    const more = f32x4.splat(4 * step);
    for (let i = x; i < stop; i += 4) {
      v128.store(row + (<usize>(i - xFrom) << 2), v);
      v = f32x4.add(v, more);
    }
    x = stop;
  }
}

/**
 * Reduces planes of whole rows of a scan to means over blocks of step³ cells, f32; the last blocks hold the remainder.
 * NaN counts as `missing`. Scratch: 8 nx + 64 bytes.
 */
export function blockMeans(
  kind: i32, source: usize, bytes: i32, nx: i32, ny: i32, planes: i32, step: i32, means: usize,
  low: f32, high: f32, missing: f32, scratch: usize,
): void {
  const wx = (nx + step - 1) / step, wy = (ny + step - 1) / step;
  const sums = scratch + (<usize>nx << 2) + 32;
  const rowBytes = <usize>nx * <usize>bytes;
  for (let z: i32 = 0, k: i32 = 0; z < planes; z += step, k++) {
    const zTo = min<i32>(planes, z + step);
    for (let y: i32 = 0, j: i32 = 0; y < ny; y += step, j++) {
      const yTo = min<i32>(ny, y + step);
      clearBytes(sums, <usize>nx << 2);
      for (let a = z; a < zTo; a++) {
        for (let b = y; b < yTo; b++) {
          convertRow(kind, source + (<usize>a * <usize>ny + <usize>b) * rowBytes, scratch, nx, 0, 1, low, high, missing);
          let x: usize = 0;
          for (; x + 16 <= <usize>nx << 2; x += 16) v128.store(sums + x, f32x4.add(v128.load(sums + x), v128.load(scratch + x)));
          for (; x < <usize>nx << 2; x += 4) store<f32>(sums + x, load<f32>(sums + x) + load<f32>(scratch + x));
        }
      }
      const to = means + (<usize>((k * wy + j) * wx) << 2);
      const rows = (zTo - z) * (yTo - y);
      for (let i: i32 = 0; i < wx; i++) {
        const end = min<i32>(nx, (i + 1) * step);
        let sum: f64 = 0;
        for (let x = i * step; x < end; x++) sum += <f64>load<f32>(sums + (<usize>x << 2));
        store<f32>(to + (<usize>i << 2), <f32>(sum / <f64>(rows * (end - i * step))));
      }
    }
  }
}

/** Smooths planes zFrom … zTo-1 with 1 2 1 along each axis, repeating the border cells. Scratch: 4 nx bytes. */
export function smoothCells(from: usize, to: usize, nx: i32, ny: i32, nz: i32, zFrom: i32, zTo: i32, scratch: usize): void {
  const plane = <usize>(nx * ny) << 2, row = <usize>nx << 2;
  const two = f32x4.splat(2);
  for (let z = zFrom; z < zTo; z++) {
    const b = from + <usize>z * plane;
    const a = z > 0 ? b - plane : b, c = z < nz - 1 ? b + plane : b;
    for (let y: i32 = 0; y < ny; y++) {
      const e = <usize>y * row, d = y > 0 ? e - row : e, f = y < ny - 1 ? e + row : e;
      let x: usize = 0;
      for (; x + 16 <= row; x += 16) {
        const before = f32x4.add(f32x4.add(v128.load(a + d + x), v128.load(c + d + x)), f32x4.mul(two, v128.load(b + d + x)));
        const here = f32x4.add(f32x4.add(v128.load(a + e + x), v128.load(c + e + x)), f32x4.mul(two, v128.load(b + e + x)));
        const after = f32x4.add(f32x4.add(v128.load(a + f + x), v128.load(c + f + x)), f32x4.mul(two, v128.load(b + f + x)));
        v128.store(scratch + x, f32x4.add(f32x4.add(before, after), f32x4.mul(two, here)));
      }
      for (; x < row; x += 4) {
        const before = load<f32>(a + d + x) + load<f32>(c + d + x) + 2 * load<f32>(b + d + x);
        const here = load<f32>(a + e + x) + load<f32>(c + e + x) + 2 * load<f32>(b + e + x);
        const after = load<f32>(a + f + x) + load<f32>(c + f + x) + 2 * load<f32>(b + f + x);
        store<f32>(scratch + x, before + after + 2 * here);
      }
      const target = to + <usize>z * plane + e;
      for (let i: i32 = 0; i < nx; i++) {
        const at = scratch + (<usize>i << 2);
        const left = load<f32>(i > 0 ? at - 4 : at), right = load<f32>(i < nx - 1 ? at + 4 : at);
        store<f32>(target + (<usize>i << 2), (left + 2 * load<f32>(at) + right) / 64);
      }
    }
  }
}

/** Writes bytes along row y of plane z: 1 for material, 2 for air, 0 for neither. */
function readKinds(cells: LevelCells, y: i32, z: i32, line: usize, rows: usize, kinds: usize): void {
  const nx = cells.nx;
  const above = rows, below = rows + (<usize>nx << 2) + 32;
  readLine(cells.above, cells.bx, cells.by, cells.bz, brickBlocks, y, z, line);
  expandLine(line, cells.bx, brickBlocks, 0, nx, above);
  readLine(cells.below, cells.bx, cells.by, cells.bz, brickBlocks, y, z, line);
  expandLine(line, cells.bx, brickBlocks, 0, nx, below);
  const values = cells.values + (<usize>((z * cells.ny + y) * nx) << 2);
  for (let x: usize = 0; x < <usize>nx; x++) {
    const value = load<f32>(values + (x << 2));
    store<u8>(kinds + x, value > load<f32>(above + (x << 2)) ? 1 : value < load<f32>(below + (x << 2)) ? 2 : 0);
  }
}

/**
 * Moments of deep air, then of deep material, of each brick in layers from … to-1: f64, of all bricks. A block is deep
 * if only its own kind is within `reach` along each axis. Scratch: (4 (to - from) + 2 reach) · ny · pitch bytes, pitch
 * = nx + 32 rounded up to a multiple of 16, and 12 nx + 4 bx + 192.
 */
export function sumDeep(cells: LevelCells, from: i32, to: i32, reach: i32, isFirst: i32, sums: usize, scratch: usize): void {
  const nx = cells.nx, ny = cells.ny, nz = cells.nz, bx = cells.bx, by = cells.by;
  const pitch = <usize>(nx + 32 + 15 & ~15);
  const zFrom = from * brickBlocks, zTo = min<i32>(nz, to * brickBlocks);
  const first = max<i32>(0, zFrom - reach), last = min<i32>(nz, zTo + reach);
  const planePitch = <usize>ny * pitch;
  const narrow = scratch, rest = scratch + <usize>(last - first) * planePitch;
  const kinds = rest, rows = rest + pitch;
  const above = rows, below = rows + (<usize>nx << 2) + 32, line = below + (<usize>nx << 2) + 32;
  const ones = i8x16.splat(-1);
  // Beyond the border the bits of both kinds are set, so that the border does not limit what counts as deep.
  for (let x: usize = 0; x < pitch; x += 16) v128.store(kinds + x, ones);
  for (let z = first; z < last; z++) {
    for (let y: i32 = 0; y < ny; y++) {
      readKinds(cells, y, z, line, rows, kinds + 16);
      const target = narrow + <usize>(z - first) * planePitch + <usize>y * pitch;
      for (let x: usize = 16; x + 16 <= pitch; x += 16) {
        let all = v128.load(kinds + x);
        for (let r: i32 = 1; r <= reach; r++) {
          const after = x + 16 < pitch ? v128.load(kinds + x + <usize>r) : ones;
          all = v128.and(all, v128.and(v128.load(kinds + x - <usize>r), after));
        }
        v128.store(target + x, all);
      }
    }
  }
  const bricks = sums + (<usize>(from * bx * by) * moments << 4);
  clearBytes(bricks, <usize>((to - from) * bx * by) * moments << 4);
  const mx = <f64>(nx - 1) / 2, my = <f64>(ny - 1) / 2, mz = <f64>(nz - 1) / 2;
  for (let z = zFrom; z < zTo; z++) {
    const a = max<i32>(first, z - reach), b = min<i32>(last - 1, z + reach);
    const w = <f64>z - mz;
    for (let y: i32 = 0; y < ny; y++) {
      const c = max<i32>(0, y - reach), d = min<i32>(ny - 1, y + reach);
      let any = i8x16.splat(0);
      for (let x: usize = 16; x + 16 <= pitch; x += 16) {
        let all = ones;
        for (let k = a; k <= b; k++) {
          for (let j = c; j <= d; j++) all = v128.and(all, v128.load(narrow + <usize>(k - first) * planePitch + <usize>j * pitch + x));
        }
        v128.store(kinds + x, all);
        any = v128.or(any, v128.andnot(all, i8x16.eq(all, ones)));
      }
      if (!v128.any_true(any)) continue;
      const v = <f64>y - my;
      if (!isFirst) {
        readLine(cells.above, bx, by, cells.bz, brickBlocks, y, z, line);
        expandLine(line, bx, brickBlocks, 0, nx, above);
        readLine(cells.below, bx, by, cells.bz, brickBlocks, y, z, line);
        expandLine(line, bx, brickBlocks, 0, nx, below);
      }
      const greys = cells.means + (<usize>((z * ny + y) * nx) << 2);
      const row = bricks + (<usize>(((z / brickBlocks - from) * by + y / brickBlocks) * bx) * moments << 4);
      for (let x: i32 = 0; x < nx; x += brickBlocks) {
        const end = min<i32>(nx, x + brickBlocks);
        const at = row + (<usize>(x / brickBlocks) * moments << 4);
        for (let kind: i32 = 1; kind <= 2; kind++) {
          let n: f64 = 0, su: f64 = 0, suu: f64 = 0, sr: f64 = 0, sru: f64 = 0, sg: f64 = 0;
          for (let i = x; i < end; i++) {
            if (<i32>load<u8>(kinds + 16 + <usize>i) != kind) continue;
            const u = <f64>i - mx, g = <f64>load<f32>(greys + (<usize>i << 2));
            let r = g;
            if (!isFirst) {
              const high = <f64>load<f32>(above + (<usize>i << 2)), low = <f64>load<f32>(below + (<usize>i << 2));
              const quarter = (high - low) / 2;
              r = kind == 2 ? g - (low - quarter) : g - (high + quarter);
            }
            n += 1;
            su += u;
            suu += u * u;
            sr += r;
            sru += r * u;
            sg += g;
          }
          if (n == 0) continue;
          const s = kind == 2 ? at : at + (moments << 3);
          add(s, n);
          add(s + 8, su);
          add(s + 16, n * v);
          add(s + 24, n * w);
          add(s + 32, suu);
          add(s + 40, n * v * v);
          add(s + 48, n * w * w);
          add(s + 56, su * v);
          add(s + 64, su * w);
          add(s + 72, n * v * w);
          add(s + 80, sr);
          add(s + 88, sru);
          add(s + 96, sr * v);
          add(s + 104, sr * w);
          add(s + 112, sg);
        }
      }
    }
  }
}

@inline
function add(at: usize, value: f64): void {
  store<f64>(at, load<f64>(at) + value);
}

/**
 * Weighted sums over a window along one axis: bricks first … last-1, `each` f64 per brick, an even number; bricks
 * beyond the border are omitted. Weights: f64, starting at the centre. The axis has `length` bricks, `stride` apart.
 */
export function blurBricks(
  from: usize, to: usize, each: i32, length: i32, stride: i32, weights: usize, radius: i32, first: i32, last: i32,
): void {
  const bytes = <usize>each << 3;
  for (let i = first; i < last; i++) {
    const place = i / stride % length;
    const low = -min<i32>(radius, place), high = min<i32>(radius, length - 1 - place);
    const target = to + <usize>i * bytes, middle = from + <usize>i * bytes;
    for (let c: usize = 0; c < bytes; c += 16) {
      let sum = f64x2.splat(0);
      for (let k = low; k <= high; k++) {
        const weight = v128.load64_splat(weights + (<usize>(k < 0 ? -k : k) << 3));
        sum = f64x2.add(sum, f64x2.mul(weight, v128.load(<usize>(<isize>middle + <isize>(k * stride) * <isize>bytes) + c)));
      }
      v128.store(target + c, sum);
    }
  }
}

/** Rescales a box of whole planes to base + gain · grey; NaN becomes `air`. Scratch: 4 nx + 8 kx + 160 bytes. */
export function levelPlanes(
  kind: i32, source: usize, bytes: i32, target: usize, nx: i32, ny: i32, kx: i32, ky: i32, kz: i32, per: i32, base: usize,
  gain: usize, air: f32, xFrom: i32, xTo: i32, yFrom: i32, yTo: i32, zFrom: i32, zTo: i32, scratch: usize,
): void {
  const greys = scratch, bases = scratch + (<usize>nx << 2) + 32, gains = bases + (<usize>kx << 2) + 16;
  const n = xTo - xFrom;
  for (let z = zFrom; z < zTo; z++) {
    for (let y = yFrom; y < yTo; y++) {
      readLine(base, kx, ky, kz, per, y, z, bases);
      readLine(gain, kx, ky, kz, per, y, z, gains);
      const at = <usize>((z - zFrom) * ny + y) * <usize>nx + <usize>xFrom;
      // A copy, because source and target may overlap.
      convertRow(kind, source + at * <usize>bytes, greys, n, 0, 1, -3e38, 3e38, NaN);
      levelRow(greys, bases, gains, kx, per, xFrom, xTo, air, target + (at << 1));
    }
  }
}

/** Cells xFrom … xTo-1 of a row, with base and gain interpolated linearly between nodes. */
@inline
function levelRow(
  greys: usize, bases: usize, gains: usize, nodes: i32, per: i32, xFrom: i32, xTo: i32, air: f32, to: usize,
): void {
  // Adds a half for rounding.
  const half = f32x4.splat(0.5), missing = f32x4.splat(air), most = f32x4.splat(65535);
  const none = i32x4.splat(0);
  for (let x = xFrom; x < xTo;) {
    const place = findPlace(x, per, nodes);
    const k = <i32>place;
    const at = <usize>k << 2;
    const isBefore = 2 * x + 1 < per, isLast = k >= nodes - 1;
    const isEven = isBefore || isLast;
    const fromBase = load<f32>(bases + at), fromGain = load<f32>(gains + at);
    const stepBase: f32 = isEven ? 0 : (load<f32>(bases + at, 4) - fromBase) / <f32>per;
    const stepGain: f32 = isEven ? 0 : (load<f32>(gains + at, 4) - fromGain) / <f32>per;
    // Up to the first cell beyond the next node.
    const end = isLast ? xTo : min<i32>(xTo, isBefore ? per >> 1 : (2 * k + 3) * per >> 1);
    const stop = max<i32>(end, x + 1);
    const into = (place - <f32>k) * <f32>per;
    const firstBase = stepBase == 0 ? fromBase : fromBase + into * stepBase;
    const firstGain = stepGain == 0 ? fromGain : fromGain + into * stepGain;
    let b = f32x4(firstBase, firstBase + stepBase, firstBase + 2 * stepBase, firstBase + 3 * stepBase);
    let g = f32x4(firstGain, firstGain + stepGain, firstGain + 2 * stepGain, firstGain + 3 * stepGain);
    const moreBase = f32x4.splat(4 * stepBase), moreGain = f32x4.splat(4 * stepGain);
    for (let i = x; i < stop; i += 4) {
      const cell = <usize>(i - xFrom);
      const value = f32x4.add(b, f32x4.mul(g, v128.load(greys + (cell << 2))));
      const known = f32x4.pmin(f32x4.add(v128.bitselect(value, missing, f32x4.eq(value, value)), half), most);
      const four = i16x8.narrow_i32x4_u(i32x4.trunc_sat_f32x4_s(known), none);
      // Cells of the next segment are overwritten with that segment.
      if (i + 4 <= xTo) v128.store64_lane(to + (cell << 1), four, 0);
      else {
        store<u16>(to + (cell << 1), <u16>i16x8.extract_lane_u(four, 0));
        if (i + 1 < xTo) store<u16>(to + (cell << 1), <u16>i16x8.extract_lane_u(four, 1), 2);
        if (i + 2 < xTo) store<u16>(to + (cell << 1), <u16>i16x8.extract_lane_u(four, 2), 4);
      }
      b = f32x4.add(b, moreBase);
      g = f32x4.add(g, moreGain);
    }
    x = stop;
  }
}
