import { greyAt } from '../grid/between-cells.ts';
import { defineTask } from '../task.ts';
import { listPlanes, type VerticesOnGrid } from './grid-layout.ts';

export interface Interfaces {
  /** grey values of air and of each material in the grid's own units, ascending */
  peaks: readonly number[];
  /** the material whose lower bound this surface is, from 1 */
  material: number;
  /** the surface's level in the grid's own units */
  level: number;
  /** search distance on either side, mm */
  reachMm: number;
}

export interface PaddedGrid {
  values: ArrayLike<number>;
  /** elements along x (row padding included), y and z */
  size: readonly [number, number, number];
  /** plane at which the values begin */
  firstPlane: number;
  voxelSizeMm: readonly [number, number, number];
}

/** Samples on either side. */
const steps = 8;

/**
 * Where a dense material borders on air, its edge passes through the grey values of lighter materials that are not
 * there. The vertices at such places are moved along their normals to the level midway between the two phases that
 * really meet. In place.
 * @param positions mm from the first cell's centre along the grid's axes; 3 · vertices
 * @param normals outward
 * @returns number of moved vertices
 */
export function settleInterfaces(
  { values, size, firstPlane, voxelSizeMm }: PaddedGrid,
  { peaks, material, level, reachMm }: Interfaces,
  positions: Float32Array,
  normals: Float32Array,
): number {
  const slab = { values, dimensions: size, firstPlane };
  const cell = new Float64Array(3);
  let moved = 0;
  const valueAt = (v: number, t: number) => {
    // The grid has one more point on every side.
    for (let k = 0; k < 3; k++) cell[k] = (positions[v + k] + normals[v + k] * t) / voxelSizeMm[k] + 1;
    return greyAt(slab, cell);
  };
  const findKind = (value: number) => {
    let kind = 0;
    while (kind + 1 < peaks.length && value > (peaks[kind] + peaks[kind + 1]) / 2) kind++;
    return kind;
  };
  for (let v = 0; v < positions.length; v += 3) {
    let [outside, inside] = [Infinity, -Infinity];
    for (let i = 1; i <= steps; i++) {
      outside = Math.min(outside, valueAt(v, (reachMm * i) / steps));
      inside = Math.max(inside, valueAt(v, (-reachMm * i) / steps));
    }
    const lower = Math.min(findKind(outside), material - 1);
    const upper = Math.max(findKind(inside), material);
    if (lower === material - 1 && upper === material) continue;
    const wanted = (peaks[lower] + peaks[upper]) / 2;
    // Grey values rise inward.
    const step = ((wanted > level ? -1 : 1) * reachMm) / steps;
    let before = valueAt(v, 0);
    for (let i = 1; i <= steps; i++) {
      const after = valueAt(v, step * i);
      if (before === after || (before - wanted) * (after - wanted) > 0) {
        before = after;
        continue;
      }
      const t = step * (i - 1 + (before - wanted) / (before - after));
      for (let k = 0; k < 3; k++) positions[v + k] += normals[v + k] * t;
      moved++;
      break;
    }
  }
  return moved;
}

/** settleInterfaces for the vertices from … to−1 of a surface in the arena. */
export const settleVertices = defineTask(
  import.meta.url,
  'settleVertices',
  ({ memory: { buffer } }, input: VerticesOnGrid & { interfaces: Interfaces }): number => {
    const { grid, from, to } = input;
    const floats = (address: number) => new Float32Array(buffer, address + 12 * from, 3 * (to - from));
    const padded = {
      values: listPlanes(buffer, grid),
      size: [grid.stride, grid.cells[1] + 2, grid.cells[2] + 2] as const,
      firstPlane: grid.planes[0],
      voxelSizeMm: grid.voxelSizeMm,
    };
    return settleInterfaces(padded, input.interfaces, floats(input.positions), floats(input.normals));
  },
);
