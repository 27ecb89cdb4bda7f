// Isosurface with shared vertices, after Flying Edges (Schroeder, Maynard, Geveci 2015, doi:10.1109/LDAV.2015.7348069),
// bit-parallel: a row of cells is a row of 64-bit words, crossings are XORs, vertex numbers are a base per row plus a
// popcnt. Three passes: count, prefix sum, write.
import { Grid, Surface } from './layouts';

@inline
function word(row: usize, w: i32, words: i32): u64 {
  return w < words ? load<u64>(row + (<usize>w << 3)) : 0;
}

/** Sets the bits of the cells above the level, planes zFrom … zTo-1 of the padded grid. */
export function classify(grid: Grid, surface: Surface, zFrom: i32, zTo: i32): void {
  const points = grid.points, stride = grid.stride, iso = grid.iso, bits = surface.bits, words = surface.words;
  for (let r = zFrom * grid.ny; r < zTo * grid.ny; r++) {
    const to = bits + (<usize>r * <usize>words << 3);
    for (let w: i32 = 0; w < words; w++) {
      const first = w << 6;
      const n = min(64, stride - first);
      let value: u64 = 0;
      if (grid.isU16) {
        const level = i16x8.splat(<i16><u16>max<f32>(min<f32>(Mathf.floor(iso), 65535), 0));
        const from = points + ((<usize>r * <usize>stride + <usize>first) << 1);
        for (let k: i32 = 0; k < n; k += 16) {
          const a = i16x8.gt_u(v128.load(from + (<usize>k << 1)), level);
          const b = i16x8.gt_u(v128.load(from + (<usize>k << 1) + 16), level);
          value |= <u64><u32>i8x16.bitmask(i8x16.narrow_i16x8_s(a, b)) << k;
        }
      } else {
        const level = f32x4.splat(iso);
        const from = points + ((<usize>r * <usize>stride + <usize>first) << 2);
        for (let k: i32 = 0; k < n; k += 16) {
          const at = from + (<usize>k << 2);
          const a = i16x8.narrow_i32x4_s(f32x4.gt(v128.load(at), level), f32x4.gt(v128.load(at + 16), level));
          const b = i16x8.narrow_i32x4_s(f32x4.gt(v128.load(at + 32), level), f32x4.gt(v128.load(at + 48), level));
          value |= <u64><u32>i8x16.bitmask(i8x16.narrow_i16x8_s(a, b)) << k;
        }
      }
      store<u64>(to + (<usize>w << 3), value);
    }
  }
}

/**
 * Number of crossings and triangles that each row of planes zFrom … zTo-1 owns: rows[4r …] = x, y, z crossings,
 * triangles. The row of zeros is used for rows beyond the grid; case-table.ts writes the table.
 */
export function countRows(grid: Grid, surface: Surface, zFrom: i32, zTo: i32): void {
  const ny = grid.ny, nz = grid.nz;
  const bits = surface.bits, words = surface.words, zero = surface.zero, table = surface.table, rows = surface.rows;
  const rowBytes = <usize>words << 3;
  for (let z = zFrom; z < zTo; z++) {
    for (let y: i32 = 0; y < ny; y++) {
      const r = <usize>z * <usize>ny + <usize>y;
      const a = bits + r * rowBytes;
      const inY = y + 1 < ny;
      const inZ = z + 1 < nz;
      const b = inY ? a + rowBytes : zero;
      const c = inZ ? a + rowBytes * <usize>ny : zero;
      const d = inY && inZ ? a + rowBytes * <usize>(ny + 1) : zero;
      let nX: u32 = 0, nY: u32 = 0, nZ: u32 = 0, triangles: u32 = 0;
      for (let w: i32 = 0; w < words; w++) {
        const wa = word(a, w, words), wb = word(b, w, words), wc = word(c, w, words), wd = word(d, w, words);
        const sa = wa >> 1 | word(a, w + 1, words) << 63;
        const sb = wb >> 1 | word(b, w + 1, words) << 63;
        const sc = wc >> 1 | word(c, w + 1, words) << 63;
        const sd = wd >> 1 | word(d, w + 1, words) << 63;
        let active = (wa | wb | wc | wd | sa | sb | sc | sd) & ~(wa & wb & wc & wd & sa & sb & sc & sd);
        if (!active) continue;
        nX += <u32>popcnt(wa ^ sa);
        nY += <u32>popcnt(wa ^ wb);
        nZ += <u32>popcnt(wa ^ wc);
        while (active) {
          const x = ctz(active);
          active &= active - 1;
          const corner = (wa >> x & 1) | (sa >> x & 1) << 1 | (wb >> x & 1) << 2 | (sb >> x & 1) << 3 |
            (wc >> x & 1) << 4 | (sc >> x & 1) << 5 | (wd >> x & 1) << 6 | (sd >> x & 1) << 7;
          triangles += <u32>load<u8>(table + (<usize>corner << 5));
        }
      }
      const out = rows + (r << 4);
      store<u32>(out, nX);
      store<u32>(out + 4, nY);
      store<u32>(out + 8, nZ);
      store<u32>(out + 12, triangles);
    }
  }
}

/**
 * Exclusive prefix sums over the rows of planes zFrom … zTo-1 in place: counts become first numbers. Starts from
 * totals[0], totals[1] (u32) and updates them.
 */
export function sumRows(grid: Grid, surface: Surface, zFrom: i32, zTo: i32, totals: usize): void {
  const rows = surface.rows, rowFrom = zFrom * grid.ny, rowTo = zTo * grid.ny;
  let vertices = load<u32>(totals), triangles = load<u32>(totals + 4);
  for (let r = rowFrom; r < rowTo; r++) {
    const at = rows + (<usize>r << 4);
    const x = load<u32>(at), y = load<u32>(at + 4), z = load<u32>(at + 8), t = load<u32>(at + 12);
    store<u32>(at, vertices);
    vertices += x;
    store<u32>(at + 4, vertices);
    vertices += y;
    store<u32>(at + 8, vertices);
    vertices += z;
    store<u32>(at + 12, triangles);
    triangles += t;
  }
  store<u32>(totals, vertices);
  store<u32>(totals + 4, triangles);
}

@inline
function value<T>(grid: usize, i: usize): f32 {
  return <f32>load<T>(grid + i * sizeof<T>());
}

// Accumulators of the gradient (a function can return only one number).
let slopeX: f32 = 0;
let slopeY: f32 = 0;
let slopeZ: f32 = 0;

/**
 * Adds `share` of the gradient at a grid point: central differences, averaged with 1 4 1 over the neighbours across.
 * The gradient of a plane at any angle then points along its normal; plain central differences lean towards the axes by
 * up to 3°.
 */
function addSlope<T>(
  grid: usize, x: i32, y: i32, z: i32, nx: i32, ny: i32, nz: i32, stepY: usize, stepZ: usize,
  sx: f32, sy: f32, sz: f32, share: f32,
): void {
  const i = <usize>z * stepZ + <usize>y * stepY + <usize>x;
  const left = <usize>min<i32>(x, 1), right = <usize>min<i32>(nx - 1 - x, 1);
  const front = <usize>min<i32>(y, 1), back = <usize>min<i32>(ny - 1 - y, 1);
  const below = <usize>min<i32>(z, 1), above = <usize>min<i32>(nz - 1 - z, 1);
  let gx: f32 = 0, gy: f32 = 0, gz: f32 = 0;
  for (let k: i32 = -1; k <= 1; k++) {
    const plane = k < 0 ? i - below * stepZ : k > 0 ? i + above * stepZ : i;
    const weightZ: f32 = k == 0 ? 4 : 1;
    for (let j: i32 = -1; j <= 1; j++) {
      const at = j < 0 ? plane - front * stepY : j > 0 ? plane + back * stepY : plane;
      const weightY: f32 = j == 0 ? 4 : 1;
      const a = value<T>(grid, at - left), b = value<T>(grid, at), c = value<T>(grid, at + right);
      const row = a + 4 * b + c;
      gx += (c - a) * weightY * weightZ;
      gy += row * <f32>j * weightZ;
      gz += row * <f32>k * weightY;
    }
  }
  slopeX += share * gx / (<f32>max<usize>(left + right, 1) * sx);
  slopeY += share * gy / (<f32>max<usize>(front + back, 1) * sy);
  slopeZ += share * gz / (<f32>max<usize>(below + above, 1) * sz);
}

/** Four u16 as f32. */
@inline
function four(at: usize): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(v128.load64_zero(at)));
}

/** a + 4 b + c */
@inline
function across(a: v128, b: v128, c: v128): v128 {
  return f32x4.add(f32x4.add(a, c), f32x4.mul(b, f32x4.splat(4)));
}

/** Adds `share` of the gradient from its three sums over rows, with x - 1, x and x + 1 in the first lanes. */
@inline
function addRows(alongX: v128, alongY: v128, alongZ: v128, sx: f32, sy: f32, sz: f32, share: f32): void {
  const gx = f32x4.extract_lane(alongX, 2) - f32x4.extract_lane(alongX, 0);
  const gy = f32x4.extract_lane(alongY, 0) + 4 * f32x4.extract_lane(alongY, 1) + f32x4.extract_lane(alongY, 2);
  const gz = f32x4.extract_lane(alongZ, 0) + 4 * f32x4.extract_lane(alongZ, 1) + f32x4.extract_lane(alongZ, 2);
  slopeX += share * gx / (<f32>2 * sx);
  slopeY += share * gy / (<f32>2 * sy);
  slopeZ += share * gz / (<f32>2 * sz);
}

/**
 * Like addSlope, for u16 grid points i, with share 1 - t, and i + step, with share t, that have neighbours on all
 * sides. Sums of u16 are integers below 2^24, so their order does not affect the result.
 */
function addSlopesU16(
  grid: usize, i: usize, axis: i32, stepY: usize, stepZ: usize, sx: f32, sy: f32, sz: f32, t: f32,
): void {
  const at = grid + ((i - 1) << 1);
  const u: f32 = 1 - t;
  if (axis == 0) {
    let alongX = f32x4.splat(0), alongY = f32x4.splat(0), alongZ = f32x4.splat(0);
    for (let k: i32 = -1; k <= 1; k++) {
      const middle = at + ((<usize>k * stepZ) << 1);
      const front = four(middle - (stepY << 1)), here = four(middle), back = four(middle + (stepY << 1));
      const row = across(front, here, back), slope = f32x4.sub(back, front);
      const weight = f32x4.splat(k == 0 ? 4 : 1);
      alongX = f32x4.add(alongX, f32x4.mul(row, weight));
      alongY = f32x4.add(alongY, f32x4.mul(slope, weight));
      alongZ = f32x4.add(alongZ, f32x4.mul(row, f32x4.splat(<f32>k)));
    }
    addRows(alongX, alongY, alongZ, sx, sy, sz, u);
    addRows(
      v128.shuffle<f32>(alongX, alongX, 1, 2, 3, 3), v128.shuffle<f32>(alongY, alongY, 1, 2, 3, 3),
      v128.shuffle<f32>(alongZ, alongZ, 1, 2, 3, 3), sx, sy, sz, t,
    );
    return;
  }
  // Four rows along the edge, of which each grid point uses three, plus one on either side of each.
  const along = (axis == 1 ? stepY : stepZ) << 1, beside = (axis == 1 ? stepZ : stepY) << 1;
  const a0 = four(at - along - beside), a1 = four(at - along), a2 = four(at - along + beside);
  const b0 = four(at - beside), b1 = four(at), b2 = four(at + beside);
  const c0 = four(at + along - beside), c1 = four(at + along), c2 = four(at + along + beside);
  const d0 = four(at + 2 * along - beside), d1 = four(at + 2 * along), d2 = four(at + 2 * along + beside);
  const a = across(a0, a1, a2), b = across(b0, b1, b2), c = across(c0, c1, c2), d = across(d0, d1, d2);
  const sa = f32x4.sub(a2, a0), sb = f32x4.sub(b2, b0), sc = f32x4.sub(c2, c0), sd = f32x4.sub(d2, d0);
  if (axis == 1) {
    addRows(across(a, b, c), f32x4.sub(c, a), across(sa, sb, sc), sx, sy, sz, u);
    addRows(across(b, c, d), f32x4.sub(d, b), across(sb, sc, sd), sx, sy, sz, t);
  } else {
    addRows(across(a, b, c), across(sa, sb, sc), f32x4.sub(c, a), sx, sy, sz, u);
    addRows(across(b, c, d), across(sb, sc, sd), f32x4.sub(d, b), sx, sy, sz, t);
  }
}

/**
 * Where an edge is entirely between two grid points (pure material before, pure air after, or the reverse), each of the
 * two holds the mean over its partly filled cell: their sum gives the exact position of the edge, while linear
 * interpolation is off by up to 0.09 cells. With blurred or noisy neighbours, linear interpolation is kept.
 */
@inline
function sharpened(t: f32, a: f32, b: f32, c: f32, d: f32): f32 {
  const falling = b > c;
  const off = falling ? abs<f32>(a - 1) + abs<f32>(d) : abs<f32>(a) + abs<f32>(d - 1);
  const weight = min<f32>(max<f32>((0.12 - off) * 12.5, 0), 1);
  const exact = falling ? b + c - 0.5 : <f32>1.5 - b - c;
  return t + weight * (exact - t);
}

/**
 * Distance outward (cells) from grid point i along an axis to the edge between it and its neighbour, from the total
 * fill of the four grid points across the edge, weighted by how close the outer ones are to pure material and pure air
 * (off by `pure` at most). Symmetric blur leaves this estimate unchanged, and so does noise on average, while other
 * estimates vary with the position of the edge within the cell. `before`: result where the estimate does not apply.
 */
function filled<T>(grid: usize, i: usize, outward: usize, inside: i32, iso: f32, air: f32, height: f32, isSharp: bool, pure: f32, before: f32): f32 {
  const first = inside ? i : i - outward;
  const b = value<T>(grid, first), c = value<T>(grid, first + outward);
  if (!(b > iso) || c > iso) return before;
  const a = (value<T>(grid, first - outward) - air) / height, d = (value<T>(grid, first + outward + outward) - air) / height;
  const weight = min<f32>(max<f32>((pure - max<f32>(abs<f32>(a - 1), abs<f32>(d))) * 12.5, 0), 1);
  // For a sharp edge, the outer two contain only noise.
  const exact = (b + c - air - air) / height + (isSharp ? <f32>-0.5 : a + d - <f32>1.5);
  return before + weight * (min<f32>(max<f32>(exact, -0.4), 1.4) - (inside ? 0 : 1) - before);
}

/**
 * Offset (cells) along `along` of a vertex at share t between grid points i and i + step, where the surface is within
 * some degrees of perpendicular to that axis; `k` of `n` is the index along it. A face oblique to the axes crosses the
 * cells at every phase, so its mean is right without this correction.
 */
function settled<T>(
  grid: usize, i: usize, step: usize, along: usize, k: i32, n: i32, outward: f32,
  iso: f32, air: f32, height: f32, isSharp: bool, pure: f32, t: f32,
): f32 {
  const share = min<f32>(max<f32>((abs<f32>(outward) - 0.97) * 50, 0), 1);
  if (share == 0 || k < 2 || k + 3 > n) return step == along ? t : 0;
  const way: usize = outward > 0 ? along : 0 - along;
  const sign: f32 = outward > 0 ? 1 : -1;
  if (step == along) {
    // Measured from the grid point in the material, whichever of the two it is.
    const from: f32 = outward > 0 ? 0 : 1;
    const own = sign * (t - from);
    const place = filled<T>(grid, outward > 0 ? i : i + step, way, 1, iso, air, height, isSharp, pure, own);
    return t + share * sign * (place - own);
  }
  const one = filled<T>(grid, i, way, i32(value<T>(grid, i) > iso), iso, air, height, isSharp, pure, 0);
  const two = filled<T>(grid, i + step, way, i32(value<T>(grid, i + step) > iso), iso, air, height, isSharp, pure, 0);
  return share * sign * (one + t * (two - one));
}

/**
 * Where the cubic through values at −1, 0, 1 and 2 crosses the level between 0 and 1; starts from the linear crossing.
 */
function onCubic(t: f32, a: f32, b: f32, c: f32, d: f32, iso: f32): f32 {
  const half: f32 = 0.5, third: f32 = 1.0 / 3.0, sixth: f32 = 1.0 / 6.0, two: f32 = 2, three: f32 = 3;
  const c1 = c - a * third - b * half - d * sixth;
  const c2 = (a + c) * half - b;
  const c3 = (d - a) * sixth + (b - c) * half;
  const rises = c > b;
  let low: f32 = 0, high: f32 = 1;
  // Newton steps, with bisection where a step would leave the bracket.
  for (let step = 0; step < 4; step++) {
    const error = b - iso + t * (c1 + t * (c2 + t * c3));
    if (error > 0 == rises) high = t;
    else low = t;
    const next = t - error / (c1 + t * (two * c2 + t * three * c3));
    t = next >= low && next <= high ? next : half * (low + high);
  }
  return t;
}

/** Writes the crossing between grid point (x,y,z) and the next along `axis`; mm from the region's first cell centre. */
function emit<T>(
  grid: usize, stride: i32, nx: i32, ny: i32, nz: i32, x: i32, y: i32, z: i32, axis: i32, iso: f32,
  sx: f32, sy: f32, sz: f32, air: f32, span: f32, pure: f32, position: usize, normal: usize,
): void {
  const stepY = <usize>stride;
  const stepZ = stepY * <usize>ny;
  const i = <usize>z * stepZ + <usize>y * stepY + <usize>x;
  const step: usize = axis == 0 ? 1 : axis == 1 ? stepY : stepZ;
  const x2 = axis == 0 ? x + 1 : x;
  const y2 = axis == 1 ? y + 1 : y;
  const z2 = axis == 2 ? z + 1 : z;
  const v0 = value<T>(grid, i);
  const v1 = value<T>(grid, i + step);
  // Kept away from the grid points, where vertices of several edges would coincide and triangles would lose their area.
  let t = (iso - v0) / (v1 - v0);
  if (span != 0) {
    const k = axis == 0 ? x : axis == 1 ? y : z;
    const n = axis == 0 ? nx : axis == 1 ? ny : nz;
    const before = k > 0 ? value<T>(grid, i - step) : v0;
    const after = k + 2 < n ? value<T>(grid, i + step + step) : v1;
    if (span > 0) t = sharpened(t, (before - air) / span, (v0 - air) / span, (v1 - air) / span, (after - air) / span);
    else if (k > 0 && k + 2 < n) t = onCubic(t, before, v0, v1, after, iso);
  }
  t = min<f32>(max<f32>(t, 0.001), 0.999);
  slopeX = 0; slopeY = 0; slopeZ = 0;
  const isWithin = x > 0 && y > 0 && z > 0 && x2 + 1 < nx && y2 + 1 < ny && z2 + 1 < nz;
  if (sizeof<T>() == 2 && isWithin) addSlopesU16(grid, i, axis, stepY, stepZ, sx, sy, sz, t);
  else {
    addSlope<T>(grid, x, y, z, nx, ny, nz, stepY, stepZ, sx, sy, sz, 1 - t);
    addSlope<T>(grid, x2, y2, z2, nx, ny, nz, stepY, stepZ, sx, sy, sz, t);
  }
  let gx = slopeX, gy = slopeY, gz = slopeZ;
  const length = sqrt<f32>(gx * gx + gy * gy + gz * gz);
  if (length > 0) {
    gx /= -length; gy /= -length; gz /= -length;
  } else {
    const out: f32 = v0 > v1 ? 1 : -1;
    gx = axis == 0 ? out : 0; gy = axis == 1 ? out : 0; gz = axis == 2 ? out : 0;
  }
  let ox: f32 = axis == 0 ? t : 0, oy: f32 = axis == 1 ? t : 0, oz: f32 = axis == 2 ? t : 0;
  if (pure > 0) {
    const height = abs<f32>(span);
    ox = settled<T>(grid, i, step, 1, x, nx, gx, iso, air, height, span > 0, pure, t);
    oy = settled<T>(grid, i, step, stepY, y, ny, gy, iso, air, height, span > 0, pure, t);
    oz = settled<T>(grid, i, step, stepZ, z, nz, gz, iso, air, height, span > 0, pure, t);
  }
  store<f32>(position, (<f32>(x - 1) + ox) * sx);
  store<f32>(position + 4, (<f32>(y - 1) + oy) * sy);
  store<f32>(position + 8, (<f32>(z - 1) + oz) * sz);
  store<f32>(normal, gx);
  store<f32>(normal + 4, gy);
  store<f32>(normal + 8, gz);
}

@inline
function rank(bits: u64, mask: u64): u32 {
  return <u32>popcnt(bits & mask);
}

// Edge ids of a cell are in scratch (12 u32): see case-table.ts for their order.
function writeVertices<T>(
  layout: Grid, surface: Surface, zFrom: i32, zTo: i32, scratch: usize, positions: usize, normals: usize, triangles: usize,
): void {
  const grid = layout.points, stride = layout.stride, nx = layout.nx, ny = layout.ny, nz = layout.nz;
  const iso = layout.iso, air = layout.air, span = layout.span, pure = layout.pure;
  const sx = layout.sx, sy = layout.sy, sz = layout.sz;
  const bits = surface.bits, words = surface.words, zero = surface.zero, table = surface.table, rows = surface.rows;
  const rowBytes = <usize>words << 3;
  for (let z = zFrom; z < zTo; z++) {
    for (let y: i32 = 0; y < ny; y++) {
      const r = <usize>z * <usize>ny + <usize>y;
      const a = bits + r * rowBytes;
      const inY = y + 1 < ny;
      const inZ = z + 1 < nz;
      const b = inY ? a + rowBytes : zero;
      const c = inZ ? a + rowBytes * <usize>ny : zero;
      const d = inY && inZ ? a + rowBytes * <usize>(ny + 1) : zero;
      const base = rows + (r << 4);
      const baseB = base + 16;
      const baseC = base + (<usize>ny << 4);
      const baseD = baseC + 16;
      let xa = load<u32>(base), ya = load<u32>(base + 4), za = load<u32>(base + 8);
      let xb: u32 = inY ? load<u32>(baseB) : 0, zb: u32 = inY ? load<u32>(baseB + 8) : 0;
      let xc: u32 = inZ ? load<u32>(baseC) : 0, yc: u32 = inZ ? load<u32>(baseC + 4) : 0;
      let xd: u32 = inY && inZ ? load<u32>(baseD) : 0;
      let out = triangles + <usize>load<u32>(base + 12) * 12;
      for (let w: i32 = 0; w < words; w++) {
        const wa = word(a, w, words), wb = word(b, w, words), wc = word(c, w, words), wd = word(d, w, words);
        const sa = wa >> 1 | word(a, w + 1, words) << 63;
        const sb = wb >> 1 | word(b, w + 1, words) << 63;
        const sc = wc >> 1 | word(c, w + 1, words) << 63;
        const sd = wd >> 1 | word(d, w + 1, words) << 63;
        let active = (wa | wb | wc | wd | sa | sb | sc | sd) & ~(wa & wb & wc & wd & sa & sb & sc & sd);
        if (!active) continue;
        const eXa = wa ^ sa, eXb = wb ^ sb, eXc = wc ^ sc, eXd = wd ^ sd;
        const eYa = wa ^ wb, eYc = wc ^ wd, eZa = wa ^ wc, eZb = wb ^ wd;
        const first = w << 6;
        let todo = eXa;
        for (let id = xa; todo; todo &= todo - 1, id++) {
          emit<T>(grid, stride, nx, ny, nz, first + <i32>ctz(todo), y, z, 0, iso, sx, sy, sz, air, span, pure, positions + <usize>id * 12, normals + <usize>id * 12);
        }
        todo = eYa;
        for (let id = ya; todo; todo &= todo - 1, id++) {
          emit<T>(grid, stride, nx, ny, nz, first + <i32>ctz(todo), y, z, 1, iso, sx, sy, sz, air, span, pure, positions + <usize>id * 12, normals + <usize>id * 12);
        }
        todo = eZa;
        for (let id = za; todo; todo &= todo - 1, id++) {
          emit<T>(grid, stride, nx, ny, nz, first + <i32>ctz(todo), y, z, 2, iso, sx, sy, sz, air, span, pure, positions + <usize>id * 12, normals + <usize>id * 12);
        }
        while (active) {
          const x = ctz(active);
          active &= active - 1;
          const corner = (wa >> x & 1) | (sa >> x & 1) << 1 | (wb >> x & 1) << 2 | (sb >> x & 1) << 3 |
            (wc >> x & 1) << 4 | (sc >> x & 1) << 5 | (wd >> x & 1) << 6 | (sd >> x & 1) << 7;
          const entry = table + (<usize>corner << 5);
          const count = <i32>load<u8>(entry);
          if (!count) continue;
          const mask: u64 = ((<u64>1) << x) - 1;
          store<u32>(scratch, xa + rank(eXa, mask));
          store<u32>(scratch + 4, xb + rank(eXb, mask));
          store<u32>(scratch + 8, xc + rank(eXc, mask));
          store<u32>(scratch + 12, xd + rank(eXd, mask));
          const y0 = ya + rank(eYa, mask), y1 = yc + rank(eYc, mask);
          store<u32>(scratch + 16, y0);
          store<u32>(scratch + 20, y0 + <u32>(eYa >> x & 1));
          store<u32>(scratch + 24, y1);
          store<u32>(scratch + 28, y1 + <u32>(eYc >> x & 1));
          const z0 = za + rank(eZa, mask), z1 = zb + rank(eZb, mask);
          store<u32>(scratch + 32, z0);
          store<u32>(scratch + 36, z0 + <u32>(eZa >> x & 1));
          store<u32>(scratch + 40, z1);
          store<u32>(scratch + 44, z1 + <u32>(eZb >> x & 1));
          for (let k: i32 = 1; k <= count * 3; k++) {
            store<u32>(out, load<u32>(scratch + (<usize>load<u8>(entry + <usize>k) << 2)));
            out += 4;
          }
        }
        xa += <u32>popcnt(eXa);
        xb += <u32>popcnt(eXb);
        xc += <u32>popcnt(eXc);
        xd += <u32>popcnt(eXd);
        ya += <u32>popcnt(eYa);
        yc += <u32>popcnt(eYc);
        za += <u32>popcnt(eZa);
        zb += <u32>popcnt(eZb);
      }
    }
  }
}

/**
 * Writes vertices (mm from the first cell's centre), normals (out of the material) and triangles of planes zFrom …
 * zTo-1.
 */
export function writeSurface(
  grid: Grid, surface: Surface, zFrom: i32, zTo: i32, scratch: usize, positions: usize, normals: usize, indices: usize,
): void {
  if (grid.isU16) writeVertices<u16>(grid, surface, zFrom, zTo, scratch, positions, normals, indices);
  else writeVertices<f32>(grid, surface, zFrom, zTo, scratch, positions, normals, indices);
}

/** Offset `k` from `x`, clamped to the grid. */
@inline
function inside(x: i32, k: i32, n: i32): i32 {
  return min<i32>(max<i32>(x + k, 0), n - 1) - x;
}

/** Width of the differences -1 -2 0 2 1 if they are clamped at the grid's end; 8 otherwise. */
@inline
function widthAt(x: i32, n: i32): f32 {
  const width = inside(x, 2, n) - inside(x, -2, n) + 2 * (inside(x, 1, n) - inside(x, -1, n));
  return <f32>max<i32>(width, 1);
}

/** Like addSlope, averaged with 1 2 1 over the surrounding 3³ grid points: differences -1 -2 0 2 1, across 1 6 10 6 1. */
function addWideSlope<T>(
  grid: usize, x: i32, y: i32, z: i32, nx: i32, ny: i32, nz: i32, stepY: usize, stepZ: usize,
  sx: f32, sy: f32, sz: f32, share: f32,
): void {
  const row0 = <usize>x;
  const a = row0 + inside(x, -2, nx), b = row0 + inside(x, -1, nx), d = row0 + inside(x, 1, nx), e = row0 + inside(x, 2, nx);
  let gx: f32 = 0, gy: f32 = 0, gz: f32 = 0;
  for (let k: i32 = -2; k <= 2; k++) {
    const plane = <usize>(z + inside(z, k, nz)) * stepZ;
    const acrossZ: f32 = k == 0 ? 10 : k * k == 1 ? 6 : 1;
    const alongZ: f32 = k * k == 1 ? <f32>(k + k) : <f32>(k >> 1);
    for (let j: i32 = -2; j <= 2; j++) {
      const at = plane + <usize>(y + inside(y, j, ny)) * stepY;
      const acrossY: f32 = j == 0 ? 10 : j * j == 1 ? 6 : 1;
      const alongY: f32 = j * j == 1 ? <f32>(j + j) : <f32>(j >> 1);
      const va = value<T>(grid, at + a), vb = value<T>(grid, at + b), vc = value<T>(grid, at + row0), vd = value<T>(grid, at + d), ve = value<T>(grid, at + e);
      const row = va + ve + 6 * (vb + vd) + 10 * vc;
      gx += (ve - va + 2 * (vd - vb)) * acrossY * acrossZ;
      gy += row * alongY * acrossZ;
      gz += row * alongZ * acrossY;
    }
  }
  slopeX += share * gx / (widthAt(x, nx) * sx);
  slopeY += share * gy / (widthAt(y, ny) * sy);
  slopeZ += share * gz / (widthAt(z, nz) * sz);
}

/**
 * Unit normals out of the material at vertices from … to-1, from the grey values of 5³ grid points: smooth enough that
 * noise does not turn directions across a wall. Each vertex is on a line between two grid points. Zero where the grey
 * values have no gradient.
 */
export function fieldNormals(grid: Grid, positions: usize, normals: usize, from: u32, to: u32): void {
  if (grid.isU16) findNormals<u16>(grid, positions, normals, from, to);
  else findNormals<f32>(grid, positions, normals, from, to);
}

function findNormals<T>(layout: Grid, positions: usize, normals: usize, from: u32, to: u32): void {
  const grid = layout.points, nx = layout.nx, ny = layout.ny, nz = layout.nz;
  const sx = layout.sx, sy = layout.sy, sz = layout.sz;
  const stepY = <usize>layout.stride;
  const stepZ = stepY * <usize>ny;
  for (let v = from; v < to; v++) {
    const p = positions + <usize>v * 12;
    const px = load<f32>(p) / sx + 1, py = load<f32>(p + 4) / sy + 1, pz = load<f32>(p + 8) / sz + 1;
    // The vertex's line runs along the axis on which it is farthest from a grid point.
    const ox = abs<f32>(px - nearest<f32>(px)), oy = abs<f32>(py - nearest<f32>(py)), oz = abs<f32>(pz - nearest<f32>(pz));
    const axis = ox >= oy && ox >= oz ? 0 : oy >= oz ? 1 : 2;
    const along = axis == 0 ? px : axis == 1 ? py : pz;
    const first = floor<f32>(along);
    const t = along - first;
    const x = <i32>(axis == 0 ? first : nearest<f32>(px));
    const y = <i32>(axis == 1 ? first : nearest<f32>(py));
    const z = <i32>(axis == 2 ? first : nearest<f32>(pz));
    slopeX = 0; slopeY = 0; slopeZ = 0;
    addWideSlope<T>(grid, x, y, z, nx, ny, nz, stepY, stepZ, sx, sy, sz, 1 - t);
    const x2 = axis == 0 ? min<i32>(x + 1, nx - 1) : x, y2 = axis == 1 ? min<i32>(y + 1, ny - 1) : y, z2 = axis == 2 ? min<i32>(z + 1, nz - 1) : z;
    addWideSlope<T>(grid, x2, y2, z2, nx, ny, nz, stepY, stepZ, sx, sy, sz, t);
    const length = sqrt<f32>(slopeX * slopeX + slopeY * slopeY + slopeZ * slopeZ);
    const scale: f32 = length > 0 ? <f32>-1 / length : 0;
    const n = normals + <usize>v * 12;
    store<f32>(n, slopeX * scale);
    store<f32>(n + 4, slopeY * scale);
    store<f32>(n + 8, slopeZ * scale);
  }
}
