/** Finds thin dark sheets in grey values and sums them up; synchronous, for a thread. */
import type { GridLayout } from '../surface/grid-layout.ts';
import { type BitGrid, type Components, dropped } from './bit-layout.ts';

export interface SheetPlanesInput {
  grid: BitGrid;
  /** smoothed grey values of region planes from greyFrom on, in a border of one cell */
  grey: GridLayout;
  greyFrom: number;
  /** planes of the region to search */
  zFrom: number;
  zTo: number;
  /** bits of the cells that are too close to the outside */
  near: number;
  /** bits to set where a sheet is found */
  target: number;
  /** in the grid's own units: threshold between air and material, grey value of air, and contrast */
  level: number;
  air: number;
  span: number;
  /** smallest curvature across a sheet, in contrasts per squared smallest voxel edge */
  least: number;
}

/** Distance in cells at which material must be found on both sides of a sheet. */
const sideCells = 3;
/** Largest ratio of a sheet's second curvature to its first; pores and channels have more. */
const flatness = 0.5;
/**
 * Smallest squared cosine between an axis and the normal; below, the axis's columns cross the sheet at too flat an
 * angle.
 */
const steepest = 0.15;
/** Local minima further than this from the sheet's middle lie beyond its rim; cells. */
const maxOffset = 0.5;
/**
 * Share of the median curvature at the rim: a half for a straight rim, more for a rounded one, which the filter widens.
 */
const rimShare = 0.6;
/** Numbers per cell in the middle of a sheet: position (row · 65536 + x), curvature, area in squared smallest edges. */
export const sheetFields = 3;

/**
 * Cells in the middle of dark sheets: the smoothed grey values have one large curvature and two small ones, the minimum
 * lies within the cell or next to it, and there is material on both sides.
 * @see https://doi.org/10.1007/BFb0056195 (Frangi et al. 1998), https://doi.org/10.1109/2945.856997 (Sato et al. 2000)
 */
export function sheetPlanes(buffer: SharedArrayBuffer, input: SheetPlanesInput): Float64Array {
  const { grid, grey } = input;
  const [nx, ny, nz] = grid.cells;
  const [mx, my, mz] = grid.margin;
  const words = grid.words * 2;
  const bits = new Uint32Array(buffer, input.target, words * grid.rows * grid.planes);
  const near = new Uint32Array(buffer, input.near, words * grid.rows * grid.planes);
  const length = grey.stride * (grey.cells[1] + 2) * (grey.cells[2] + 2);
  const g = grey.isU16
    ? new Uint16Array(buffer, grey.address, length)
    : new Float32Array(buffer, grey.address, length);
  const edge = Math.min(...grey.voxelSizeMm);
  const [sx, sy, sz] = grey.voxelSizeMm.map((size) => size / edge);
  const [stepY, stepZ] = [grey.stride, grey.stride * (grey.cells[1] + 2)];
  const [kx, ky, kz] = [1 / (sx * sx), 1 / (sy * sy), 1 / (sz * sz)];
  const least = input.least * input.span;
  const full = input.air + input.span;
  const minDepth = 0.01 * input.span;
  const found: number[] = [];
  for (let z = Math.max(input.zFrom, sideCells); z < Math.min(input.zTo, nz - sideCells); z++) {
    for (let y = sideCells; y < ny - sideCells; y++) {
      const row = (z + mz) * grid.rows + y + my;
      const base = (z - input.greyFrom + 1) * stepZ + (y + 1) * stepY + 1;
      for (let x = sideCells; x < nx - sideCells; x++) {
        const i = base + x;
        const two = 2 * g[i];
        const xx = (g[i + 1] + g[i - 1] - two) * kx;
        const yy = (g[i + stepY] + g[i - stepY] - two) * ky;
        const zz = (g[i + stepZ] + g[i - stepZ] - two) * kz;
        const trace = xx + yy + zz;
        // For a sheet the sum of the curvatures is close to the largest one.
        if (trace < 0.6 * least) continue;
        const at = x + mx;
        if ((near[row * words + (at >> 5)] >>> (at & 31)) & 1) continue;
        const xy =
          (g[i + 1 + stepY] + g[i - 1 - stepY] - g[i + 1 - stepY] - g[i - 1 + stepY]) / (4 * sx * sy);
        const xz =
          (g[i + 1 + stepZ] + g[i - 1 - stepZ] - g[i + 1 - stepZ] - g[i - 1 + stepZ]) / (4 * sx * sz);
        const yz =
          (g[i + stepY + stepZ] + g[i - stepY - stepZ] - g[i + stepY - stepZ] - g[i - stepY + stepZ]) /
          (4 * sy * sz);
        // Power iteration, starting with the row of the largest curvature.
        let [u, v, w] = xx >= yy && xx >= zz ? [xx, xy, xz] : yy >= zz ? [xy, yy, yz] : [xz, yz, zz];
        let first = 0;
        for (let turn = 0; turn < 12; turn++) {
          const size = Math.hypot(u, v, w);
          if (size === 0) break;
          u /= size;
          v /= size;
          w /= size;
          const [a, b, c] = [xx * u + xy * v + xz * w, xy * u + yy * v + yz * w, xz * u + yz * v + zz * w];
          first = a * u + b * v + c * w;
          [u, v, w] = [a, b, c];
        }
        const size = Math.hypot(u, v, w);
        if (first < least || size === 0) continue;
        u /= size;
        v /= size;
        w /= size;
        const rest = xx * xx + yy * yy + zz * zz + 2 * (xy * xy + xz * xz + yz * yz) - first * first;
        if (rest > (flatness * first) ** 2) continue;
        // Across a blurred sheet the depth is a Gaussian and its logarithm a parabola, also for differences in any
        // direction. Its vertex gives the distance to the sheet's middle along the normal.
        const depth = (at: number) => Math.log(Math.max(full - g[at], minDepth));
        const l0 = depth(i);
        const [xp, xm, yp, ym] = [depth(i + 1), depth(i - 1), depth(i + stepY), depth(i - stepY)];
        const [zp, zm] = [depth(i + stepZ), depth(i - stepZ)];
        const cross = (a: number, b: number) =>
          (depth(i + a + b) + depth(i - a - b) - depth(i + a - b) - depth(i - a + b)) / 4;
        const [nu, nv, nw] = [u / sx, v / sy, w / sz];
        const slope = ((xp - xm) * nu + (yp - ym) * nv + (zp - zm) * nw) / 2;
        const bend =
          (xp + xm - 2 * l0) * nu * nu +
          (yp + ym - 2 * l0) * nv * nv +
          (zp + zm - 2 * l0) * nw * nw +
          2 * (cross(1, stepY) * nu * nv + cross(1, stepZ) * nu * nw + cross(stepY, stepZ) * nv * nw);
        if (bend >= 0) continue;
        const away = Math.abs(slope / bend);
        if (away > 0.8) continue;
        const [dx, dy, dz] = [nu, nv, nw].map((part) => Math.round(sideCells * part));
        const side = dx + dy * stepY + dz * stepZ;
        if (g[i + side] <= input.level || g[i - side] <= input.level) continue;
        bits[row * words + (at >> 5)] |= 1 << (at & 31);
        // Each column of cells along an axis has one local minimum, which represents the column's face divided by the
        // cosine. Axes are weighted by their squared cosines, so that no single axis has to be chosen; flat ones, where
        // noise creates minima, are left out.
        const [cu, cv, cw] = [u * u, v * v, w * w].map((square) => (square > steepest ? square : 0));
        const isFloor = (square: number, step: number) =>
          square > 0 && away <= maxOffset && g[i] < g[i - step] && g[i] <= g[i + step];
        const area =
          ((isFloor(cu, 1) ? Math.sqrt(cu) * sy * sz : 0) +
            (isFloor(cv, stepY) ? Math.sqrt(cv) * sx * sz : 0) +
            (isFloor(cw, stepZ) ? Math.sqrt(cw) * sx * sy : 0)) /
          (cu + cv + cw);
        found.push(row * 65536 + at, first / input.span, area);
      }
    }
  }
  return Float64Array.from(found);
}

export interface SheetTotals {
  /** number of cells of each component in the middle of a sheet */
  cells: Float64Array;
  /** in squared smallest voxel edges, out to where the curvature has fallen to its value at the rim */
  areas: Float64Array;
  /** largest curvature */
  strongest: Float64Array;
}

/** Sums up the cells of sheets (results of sheetPlanes in the order of planes) for each component. */
export function sheetTotals(
  buffer: SharedArrayBuffer,
  input: { grid: BitGrid; components: Components; count: number; pieces: Float64Array[] },
): SheetTotals {
  const { grid, components, count } = input;
  const starts = new Uint32Array(buffer, components.starts, grid.rows * grid.planes + 1);
  const runs = new Uint32Array(buffer, components.runs, components.runCount);
  const numbers = new Uint32Array(buffer, components.numbers, components.runCount);
  const members = new Map<number, { curvature: number; area: number }[]>();
  for (const piece of input.pieces) {
    for (let i = 0; i < piece.length; i += sheetFields) {
      const row = Math.floor(piece[i] / 65536);
      const x = piece[i] % 65536;
      let number = dropped;
      for (let r = starts[row]; r < starts[row + 1]; r++) {
        if ((runs[r] & 0xffff) <= x && x <= runs[r] >>> 16) number = numbers[r];
      }
      if (number === dropped) continue;
      const list = members.get(number) ?? [];
      list.push({ curvature: piece[i + 1], area: piece[i + 2] });
      members.set(number, list);
    }
  }
  const totals = {
    cells: new Float64Array(count),
    areas: new Float64Array(count),
    strongest: new Float64Array(count),
  };
  for (const [number, list] of members) {
    const sorted = list.map(({ curvature }) => curvature).sort((a, b) => a - b);
    const median = sorted[sorted.length >> 1];
    totals.cells[number] = list.length;
    totals.strongest[number] = sorted[sorted.length - 1];
    for (const { curvature, area } of list) if (curvature >= rimShare * median) totals.areas[number] += area;
  }
  return totals;
}
