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
  /**
   * grey value of air and how far above it material lies, in the grid's own units: edges are taken for sharp, and placed by
   * what share of a cell they fill; span 0: placed by straight lines between cells; below: by cubics, for smooth values
   */
  air: number;
  span: number;
  /** as a share of the span, how far cells beside an edge may be off material and air to be summed over it; 0: none are */
  pure: number;
}
