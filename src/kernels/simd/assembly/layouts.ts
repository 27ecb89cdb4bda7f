// What is written into memory once and then passed by its address; its fields are named in signatures.ts.

/** A grid of grey values in its shell, or the part of it that is in memory; see surface/grid-layout.ts. */
@unmanaged
export class Grid {
  /** of plane 0, or where that would be */
  points: usize;
  isU16: i32;
  /** elements from one row to the next, a multiple of 16 */
  stride: i32;
  /** grid points, those of the shell among them */
  nx: i32;
  ny: i32;
  nz: i32;
  /** planes in memory, those of the shell among them */
  planeFrom: i32;
  planeTo: i32;
  /** mm from one to the next */
  sx: f32;
  sy: f32;
  sz: f32;
  iso: f32;
  air: f32;
  span: f32;
  pure: f32;
}

/** What tells a surface's shape: a bit a grid point in rows of words, numbers of rows, a row of zeros, the table of cases. */
@unmanaged
export class Surface {
  bits: usize;
  words: i32;
  zero: usize;
  table: usize;
  rows: usize;
}

/** Blocks around a surface: a table of them, as many along each axis; see blocks.ts. */
@unmanaged
export class Blocks {
  table: usize;
  nx: i32;
  ny: i32;
  nz: i32;
}

/** One bit a cell of a region in a margin of further cells: rows of 64-bit words, y before z. */
@unmanaged
export class BitGrid {
  words: i32;
  rows: i32;
  planes: i32;
  marginX: i32;
  marginY: i32;
  marginZ: i32;
  /** cells of the region itself */
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

/** How the cells of a volume become those of a grid. */
@unmanaged
export class Loading {
  /** of the source's cells; see convertRow */
  kind: i32;
  bytes: i32;
  /** cells in a row of the source and rows in a plane; the region's first cell in them */
  sourceNx: i32;
  sourceNy: i32;
  x0: i32;
  y0: i32;
  /** (value - offset) · gain, within low … high; NaN: air */
  offset: f64;
  gain: f64;
  low: f32;
  high: f32;
  air: f32;
  /** in the source's own values; which side of it NaN is on */
  level: f64;
  isNanAbove: i32;
  /** filter every cell, and not only those near the level */
  everywhere: i32;
  /** right halves of the filter along each axis (f32), and their lengths less one */
  radiusX: i32;
  radiusY: i32;
  radiusZ: i32;
  weightsX: usize;
  weightsY: usize;
  weightsZ: usize;
  /** rows filtered at once */
  tileRows: i32;
}

/** The scan that defects are measured in, and what they are told from. */
@unmanaged
export class DefectScan {
  kind: i32;
  bytes: i32;
  /** cells in a row, bytes from plane to plane */
  pitch: i32;
  planeBytes: usize;
  /** (value - offset) · gain is 0 in air and 1 in material; the level and its lower and upper bound, likewise */
  offset: f64;
  gain: f64;
  low: f64;
  level: f64;
  high: f64;
  /** mm */
  sizeX: f64;
  sizeY: f64;
  sizeZ: f64;
  /** bits of the phase that defects are made of; of what is neither defect nor the material around */
  phase: usize;
  others: usize;
  /** defects with lower numbers give triangles */
  meshed: u32;
  /** the cases of the isosurface, 32 bytes each; directions of outermost vertices, f64 xyz */
  table: usize;
  directions: usize;
}

/** A thread's room for what it measures of defects. */
@unmanaged
export class DefectRoom {
  tallies: usize;
  /** for each of as many as the tallies say there is room for: f64 edges, after all of these f32 corners, and u32 defects */
  triangles: usize;
  /** a byte 255 a cell of a row, a u32 a cell, 4 bytes */
  nearest: usize;
  /** an i32 a cell of a row, not a row's number, and 84 bytes */
  seen: usize;
  /** two rows of bits with a word before and after, an f32 a cell of a row */
  deep: usize;
  /** six f64 */
  result: usize;
}

/** A grid's axes in the scan's frame, one after the other, and where its first cell's centre lies there (mm). */
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

/** Blocks of a volume and what is known of their levels; see levels/bricks.ts. */
@unmanaged
export class LevelCells {
  nx: i32;
  ny: i32;
  nz: i32;
  /** bricks */
  bx: i32;
  by: i32;
  bz: i32;
  /** f32 a block: grey values, and what kinds are told by */
  means: usize;
  values: usize;
  /** f32 a brick: material is above, air below */
  above: usize;
  below: usize;
}

/** Triangles in boxes of four; see tree.ts. */
@unmanaged
export class Tree {
  wide: usize;
  packs: usize;
  /** f32 xyz of three corners a slot; u32 a slot: number of its triangle */
  corners: usize;
  order: usize;
  /** longest side of the box around all, and the largest coordinate in it, mm */
  extent: f64;
  size: f64;
}
