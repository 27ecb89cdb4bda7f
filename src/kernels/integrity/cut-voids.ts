/** Voids cut by the border of a region, as distinct from the air outside, which the border also cuts. */

import type { Arena } from '../arena.ts';
import type { Vector3 } from '../grid/volume.ts';
import { inPieces } from '../pool.ts';
import { allocateBits, planesPerTask } from './bit-grid.ts';
import type { BitGrid, Components, ComponentTable } from './bit-layout.ts';
import { dropped } from './bit-layout.ts';
import type { BitStage } from './bit-stage.ts';
import { findComponents, paintComponent } from './components.ts';
import { clearMargin, renumber, tabulate } from './tasks.ts';

export const regionSides = ['x-', 'x+', 'y-', 'y+', 'z-', 'z+'] as const;
export type RegionSide = (typeof regionSides)[number];

/** Fewer cells of material on a side of the region are outliers; the part is not cut there. */
const minCutCells = 16;
/** Above this share of the material, a hollow cut by the border belongs to the part's own shape, such as a bore. */
const largestCutShare = 0.1;

/** The sides of the region that contain material: there the part continues. */
export function listCutSides({ memory }: Arena, grid: BitGrid, air: number): RegionSide[] {
  const words = new Uint32Array(memory.buffer, air, 2 * grid.words * grid.rows * grid.planes);
  const material = [0, 0, 0, 0, 0, 0];
  const [mx, my, mz] = grid.margin;
  const [nx, ny, nz] = grid.cells;
  const isAir = (x: number, row: number) => (words[2 * grid.words * row + (x >>> 5)] >>> (x & 31)) & 1;
  for (let z = mz; z < mz + nz; z++) {
    for (let y = my; y < my + ny; y++) {
      const row = z * grid.rows + y;
      material[0] += 1 - isAir(mx, row);
      material[1] += 1 - isAir(mx + nx - 1, row);
      const sides = [
        ...(y === my ? [2] : []),
        ...(y === my + ny - 1 ? [3] : []),
        ...(z === mz ? [4] : []),
        ...(z === mz + nz - 1 ? [5] : []),
      ];
      if (sides.length === 0) continue;
      let count = 0;
      for (let x = mx; x < mx + nx; x++) count += 1 - isAir(x, row);
      for (const side of sides) material[side] += count;
    }
  }
  return regionSides.filter((_, side) => material[side] >= minCutCells);
}

/**
 * Finds air at the border of a region that is a void and not the outside: it does not extend from one side of the
 * region to the opposite one, does not contain a corner, and is no larger than a tenth of the material. Air that
 * extends across is left to the rolling ball, which separates narrow channels.
 * @param air bits of all air, in a margin of air
 * @param target receives the bits of these voids
 * @returns whether there are any
 */
export async function findCutVoids(
  { air, materialVoxels, target }: { air: number; materialVoxels: number; target: number },
  stage: BitStage,
): Promise<boolean> {
  const { grid, arena } = stage;
  const mark = arena.mark();
  const within = allocateBits(arena, grid);
  await copyRegion(air, within, stage);
  const parts = await findComponents(within, 26, stage);
  const table = await arena.run(tabulate, { grid, components: parts, mask: 0 });
  const corners = listCorners(arena, grid, parts);
  const map = new Uint32Array(parts.count).fill(dropped);
  let found = false;
  for (let c = 0; c < parts.count; c++) {
    const sides = listSides(table, c, grid);
    if (sides.length === 0 || isAcross(sides) || corners.has(c)) continue;
    if (table.voxels[c] > largestCutShare * materialVoxels) continue;
    map[c] = 0;
    found = true;
  }
  if (found) {
    const { numbers, runCount } = parts;
    await arena.run(renumber, { numbers, runCount, map });
    await paintComponent(parts, target, stage);
  }
  arena.release(mark);
  return found;
}

/**
 * Cells of outer air that touches the border only at sides that cut the part: it may be the outside, or a void that is
 * larger than the region shows.
 * @param outerAir bits of all air that belongs to no void, without the margin
 */
export async function countDoubtfulAir(
  outerAir: number,
  cutSides: readonly RegionSide[],
  stage: BitStage,
): Promise<number> {
  const { grid, arena } = stage;
  const mark = arena.mark();
  const parts = await findComponents(outerAir, 26, stage);
  const table = await arena.run(tabulate, { grid, components: parts, mask: 0 });
  let cells = 0;
  for (let c = 0; c < parts.count; c++)
    if (listSides(table, c, grid).every((side) => cutSides.includes(side))) cells += table.voxels[c];
  arena.release(mark);
  return cells;
}

/** Copies the bits of a region without its margin. */
export async function copyRegion(bits: number, target: number, stage: BitStage): Promise<void> {
  const { grid, arena } = stage;
  const input = { grid, bits, target };
  const range = { from: 0, to: grid.planes, size: 16 * planesPerTask(grid, stage) };
  await inPieces(arena, range, (zFrom, zTo) => arena.run(clearMargin, { ...input, zFrom, zTo }));
}

/** Sides of the region that a component touches, or approaches within this many cells along each axis. */
export const listSides = (
  { boxes }: ComponentTable,
  component: number,
  { margin, cells }: BitGrid,
  within: readonly number[] = [0, 0, 0],
): RegionSide[] =>
  regionSides.filter((_, side) => {
    const k = side >> 1;
    return side % 2 === 0
      ? boxes[6 * component + k] <= margin[k] + within[k]
      : boxes[6 * component + 3 + k] >= margin[k] + cells[k] - 1 - within[k];
  });

const isAcross = (sides: readonly RegionSide[]): boolean =>
  ['x', 'y', 'z'].some((axis) => sides.filter((side) => side.startsWith(axis)).length === 2);

/** Components that contain a corner of the region. */
function listCorners({ memory }: Arena, grid: BitGrid, components: Components): Set<number> {
  const starts = new Uint32Array(memory.buffer, components.starts, grid.rows * grid.planes + 1);
  const runs = new Uint32Array(memory.buffer, components.runs, components.runCount);
  const numbers = new Uint32Array(memory.buffer, components.numbers, components.runCount);
  const found = new Set<number>();
  for (let corner = 0; corner < 8; corner++) {
    const [x, y, z] = grid.margin.map((first, k) =>
      (corner >> k) & 1 ? first + grid.cells[k] - 1 : first,
    ) as Vector3;
    const row = z * grid.rows + y;
    for (let i = starts[row]; i < starts[row + 1]; i++)
      if ((runs[i] & 0xffff) <= x && x <= runs[i] >>> 16) found.add(numbers[i]);
  }
  return found;
}
