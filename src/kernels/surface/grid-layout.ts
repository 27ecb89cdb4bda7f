import type { Arena } from '../arena.ts';
import type { Address } from '../simd/webassembly.ts';

/** Where a grid of grey values lies in the arena, as the kernels see it. */
export interface GridLayout {
  /** of what kernels read of it */
  at: Address<'Grid'>;
  /** of the first plane, or where that would be */
  address: number;
  /** planes from … to−1 that are in memory, counted with the shell */
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
   * grey value of air and how far above it material lies, in the grid's own units: edges are taken for sharp, and placed by
   * what share of a cell they fill; span 0: placed by straight lines between cells; below: by cubics, for smooth values
   */
  air: number;
  span: number;
  /** as a share of the span, how far cells beside an edge may be off material and air to be summed over it; 0: none are */
  pure: number;
}

/** Fields of a grid that change: which of its planes are in memory and where, and how its edges are placed. */
const changing = ({ address, planes, iso, air, span, pure }: Omit<GridLayout, 'at'>) => ({
  points: address,
  planeFrom: planes[0],
  planeTo: planes[1],
  iso,
  air,
  span,
  pure,
});

/** Says to the kernels what a grid is. */
export function placeGrid(arena: Arena, grid: Omit<GridLayout, 'at'>): GridLayout {
  const { isU16, stride, cells, voxelSizeMm } = grid;
  const [nx, ny, nz] = cells.map((n) => n + 2);
  const [sx, sy, sz] = voxelSizeMm;
  const at = arena.place('Grid', { ...changing(grid), isU16, stride, nx, ny, nz, sx, sy, sz });
  return { ...grid, at };
}

/** Says to the kernels what has changed of a grid. */
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

/** A grid that is in the arena whole, or comes into it window by window. */
export interface GreyGrid {
  /** what holds everywhere; placing the edges changes it */
  readonly layout: GridLayout;
  /** It has a single window, for which nothing is read. */
  readonly isWhole: boolean;
  /**
   * Runs `work` on all planes in turn, those of the shell among them: planes zFrom … zTo−1 of a grid that has in memory
   * at least `reach` more on either side, as far as there are any.
   */
  eachWindow(
    reach: number,
    options: { signal?: AbortSignal | undefined; progress?: ((fraction: number) => void) | undefined },
    work: (grid: GridLayout, zFrom: number, zTo: number) => Promise<void>,
  ): Promise<void>;
}

/** A grid that is in the arena whole, as one window. */
export const inOneWindow = (layout: GridLayout): GreyGrid => ({
  layout,
  isWhole: true,
  async eachWindow(_, { progress }, work) {
    await work(layout, 0, layout.cells[2] + 2);
    progress?.(1);
  },
});
