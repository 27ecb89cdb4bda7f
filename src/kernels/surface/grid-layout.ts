/** Where a grid of grey values lies in the arena, as the kernels see it. */
export interface GridLayout {
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

/** A grid that is in the arena whole, or comes into it window by window. */
export interface GreyGrid {
  /** what holds everywhere; placing the edges changes it */
  readonly layout: GridLayout;
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
  async eachWindow(_, { progress }, work) {
    await work(layout, 0, layout.cells[2] + 2);
    progress?.(1);
  },
});
