/** Where what tells a surface's shape lies in the arena: bits of its cells, rows of numbers, a row of zeros, the table of cases. */
export interface SurfaceLayout {
  bits: number;
  words: number;
  zero: number;
  table: number;
  rows: number;
}
