// Rise of the grey values across the vertices of a surface, in f64.
import { Grid } from './layouts';

/**
 * Two u16 per vertex from … to-1: the fall of the grey value per cell towards air, limited to 0 … maxFall, and the
 * misfit of the levels on both sides from air and material beyond `usualMisfit` each, limited to maxMisfit. Both are
 * shares of the contrast, in 65535ths of their largest value; 0 where unknown.
 * @param ex, ey, ez edges of a cell in mm
 * @param air, height grey value of air, and of material above it
 * @param deepest the levels are read at this distance on either side of a vertex, and one cell nearer to it
 */
export function readRises(grid: Grid, positions: usize, normals: usize, from: u32, to: u32, ex: f64, ey: f64, ez: f64, air: f64, height: f64, deepest: f64, usualMisfit: f64, maxFall: f64, maxMisfit: f64, target: usize): void {
  const far = deepest, near = deepest - 1;
  const perFall = 65535 / maxFall, perMisfit = 65535 / maxMisfit;
  for (let v = from; v < to; v++, target += 4) {
    const p = positions + <usize>v * 12, n = normals + <usize>v * 12;
    const x = <f64>load<f32>(p) / ex, y = <f64>load<f32>(p + 4) / ey, z = <f64>load<f32>(p + 8) / ez;
    const nx = <f64>load<f32>(n), ny = <f64>load<f32>(n + 4), nz = <f64>load<f32>(n + 8);
    // Length of a cell along the normal.
    const step = sqrt<f64>(nx * ex * (nx * ex) + ny * ey * (ny * ey) + nz * ez * (nz * ez));
    const dx = (nx * step) / ex, dy = (ny * step) / ey, dz = (nz * step) / ez;
    const fall = (between(grid, x - dx, y - dy, z - dz) - between(grid, x + dx, y + dy, z + dz)) / 2;
    let inside = -Infinity, outside = Infinity;
    const inside2 = nearest(grid, x - near * dx, y - near * dy, z - near * dz);
    const outside2 = nearest(grid, x + near * dx, y + near * dy, z + near * dz);
    if (inside2 > inside) inside = inside2;
    if (outside2 < outside) outside = outside2;
    const inside3 = nearest(grid, x - far * dx, y - far * dy, z - far * dz);
    const outside3 = nearest(grid, x + far * dx, y + far * dy, z + far * dz);
    if (inside3 > inside) inside = inside3;
    if (outside3 < outside) outside = outside3;
    const lack = abs<f64>((inside - air) / height - 1) - usualMisfit;
    const rest = abs<f64>((outside - air) / height) - usualMisfit;
    const misfit = max<f64>(0, lack) + max<f64>(0, rest);
    store<u16>(target, toU16(perFall * min<f64>(max<f64>(fall / height, 0), maxFall)));
    store<u16>(target, toU16(perMisfit * min<f64>(misfit, maxMisfit)), 2);
  }
}

@inline
function toU16(value: f64): u16 {
  return value == value ? <u16><u32>value : 0;
}

@inline
function read(grid: Grid, index: usize): f64 {
  return grid.isU16 ? <f64>load<u16>(grid.points + (index << 1)) : <f64>load<f32>(grid.points + (index << 2));
}

@inline
function along(grid: Grid, index: usize, u: f64): f64 {
  const first = read(grid, index);
  return first + u * (read(grid, index + 1) - first);
}

/** Trilinear grey value; positions in cells from the first cell, NaN outside. */
@inline
function between(grid: Grid, x: f64, y: f64, z: f64): f64 {
  // The grid has a border of one cell on every side.
  const i = floor<f64>(x) + 1, j = floor<f64>(y) + 1, k = floor<f64>(z) + 1;
  if (!(i > 0 && j > 0 && k > 0 && i < <f64>(grid.nx - 2) && j < <f64>(grid.ny - 2) && k < <f64>(grid.nz - 2))) return NaN;
  const u = x + 1 - i, v = y + 1 - j, w = z + 1 - k;
  const row = <usize>grid.stride, plane = row * <usize>grid.ny;
  const at = <usize>k * plane + <usize>j * row + <usize>i;
  const a = along(grid, at, u), b = along(grid, at + plane, u);
  const front = a + v * (along(grid, at + row, u) - a);
  const back = b + v * (along(grid, at + plane + row, u) - b);
  return front + w * (back - front);
}

/** Grey value of the nearest cell; positions as in `between`. */
@inline
function nearest(grid: Grid, x: f64, y: f64, z: f64): f64 {
  const i = round(x) + 1, j = round(y) + 1, k = round(z) + 1;
  if (!(i > 0 && j > 0 && k > 0 && i <= <f64>(grid.nx - 2) && j <= <f64>(grid.ny - 2) && k <= <f64>(grid.nz - 2))) return NaN;
  const row = <usize>grid.stride;
  return read(grid, (<usize>k * <usize>grid.ny + <usize>j) * row + <usize>i);
}

/** Half-way cases upwards, exact for all numbers. */
@inline
function round(value: f64): f64 {
  const up = ceil<f64>(value);
  return up - 0.5 > value ? up - 1 : up;
}
