import type { Arena } from '../arena.ts';
import type { Address } from '../simd/webassembly.ts';
import type { OnArena } from '../task.ts';

/** Location of a grid of grey values in the arena, as the kernels see it. */
export interface GridLayout {
  /** address of the struct that kernels read */
  at: Address<'Grid'>;
  /** address of the first plane, or where it would be if it were in memory */
  address: number;
  /** planes from … to−1 that are in memory, counted with the border */
  planes: [from: number, to: number];
  /** 1: u16, 0: f32 */
  isU16: 0 | 1;
  /** elements from one row to the next, a multiple of 16 */
  stride: number;
  /** cells of the region; the grid itself has one more on every side */
  cells: [number, number, number];
  voxelSizeMm: [number, number, number];
  /** the surface's level, in the grid's own units */
  iso: number;
  /**
   * grey value of air, and the contrast above it, in the grid's own units. Positive span: edges are assumed sharp and
   * placed by the share of a cell that they fill; 0: linear interpolation between cells; negative: cubic interpolation,
   * for smooth values
   */
  air: number;
  span: number;
  /**
   * tolerance, as a share of the span, within which cells beside an edge count as pure material or air and are summed;
   * 0: no summing
   */
  pure: number;
}

/** Fields of a grid that change: which planes are in memory and where, and how edges are placed. */
const changing = ({ address, planes, iso, air, span, pure }: Omit<GridLayout, 'at'>) => ({
  points: address,
  planeFrom: planes[0],
  planeTo: planes[1],
  iso,
  air,
  span,
  pure,
});

/** Writes the grid's struct into the arena, for the kernels. */
export function placeGrid(arena: Arena, grid: Omit<GridLayout, 'at'>): GridLayout {
  const { isU16, stride, cells, voxelSizeMm } = grid;
  const [nx, ny, nz] = cells.map((n) => n + 2);
  const [sx, sy, sz] = voxelSizeMm;
  const at = arena.place('Grid', { ...changing(grid), isU16, stride, nx, ny, nz, sx, sy, sz });
  return { ...grid, at };
}

/** Updates the changing fields of the grid's struct. */
export const changeGrid = (arena: Arena, grid: GridLayout): void =>
  arena.change('Grid', grid.at, changing(grid));

/** The planes of a grid that are in memory. */
export function listPlanes(
  buffer: SharedArrayBuffer,
  { address, planes, stride, cells, isU16 }: GridLayout,
): Uint16Array | Float32Array {
  const plane = stride * (cells[1] + 2);
  const first = address + planes[0] * plane * (isU16 ? 2 : 4);
  const count = plane * (planes[1] - planes[0]);
  return isU16 ? new Uint16Array(buffer, first, count) : new Float32Array(buffer, first, count);
}

/** Vertices from … to−1 of a surface in the arena, for tasks that read the grid at them. */
export interface VerticesOnGrid extends OnArena {
  grid: GridLayout;
  positions: number;
  normals: number;
  from: number;
  to: number;
}

/** A grid that is either in memory as a whole or loaded window by window. */
export interface GreyGrid {
  /** fields that hold for all windows; placing the edges changes it */
  readonly layout: GridLayout;
  /** true when there is a single window and nothing has to be read for it */
  readonly isWhole: boolean;
  /**
   * Runs `work` on all planes in order, the border included: on planes zFrom … zTo−1 of a grid that also has at least
   * `reach` more planes in memory on either side, as far as they exist.
   */
  eachWindow(
    reach: number,
    work: (grid: GridLayout, zFrom: number, zTo: number) => Promise<void>,
    progress?: (fraction: number) => void,
  ): Promise<void>;
}

/** A grid in memory as a whole, as a single window. */
export const inOneWindow = (layout: GridLayout): GreyGrid => ({
  layout,
  isWhole: true,
  async eachWindow(_, work, progress) {
    await work(layout, 0, layout.cells[2] + 2);
    progress?.(1);
  },
});
