// Ambient occlusion at the vertices of the isosurface: rays through the air around the part.
import { Blocks, Grid, Surface } from './layouts';

/** Writes 1 for each block of 4x4x4 grid points without material; block planes zFrom … zTo-1. */
export function emptyBlocks(grid: Grid, surface: Surface, blocks: Blocks, zFrom: i32, zTo: i32): void {
  const bits = surface.bits, words = surface.words, ny = grid.ny, nz = grid.nz;
  const empty = blocks.table, bx = blocks.nx, by = blocks.ny;
  const rowBytes = <usize>words << 3;
  for (let cz = zFrom; cz < zTo; cz++) {
    for (let cy: i32 = 0; cy < by; cy++) {
      const out = empty + (<usize>cz * <usize>by + <usize>cy) * <usize>bx;
      for (let w: i32 = 0; w < words; w++) {
        let any: u64 = 0;
        for (let z: i32 = cz * 4; z < cz * 4 + 4 && z < nz; z++) {
          for (let y: i32 = cy * 4; y < cy * 4 + 4 && y < ny; y++) {
            any |= load<u64>(bits + (<usize>z * <usize>ny + <usize>y) * rowBytes + (<usize>w << 3));
          }
        }
        const four = any | (any >> 1) | (any >> 2) | (any >> 3);
        for (let k: i32 = 0; k < 16; k++) {
          const cx = (w << 4) + k;
          if (cx < bx) store<u8>(out + <usize>cx, <u8>(four >> (k << 2) & 1) ^ 1);
        }
      }
    }
  }
}

/**
 * Share (0 to 1, cosine-weighted) of the hemisphere above vertices from … to-1 that no material covers within `limit`
 * mm. `directions`: f32 xyz unit vectors over the whole sphere. Rays start `lift` mm above the surface and step from
 * grid point to grid point, skipping empty blocks in one step.
 */
export function openness(
  grid: Grid, surface: Surface, blocks: Blocks, positions: usize, normals: usize, from: u32, to: u32, directions: usize, count: i32, lift: f32, limit: f32, target: usize,
): void {
  const bits = surface.bits, words = surface.words, nx = grid.nx, ny = grid.ny, nz = grid.nz;
  const sx = grid.sx, sy = grid.sy, sz = grid.sz;
  const empty = blocks.table, bx = blocks.nx, by = blocks.ny;
  const step = min<f32>(sx, min<f32>(sy, sz)) * 0.75;
  const rowBytes = <usize>words << 3;
  const tx = <f32>nx, ty = <f32>ny, tz = <f32>nz;
  for (let v = from; v < to; v++) {
    const p = positions + <usize>v * 12, n = normals + <usize>v * 12;
    const ax = load<f32>(n), ay = load<f32>(n + 4), az = load<f32>(n + 8);
    // In cells from the padded grid's first point, plus one half: truncation then gives the nearest grid point.
    const px = (load<f32>(p) + ax * lift) / sx + 1.5, py = (load<f32>(p + 4) + ay * lift) / sy + 1.5, pz = (load<f32>(p + 8) + az * lift) / sz + 1.5;
    let seen: f32 = 0, all: f32 = 0;
    for (let k: i32 = 0; k < count; k++) {
      const r = directions + <usize>k * 12;
      const u = load<f32>(r), w = load<f32>(r + 4), m = load<f32>(r + 8);
      const cosine = u * ax + w * ay + m * az;
      if (!(cosine > 0.08)) continue;
      all += cosine;
      const dx = u / sx, dy = w / sy, dz = m / sz;
      let open = true;
      let t: f32 = 0;
      while (t < limit) {
        const x = px + dx * t, y = py + dy * t, z = pz + dz * t;
        if (!(x >= 0 && y >= 0 && z >= 0 && x < tx && y < ty && z < tz)) break;
        const ix = <i32>x, iy = <i32>y, iz = <i32>z;
        const cx = ix >> 2, cy = iy >> 2, cz = iz >> 2;
        if (load<u8>(empty + ((<usize>cz * <usize>by + <usize>cy) * <usize>bx + <usize>cx))) {
          const ex = dx > 0 ? (<f32>(cx * 4 + 4) - x) / dx : dx < 0 ? (<f32>(cx * 4) - x) / dx : f32.MAX_VALUE;
          const ey = dy > 0 ? (<f32>(cy * 4 + 4) - y) / dy : dy < 0 ? (<f32>(cy * 4) - y) / dy : f32.MAX_VALUE;
          const ez = dz > 0 ? (<f32>(cz * 4 + 4) - z) / dz : dz < 0 ? (<f32>(cz * 4) - z) / dz : f32.MAX_VALUE;
          let exit = ex < ey ? ex : ey;
          if (ez < exit) exit = ez;
          t += exit > step * 0.25 ? exit : step * 0.25;
          continue;
        }
        if (load<u64>(bits + (<usize>iz * <usize>ny + <usize>iy) * rowBytes + (<usize>(ix >> 6) << 3)) >> <u64>(ix & 63) & 1) {
          open = false;
          break;
        }
        t += step;
      }
      if (open) seen += cosine;
    }
    store<f32>(target + (<usize>v << 2), all > 0 ? seen / all : 1);
  }
}
