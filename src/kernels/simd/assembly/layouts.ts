// Layouts that are written into memory once and then passed by address; their fields are named in signatures.ts.

/** A grid of grey values including its shell, or the part of it in memory; see surface/grid-layout.ts. */
@unmanaged
export class Grid {
  /** address of plane 0, even if it is not in memory */
  points: usize;
  isU16: i32;
  /** elements from one row to the next, a multiple of 16 */
  stride: i32;
  /** grid points, including the shell */
  nx: i32;
  ny: i32;
  nz: i32;
  /** planes in memory, including the shell */
  planeFrom: i32;
  planeTo: i32;
  /** mm from one grid point to the next */
  sx: f32;
  sy: f32;
  sz: f32;
  iso: f32;
  air: f32;
  span: f32;
  pure: f32;
}

/**
 * State for extracting a surface: a bit per grid point in rows of words, counts per row, a row of zeros, the case
 * table.
 */
@unmanaged
export class Surface {
  bits: usize;
  words: i32;
  zero: usize;
  table: usize;
  rows: usize;
}

/** Blocks around a surface: their table and their number along each axis; see blocks.ts. */
@unmanaged
export class Blocks {
  table: usize;
  nx: i32;
  ny: i32;
  nz: i32;
}

/** One bit per cell of a region and the margin around it: rows of 64-bit words, y before z. */
@unmanaged
export class BitGrid {
  words: i32;
  rows: i32;
  planes: i32;
  marginX: i32;
  marginY: i32;
  marginZ: i32;
  /** cells of the region without margin */
  nx: i32;
  ny: i32;
  nz: i32;
}

/** Connected components as runs; see integrity/bit-layout.ts. */
@unmanaged
export class Components {
  starts: usize;
  runs: usize;
  numbers: usize;
}

/** How cells of a volume are converted to cells of a grid. */
@unmanaged
export class Loading {
  /** type and size of the source's cells; see convertRow */
  kind: i32;
  bytes: i32;
  /** cells per row and rows per plane of the source; the region's first cell in it */
  sourceNx: i32;
  sourceNy: i32;
  x0: i32;
  y0: i32;
  /** (value - offset) · gain, clamped to low … high; NaN becomes air */
  offset: f64;
  gain: f64;
  low: f32;
  high: f32;
  air: f32;
  /** in the source's own values; on which side of it NaN counts */
  level: f64;
  isNanAbove: i32;
  /** filter every cell, not only those near the level */
  everywhere: i32;
  /** right halves of the filter along each axis (f32), and their lengths minus one */
  radiusX: i32;
  radiusY: i32;
  radiusZ: i32;
  weightsX: usize;
  weightsY: usize;
  weightsZ: usize;
  /** rows filtered at a time */
  tileRows: i32;
}

/** The scan in which defects are measured, and the phases that separate them from their surroundings. */
@unmanaged
export class DefectScan {
  kind: i32;
  bytes: i32;
  /** cells per row; bytes from one plane to the next */
  pitch: i32;
  planeBytes: usize;
  /** (value - offset) · gain is 0 in air and 1 in material; the level and its lower and upper bound on the same scale */
  offset: f64;
  gain: f64;
  low: f64;
  level: f64;
  high: f64;
  /** mm */
  sizeX: f64;
  sizeY: f64;
  sizeZ: f64;
  /** bits of the phase that defects consist of; bits of cells that are neither defect nor surrounding material */
  phase: usize;
  others: usize;
  /** defects with lower numbers get triangles */
  meshed: u32;
  /** cases of the isosurface, 32 bytes each; directions of outermost vertices, f64 xyz */
  table: usize;
  directions: usize;
}

/** Buffers of one thread for measuring defects. */
@unmanaged
export class DefectRoom {
  tallies: usize;
  /** per triangle, up to the capacity in the tallies: f64 edges, then f32 corners of all, then u32 defect numbers */
  triangles: usize;
  /** a byte 255 per cell of a row, a u32 per cell, 4 bytes */
  nearest: usize;
  /** an i32 per cell of a row that is no row's number, and 84 bytes */
  seen: usize;
  /** two rows of bits with a word before and after, an f32 per cell of a row */
  deep: usize;
  /** six f64 */
  result: usize;
}

/** A grid's axes in the scan's frame, one after the other, and the position of its first cell's centre (mm). */
@unmanaged
export class Frame {
  d0: f64;
  d1: f64;
  d2: f64;
  d3: f64;
  d4: f64;
  d5: f64;
  d6: f64;
  d7: f64;
  d8: f64;
  ox: f64;
  oy: f64;
  oz: f64;
}

/** Blocks of a volume and their local levels; see levels/bricks.ts. */
@unmanaged
export class LevelCells {
  nx: i32;
  ny: i32;
  nz: i32;
  /** bricks */
  bx: i32;
  by: i32;
  bz: i32;
  /** f32 per block: grey values, and the values by which blocks are classified */
  means: usize;
  values: usize;
  /** f32 per brick: material is above the first, air below the second */
  above: usize;
  below: usize;
}

/** Triangles in boxes of four; see tree.ts. */
@unmanaged
export class Tree {
  wide: usize;
  packs: usize;
  /** per slot: f32 xyz of three corners; u32 number of its triangle */
  corners: usize;
  order: usize;
  /** longest side of the bounding box, and the largest coordinate in it, mm */
  extent: f64;
  size: f64;
}
