// The surroundings of an isosurface in blocks of 8³ grid points: grey values, and the depth of each point in material.
// For all other blocks it is enough to know that they are air, or their minimum depth in material.
// A table has a u32 per block, x fastest: 0 for air, up to 32 the minimum depth in a block of pure material, or the
// block's address.
// A block has 9³ values (the last along each axis are the next block's first), then 8³ depths, a byte each.
import { clearBytes, copyBytes } from './bytes';
import { Blocks, Grid, Surface } from './layouts';

/** Values along a block's edge: one more than its grid points. */
export const pitch: i32 = 9;

@inline
export function valueBytes<T>(): usize {
  return (<usize>(pitch * pitch * pitch) * sizeof<T>() + 15) & ~15;
}

/** 64 bits of a row from bit `first` (≥ -64); 0 beyond its ends. */
@inline
function bitsFrom(row: usize, first: i32, words: i32): u64 {
  if (first < 0) return load<u64>(row) << -first;
  const w = first >> 6, shift = first & 63;
  const low = load<u64>(row + (<usize>w << 3)) >> shift;
  return shift && w + 1 < words ? low | load<u64>(row + (<usize>(w + 1) << 3)) << (64 - shift) : low;
}

/**
 * Classifies the blocks of layers zFrom … zTo-1: 0 air, 1 material, 2 both within `reach` (up to 25) grid points;
 * returns the number of the latter. Scratch: 2 · words u64.
 */
export function markBlocks(
  grid: Grid, surface: Surface, blocks: Blocks, zFrom: i32, zTo: i32, reach: i32, scratch: usize,
): u32 {
  const bits = surface.bits, words = surface.words, ny = grid.ny, nz = grid.nz;
  const table = blocks.table, bx = blocks.nx, by = blocks.ny;
  const rowBytes = <usize>words << 3;
  const some = scratch, every = scratch + rowBytes;
  const whole: u64 = ((<u64>1) << (9 + 2 * reach)) - 1;
  let near: u32 = 0;
  for (let z = zFrom; z < zTo; z++) {
    for (let y: i32 = 0; y < by; y++) {
      clearBytes(some, rowBytes);
      for (let w: usize = 0; w < rowBytes; w += 8) store<u64>(every + w, ~(<u64>0));
      const rowTo = min<i32>(8 * y + 9 + reach, ny), planeTo = min<i32>(8 * z + 9 + reach, nz);
      for (let k = max<i32>(8 * z - reach, 0); k < planeTo; k++) {
        for (let j = max<i32>(8 * y - reach, 0); j < rowTo; j++) {
          const row = bits + (<usize>k * <usize>ny + <usize>j) * rowBytes;
          for (let w: usize = 0; w < rowBytes; w += 8) {
            const value = load<u64>(row + w);
            store<u64>(some + w, load<u64>(some + w) | value);
            store<u64>(every + w, load<u64>(every + w) & value);
          }
        }
      }
      const out = table + (<usize>(z * by + y) * <usize>bx << 2);
      for (let x: i32 = 0; x < bx; x++) {
        const first = 8 * x - reach;
        // Bits before the row's first point are ignored: nothing there could differ.
        const asked = first < 0 ? whole & ~(((<u64>1) << -first) - 1) : whole;
        const any = bitsFrom(some, first, words) & asked;
        const kind: u32 = any == 0 ? 0 : (bitsFrom(every, first, words) & asked) == asked ? 1 : 2;
        store<u32>(out + (<usize>x << 2), kind);
        near += kind >> 1;
      }
    }
  }
  return near;
}

/** Assigns addresses to the blocks marked 2, consecutively from `first`. */
export function placeBlocks(table: usize, count: u32, first: usize, bytes: usize): void {
  let next = first;
  for (let i: usize = 0; i < <usize>count; i++) {
    if (load<u32>(table + (i << 2)) != 2) continue;
    store<u32>(table + (i << 2), <u32>next);
    next += bytes;
  }
}

/**
 * Grey values of the blocks of layers zFrom … zTo-1 that have an address. `grid` has the (possibly virtual) address of
 * the grid's first plane.
 */
export function fillBlocks(grid: Grid, blocks: Blocks, zFrom: i32, zTo: i32): void {
  if (grid.isU16) fill<u16>(grid, blocks, zFrom, zTo);
  else fill<f32>(grid, blocks, zFrom, zTo);
}

function fill<T>(grid: Grid, blocks: Blocks, zFrom: i32, zTo: i32): void {
  const stride = grid.stride, ny = grid.ny, nz = grid.nz;
  const table = blocks.table, bx = blocks.nx, by = blocks.ny;
  for (let z = zFrom; z < zTo; z++) {
    for (let y: i32 = 0; y < by; y++) {
      for (let x: i32 = 0; x < bx; x++) {
        const block = load<u32>(table + (<usize>((z * by + y) * bx + x) << 2));
        if (block <= 32) continue;
        let to = <usize>block;
        for (let k: i32 = 0; k < pitch; k++) {
          for (let j: i32 = 0; j < pitch; j++) {
            const row = <usize>min<i32>(8 * z + k, nz - 1) * <usize>ny + <usize>min<i32>(8 * y + j, ny - 1);
            const from = grid.points + (row * <usize>stride + <usize>(8 * x)) * sizeof<T>();
            for (let i: usize = 0; i < <usize>pitch; i++, to += sizeof<T>()) store<T>(to, load<T>(from + i * sizeof<T>()));
          }
        }
      }
    }
  }
}

/** Depths of the blocks of layers zFrom … zTo-1, from a byte per grid point of planes planeFrom …, rows of `stride`. */
export function fillDepths(grid: Grid, blocks: Blocks, depth: usize, planeFrom: i32, zFrom: i32, zTo: i32): void {
  const stride = grid.stride, ny = grid.ny, nz = grid.nz;
  const table = blocks.table, bx = blocks.nx, by = blocks.ny;
  const values = grid.isU16 ? valueBytes<u16>() : valueBytes<f32>();
  for (let z = zFrom; z < zTo; z++) {
    for (let y: i32 = 0; y < by; y++) {
      for (let x: i32 = 0; x < bx; x++) {
        const at = table + (<usize>((z * by + y) * bx + x) << 2);
        const block = load<u32>(at);
        if (block == 0) continue;
        let least = i8x16.splat(-1);
        for (let k: i32 = 0; k < 8; k++) {
          for (let j: i32 = 0; j < 8; j++) {
            const isThere = 8 * z + k < nz && 8 * y + j < ny;
            const row = <usize>(8 * z + k - planeFrom) * <usize>ny + <usize>(8 * y + j);
            const eight: u64 = isThere ? load<u64>(depth + row * <usize>stride + <usize>(8 * x)) : 0;
            if (block <= 32) least = i8x16.min_u(least, i64x2.splat(eight));
            else store<u64>(<usize>block + values + (<usize>(k * 8 + j) << 3), eight);
          }
        }
        if (block > 32) continue;
        let depths = <u64>i64x2.extract_lane(least, 0);
        let smallest: u32 = 255;
        for (let i: i32 = 0; i < 8; i++, depths >>= 8) smallest = min<u32>(smallest, <u32>(depths & 255));
        store<u32>(at, smallest);
      }
    }
  }
}

/**
 * Depth along z of every grid point of rows yFrom … yTo-1, planes planeFrom … planeTo-1: cells to the nearest air,
 * `cap` at most, 0 in air; a byte each, rows of `stride`. Beyond these planes there is air where the grid ends;
 * elsewhere nothing is known, so depths are exact only with `cap` more planes.
 */
export function depthAlongZ(
  grid: Grid, surface: Surface, planeFrom: i32, planeTo: i32, yFrom: i32, yTo: i32, cap: i32, depth: usize,
): void {
  const bits = surface.bits, words = surface.words, stride = grid.stride, ny = grid.ny, nz = grid.nz;
  const plane = <usize>stride * <usize>ny;
  const one = i8x16.splat(1), most = i8x16.splat(<i8>cap);
  const which = i8x16(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  const bit = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
  for (let z = planeFrom; z < planeTo; z++) {
    for (let y = yFrom; y < yTo; y++) {
      const row = bits + ((<usize>z * <usize>ny + <usize>y) * <usize>words << 3);
      const to = depth + <usize>(z - planeFrom) * plane + <usize>y * <usize>stride;
      for (let x: usize = 0; x < <usize>stride; x += 16) {
        const both = i8x16.swizzle(i16x8.splat(load<i16>(row + (x >> 3))), which);
        const solid = i8x16.eq(v128.and(both, bit), bit);
        const before = z > planeFrom ? v128.load(to + x - plane) : z > 0 ? most : i8x16.splat(0);
        v128.store(to + x, v128.and(solid, i8x16.min_u(i8x16.add_sat_u(before, one), most)));
      }
    }
  }
  for (let z = planeTo - 1; z >= planeFrom; z--) {
    for (let y = yFrom; y < yTo; y++) {
      const to = depth + <usize>(z - planeFrom) * plane + <usize>y * <usize>stride;
      for (let x: usize = 0; x < <usize>stride; x += 16) {
        const after = z + 1 < planeTo ? v128.load(to + x + plane) : planeTo < nz ? most : i8x16.splat(0);
        v128.store(to + x, i8x16.min_u(v128.load(to + x), i8x16.add_sat_u(after, one)));
      }
    }
  }
}

/**
 * Reduces depths along z to the minimum along any axis (chessboard distance), planes planeFrom … planeTo-1: a row at
 * distance k limits the depth to max(k, its own depth). Scratch: ny + 1 rows of `stride`, and 128 bytes.
 */
export function depthInPlanes(
  grid: Grid, planeFrom: i32, zFrom: i32, zTo: i32, cap: i32, depth: usize, scratch: usize,
): void {
  const stride = grid.stride, ny = grid.ny;
  const rowBytes = <usize>stride;
  const copy = scratch + 128 + rowBytes;
  const line = scratch + 64;
  clearBytes(scratch, 128 + rowBytes);
  for (let z = zFrom; z < zTo; z++) {
    const plane = depth + <usize>(z - planeFrom) * rowBytes * <usize>ny;
    copyBytes(copy, plane, rowBytes * <usize>ny);
    for (let y: i32 = 0; y < ny; y++) {
      const row = copy + <usize>y * rowBytes;
      // The first and the last row are air, so the search stays within the plane.
      for (let x: usize = 0; x < rowBytes; x += 16) {
        let least = v128.load(row + x);
        let k = i8x16.splat(1);
        for (let off = rowBytes; v128.any_true(i8x16.gt_u(least, k)); off += rowBytes) {
          const both = i8x16.min_u(v128.load(row + x - off), v128.load(row + x + off));
          least = i8x16.min_u(least, i8x16.max_u(k, both));
          k = i8x16.add(k, i8x16.splat(1));
        }
        v128.store(line + x, least);
      }
      const to = plane + <usize>y * rowBytes;
      for (let x: usize = 0; x < rowBytes; x += 16) {
        let least = v128.load(line + x);
        let k = i8x16.splat(1);
        for (let off: usize = 1; v128.any_true(i8x16.gt_u(least, k)); off++) {
          const both = i8x16.min_u(v128.load(line + x - off), v128.load(line + x + off));
          least = i8x16.min_u(least, i8x16.max_u(k, both));
          k = i8x16.add(k, i8x16.splat(1));
        }
        v128.store(to + x, least);
      }
    }
  }
}
