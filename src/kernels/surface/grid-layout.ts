/** Where a grid of grey values lies in the arena, as the kernels see it. */
export interface GridLayout {
  address: number;
  /** 1: u16, 0: f32 */
  isU16: 0 | 1;
  /** elements from one row to the next, a multiple of 16 */
  stride: number;
  /** cells of the region; the grid itself has one more on every side */
  cells: [number, number, number];
  voxelSizeMm: [number, number, number];
  /** the surface's level, in the grid's own units */
  iso: number;
  /** grey value of air and how far above it material lies, in the grid's own units; span 0 = not known */
  air: number;
  span: number;
}
