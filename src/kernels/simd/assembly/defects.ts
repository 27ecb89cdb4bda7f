// Grey sums, surfaces and surroundings of defects, one plane of the region at a time; rows of bits as in components.ts.
// `grey`: address of the plane's first cell in the volume's own type, `pitch` cells per row; 0 is air, 1 material.
// Tallies: u32 used, capacity, address of the slots (a u32 per defect: its tally or `none`), triangles used, their
// capacity; from `tallyHead`, for each: u32 number, 4 bytes free, f64 sums, per direction the f64 extent and the
// vertex.
import { clearBytes } from './bytes';
import { convertRow } from './load';
import { BitGrid, Components, DefectRoom, DefectScan } from './layouts';

const none: u32 = 0xffffffff;
const tallyHead: usize = 32;
const sumBytes: usize = 11 * 8;
const areaSum: usize = 10 * 8;
const directionCount: i32 = 26;
const tallyBytes: usize = 8 + sumBytes + 26 * 32;
const greySteps: f64 = 16384;
const areaSteps: f64 = 1048576;
/** Cells around a defect that are counted with it: up to two steps away, within this squared distance. */
const farthest: i32 = 6;
/** Half the edge of the cube around a deep cell that must be of a single kind. */
const deepReach: i32 = 3;

/** The cell's value, rounded as in convertRow; `spare`: 4 bytes of scratch. */
@inline
function greyAt(kind: i32, at: usize, offset: f64, gain: f64, spare: usize): f64 {
  if (kind == 2) return <f64>((<f32>load<u16>(at) - <f32>offset) * <f32>gain);
  convertRow(kind, at, spare, 1, offset, gain, -8, 8, 0);
  return <f64>load<f32>(spare);
}

/** Rounds to the nearest integer, halves up. */
@inline
function rounded(value: f64): f64 {
  const below = Math.floor(value);
  return value - below >= 0.5 ? below + 1 : below;
}

@inline
function readBit(bits: usize, words: i32, row: i32, x: i32): u32 {
  return <u32>(load<u64>(bits + (<usize>row * <usize>words + <usize>(x >> 6) << 3)) >> (x & 63)) & 1;
}

/** Bits of word w for cells `from` … `to`-1 of the row. */
@inline
function inside(w: i32, from: i32, to: i32): u64 {
  const first = max<i32>(from - (w << 6), 0), last = min<i32>(to - (w << 6), 64);
  return last <= first ? 0 : (~(<u64>0) >> (64 - (last - first))) << first;
}

/** The sums of a defect's tally, which is created on first use. */
function findTally(tallies: usize, number: u32): usize {
  const slot = <usize>load<u32>(tallies, 8) + (<usize>number << 2);
  let k = load<u32>(slot);
  if (k == none) {
    k = load<u32>(tallies);
    store<u32>(tallies, k + 1);
    store<u32>(slot, k);
    const tally = tallies + tallyHead + <usize>k * tallyBytes;
    clearBytes(tally, tallyBytes);
    store<u32>(tally, number);
    for (let d: i32 = 0; d < directionCount; d++) store<f64>(tally + 8 + sumBytes + (<usize>d << 5), -Infinity);
  }
  return tallies + tallyHead + <usize>k * tallyBytes + 8;
}

@inline
function add(at: usize, value: f64): void {
  store<f64>(at, load<f64>(at) + value);
}

/** Whether any of `others` is within the squared distance `squared` of cell x. */
function isNearer(others: usize, words: i32, rows: i32, row: i32, x: i32, squared: i32): bool {
  for (let dz: i32 = -2; dz <= 2; dz++) {
    for (let dy: i32 = -2; dy <= 2; dy++) {
      const base = dy * dy + dz * dz;
      if (base > squared) continue;
      const near = row + dz * rows + dy;
      for (let dx: i32 = -2; dx <= 2; dx++) {
        if (base + dx * dx <= squared && readBit(others, words, near, x + dx)) return true;
      }
    }
  }
  return false;
}

/** Whether any of `others` is within two cells of cells from … to of the row. */
function anyNear(others: usize, words: i32, rows: i32, row: i32, from: i32, to: i32): bool {
  for (let dz: i32 = -2; dz <= 2; dz++) {
    for (let dy: i32 = -2; dy <= 2; dy++) {
      const at = others + (<usize>(row + dz * rows + dy) * <usize>words << 3);
      for (let w = from - 2 >> 6; w <= to + 2 >> 6; w++) if (load<u64>(at + (<usize>w << 3))) return true;
    }
  }
  return false;
}

/**
 * Adds cells of defects and around them to the nearest defect, except cells that are nearer to `others`. `grey`: the
 * region's first cell in plane z. Returns the row reached before the tallies were full.
 */
export function sumDefects(
  scan: DefectScan, grid: BitGrid, defects: Components, room: DefectRoom, grey: usize, z: i32, yFrom: i32,
): i32 {
  const kind = scan.kind, bytes = scan.bytes, pitch = scan.pitch, offset = scan.offset, gain = scan.gain, phase = scan.phase;
  const low = scan.low, high = scan.high, others = scan.others;
  const words = grid.words, rows = grid.rows, planeRow = (z + grid.marginZ) * rows, marginX = grid.marginX, marginY = grid.marginY;
  const starts = defects.starts, runs = defects.runs, numbers = defects.numbers;
  const nx = grid.nx, ny = grid.ny, tallies = room.tallies, scratch = room.nearest;
  const distance = scratch;
  const owner = scratch + (<usize>words << 6);
  const spare = owner + (<usize>words << 8);
  for (let y = yFrom; y < ny; y++) {
    if (<i32>(load<u32>(tallies, 4) - load<u32>(tallies)) < nx) return y;
    const row = planeRow + marginY + y;
    let from = marginX + nx, to = marginX - 1;
    for (let dz: i32 = -2; dz <= 2; dz++) {
      const middle = starts + (<usize>(row + dz * rows) << 2);
      if (load<u32>(middle - 8) == load<u32>(middle + 12)) continue;
      for (let dy: i32 = -2; dy <= 2; dy++) {
        const squared = dy * dy + dz * dz;
        if (squared > farthest) continue;
        const width: i32 = squared + 4 <= farthest ? 2 : 1;
        const near = middle + (<usize>dy << 2);
        const end = load<u32>(near, 4);
        for (let i = load<u32>(near); i < end; i++) {
          const number = load<u32>(numbers + (<usize>i << 2));
          if (number == none) continue;
          const run = load<u32>(runs + (<usize>i << 2));
          const first = <i32>(run & 0xffff), last = <i32>(run >> 16);
          const a = max<i32>(first - width, marginX), b = min<i32>(last + width, marginX + nx - 1);
          from = min<i32>(from, a);
          to = max<i32>(to, b);
          for (let x = a; x <= b; x++) {
            const dx = x < first ? first - x : x > last ? x - last : 0;
            const here = squared + dx * dx;
            const known = <i32>load<u8>(distance + <usize>x);
            const at = owner + (<usize>x << 2);
            if (here > known || (here == known && number >= load<u32>(at))) continue;
            store<u8>(distance + <usize>x, <u8>here);
            store<u32>(at, number);
          }
        }
      }
    }
    if (from > to) continue;
    const othersNear = anyNear(others, words, rows, row, from, to);
    const cells = grey + (<usize>y * <usize>pitch - <usize>marginX) * <usize>bytes;
    let current = none;
    let count: f64 = 0, sumX: f64 = 0, sum: f64 = 0, sumGreyX: f64 = 0, below: f64 = 0, belowHigh: f64 = 0;
    for (let x = from; x <= to + 1; x++) {
      // One cell further, to write the last sum.
      const squared: i32 = x > to ? 255 : <i32>load<u8>(distance + <usize>x);
      const isOwned = squared < 255 && (squared == 0 || !(readBit(phase, words, row, x) || (othersNear && isNearer(others, words, rows, row, x, squared))));
      const number = isOwned ? load<u32>(owner + (<usize>x << 2)) : current;
      if (number != current || x > to) {
        if (count > 0) {
          const sums = findTally(tallies, current);
          add(sums, count);
          add(sums + 8, sumX);
          add(sums + 16, count * <f64>y);
          add(sums + 24, count * <f64>z);
          add(sums + 32, sum);
          add(sums + 40, sumGreyX);
          add(sums + 48, sum * <f64>y);
          add(sums + 56, sum * <f64>z);
          add(sums + 64, below);
          add(sums + 72, belowHigh);
        }
        count = 0; sumX = 0; sum = 0; sumGreyX = 0; below = 0; belowHigh = 0;
        current = number;
      }
      if (x <= to) store<u8>(distance + <usize>x, 255);
      if (!isOwned) continue;
      const value = greyAt(kind, cells + <usize>x * <usize>bytes, offset, gain, spare);
      const steps = rounded(value * greySteps);
      count += 1;
      sumX += <f64>(x - marginX);
      sum += steps;
      sumGreyX += steps * <f64>(x - marginX);
      if (value <= low) below += 1;
      if (value <= high) belowHigh += 1;
    }
  }
  return ny;
}

@inline
function length(x: f64, y: f64, z: f64): f64 {
  // Same computation as Math.hypot in JavaScript, to the last bit.
  const a = Math.abs(x), b = Math.abs(y), c = Math.abs(z);
  const largest = max<f64>(max<f64>(a, b), c);
  if (largest == 0) return 0;
  let sum: f64 = 0, excess: f64 = 0;
  for (let k: i32 = 0; k < 3; k++) {
    const part = (k == 0 ? a : k == 1 ? b : c) / largest;
    const square = part * part - excess;
    const next = sum + square;
    excess = next - sum - square;
    sum = next;
  }
  return Math.sqrt(sum) * largest;
}

/** Keeps the vertex for each direction in which it is farther out than all before. */
function reachOut(outermost: usize, directions: usize, x: f64, y: f64, z: f64): void {
  for (let d: i32 = 0; d < directionCount; d++, directions += 24, outermost += 32) {
    const far = load<f64>(directions) * x + load<f64>(directions, 8) * y + load<f64>(directions, 16) * z;
    if (far <= load<f64>(outermost)) continue;
    store<f64>(outermost, far);
    store<f64>(outermost, x, 8);
    store<f64>(outermost, y, 16);
    store<f64>(outermost, z, 24);
  }
}

/**
 * The surface of defects between plane z and the next: its area, outermost vertices, and triangles of defects that are
 * meshed.
 * Returns the row reached before the room was full.
 */
export function crossDefects(
  scan: DefectScan, grid: BitGrid, defects: Components, room: DefectRoom, grey: usize, z: i32, yFrom: i32,
): i32 {
  const kind = scan.kind, bytes = scan.bytes, pitch = scan.pitch, offset = scan.offset, gain = scan.gain, phase = scan.phase;
  const planeBytes = scan.planeBytes, level = scan.level, sizeX = scan.sizeX, sizeY = scan.sizeY, sizeZ = scan.sizeZ;
  const words = grid.words, rows = grid.rows, planeRow = (z + grid.marginZ) * rows, marginX = grid.marginX, marginY = grid.marginY;
  const starts = defects.starts, runs = defects.runs, numbers = defects.numbers;
  const nx = grid.nx, ny = grid.ny, meshed = scan.meshed, table = scan.table, directions = scan.directions;
  const tallies = room.tallies, triangles = room.triangles, scratch = room.seen;
  const seen = scratch;
  const corner = scratch + (<usize>words << 8);
  const spare = corner + 72;
  const most = <usize>load<u32>(tallies, 16);
  const smallest = min<f64>(min<f64>(sizeX, sizeY), sizeZ);
  const face = smallest * smallest;
  const rowBytes = <usize>pitch * <usize>bytes;
  const cell = <usize>bytes;
  for (let y = yFrom; y + 1 < ny; y++) {
    const row = planeRow + marginY + y;
    const here = starts + (<usize>row << 2), above = starts + (<usize>(row + rows) << 2);
    if (load<u32>(here) == load<u32>(here, 8) && load<u32>(above) == load<u32>(above, 8)) continue;
    if (<i32>(load<u32>(tallies, 4) - load<u32>(tallies)) < nx) return y;
    if (<i32>(load<u32>(tallies, 16) - load<u32>(tallies, 12)) < 10 * nx) return y;
    for (let four: i32 = 0; four < 4; four++) {
      const near = (four >> 1 ? above : here) + (<usize>(four & 1) << 2);
      const end = load<u32>(near, 4);
      for (let i = load<u32>(near); i < end; i++) {
        const number = load<u32>(numbers + (<usize>i << 2));
        if (number == none) continue;
        const run = load<u32>(runs + (<usize>i << 2));
        for (let x = <i32>(run & 0xffff) - 1; x <= <i32>(run >> 16); x++) {
          if (load<i32>(seen + (<usize>x << 2)) == row) continue;
          store<i32>(seen + (<usize>x << 2), row);
          let pattern: i32 = 0;
          for (let k: i32 = 0; k < 8; k++) {
            const other = row + (k & 2 ? 1 : 0) + (k & 4 ? rows : 0);
            pattern |= <i32>(1 - readBit(phase, words, other, x + (k & 1))) << k;
          }
          const cases = table + (<usize>pattern << 5);
          const count = <i32>load<u8>(cases);
          if (count == 0) continue;
          const sums = findTally(tallies, number);
          for (let t: i32 = 0; t < count; t++) {
            const triangle = <usize>load<u32>(tallies, 12);
            for (let v: i32 = 0; v < 3; v++) {
              const id = <i32>load<u8>(cases + <usize>(1 + 3 * t + v));
              const axis = id >> 2, first = id & 1, second = id >> 1 & 1;
              const ax = x - marginX + (axis == 0 ? 0 : first);
              const ay = y + (axis == 0 ? first : axis == 1 ? 0 : second);
              const az = axis == 2 ? 0 : second;
              const at = grey + <usize>az * planeBytes + <usize>ay * rowBytes + <usize>ax * cell;
              const a = greyAt(kind, at, offset, gain, spare);
              const b = greyAt(kind, at + (axis == 0 ? cell : axis == 1 ? rowBytes : planeBytes), offset, gain, spare);
              const share = min<f64>(max<f64>(a == b ? 0.5 : (level - a) / (b - a), 0.001), 0.999);
              const px = (<f64>ax + (axis == 0 ? share : 0)) * sizeX;
              const py = (<f64>ay + (axis == 1 ? share : 0)) * sizeY;
              const pz = (<f64>(z + az) + (axis == 2 ? share : 0)) * sizeZ;
              const to = corner + <usize>(24 * v);
              store<f64>(to, px);
              store<f64>(to, py, 8);
              store<f64>(to, pz, 16);
              store<f64>(triangles + triangle * 24 + (<usize>v << 3), ((<f64>(z + az) * <f64>ny + <f64>ay) * <f64>nx + <f64>ax) * 3 + <f64>axis);
              // Each edge is one of these three for exactly one cell, and that cell is visited too.
              if ((id & 3) == 0) reachOut(sums + sumBytes, directions, px, py, pz);
            }
            const ox = load<f64>(corner), oy = load<f64>(corner, 8), oz = load<f64>(corner, 16);
            const ux = load<f64>(corner, 24) - ox, uy = load<f64>(corner, 32) - oy, uz = load<f64>(corner, 40) - oz;
            const vx = load<f64>(corner, 48) - ox, vy = load<f64>(corner, 56) - oy, vz = load<f64>(corner, 64) - oz;
            const area = length(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx) / 2;
            add(sums + areaSum, rounded(area / face * areaSteps));
            if (number >= meshed) continue;
            const corners = triangles + most * 24 + triangle * 36;
            for (let k: usize = 0; k < 9; k++) store<f32>(corners + (k << 2), <f32>load<f64>(corner + (k << 3)));
            store<u32>(triangles + most * 60 + (triangle << 2), number);
            store<u32>(tallies, <u32>triangle + 1, 12);
          }
        }
      }
    }
  }
  return ny;
}

/** Cells whose neighbours up to deepReach on either side in the row are set too. */
@inline
function deepIn(before: u64, here: u64, after: u64): u64 {
  let deep = here;
  for (let k: u64 = 1; k <= <u64>deepReach; k++) deep &= (here << k | before >> (64 - k)) & (here >> k | after << (64 - k));
  return deep;
}

/**
 * Count, sum and sum of squares of the grey values deep in material, then deep in air (six f64), in every `step`th row
 * of plane z.
 */
export function deepGreys(scan: DefectScan, grid: BitGrid, room: DefectRoom, grey: usize, z: i32, step: i32): void {
  const kind = scan.kind, bytes = scan.bytes, pitch = scan.pitch, offset = scan.offset, gain = scan.gain;
  const words = grid.words, planeWords = words * grid.rows, marginX = grid.marginX, nx = grid.nx, ny = grid.ny;
  const first = <usize>(((z + grid.marginZ) * grid.rows + grid.marginY) * words) << 3;
  const phase = scan.phase + first, air = scan.others + first, result = room.result, scratch = room.deep;
  const solid = scratch + 8;
  const empty = solid + (<usize>(words + 2) << 3);
  const values = empty + (<usize>(words + 1) << 3);
  store<u64>(solid - 8, 0);
  store<u64>(empty - 8, 0);
  store<u64>(solid + (<usize>words << 3), 0);
  store<u64>(empty + (<usize>words << 3), 0);
  let solids: f64 = 0, sum: f64 = 0, squares: f64 = 0, empties: f64 = 0, airSum: f64 = 0, airSquares: f64 = 0;
  for (let y: i32 = deepReach; y < ny - deepReach; y += step) {
    let any: u64 = 0;
    for (let w: i32 = 0; w < words; w++) {
      let mixed: u64 = 0, full = ~(<u64>0);
      for (let dz: i32 = -deepReach; dz <= deepReach; dz++) {
        for (let dy: i32 = -deepReach; dy <= deepReach; dy++) {
          const at = <usize>(dz * planeWords + (y + dy) * words + w) << 3;
          const other = load<u64>(air + at);
          mixed |= load<u64>(phase + at) | other;
          full &= other;
        }
      }
      const cells = inside(w, marginX, marginX + nx);
      store<u64>(solid + (<usize>w << 3), ~mixed & cells);
      store<u64>(empty + (<usize>w << 3), full & cells);
      any |= (~mixed | full) & cells;
    }
    if (!any) continue;
    convertRow(kind, grey + <usize>y * <usize>pitch * <usize>bytes, values, nx, offset, gain, -8, 8, 0);
    for (let w: i32 = 0; w < words; w++) {
      const at = solid + (<usize>w << 3), under = empty + (<usize>w << 3);
      const from = values + (<usize>((w << 6) - marginX) << 2);
      for (let left = deepIn(load<u64>(at - 8), load<u64>(at), load<u64>(at + 8)); left; left &= left - 1) {
        const value = <f64>load<f32>(from + (<usize>ctz(left) << 2));
        if (!(Math.abs(value - 1) < 0.5)) continue;
        solids += 1;
        sum += value;
        squares += value * value;
      }
      for (let left = deepIn(load<u64>(under - 8), load<u64>(under), load<u64>(under + 8)); left; left &= left - 1) {
        const value = <f64>load<f32>(from + (<usize>ctz(left) << 2));
        if (!(Math.abs(value) < 0.5)) continue;
        empties += 1;
        airSum += value;
        airSquares += value * value;
      }
    }
  }
  store<f64>(result, solids);
  store<f64>(result, sum, 8);
  store<f64>(result, squares, 16);
  store<f64>(result, empties, 24);
  store<f64>(result, airSum, 32);
  store<f64>(result, airSquares, 40);
}
