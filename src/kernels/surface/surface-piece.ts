/** Part of an isosurface: the vertices of some planes, which follow one another as their triangles do. */
export interface SurfacePiece {
  /** vertices from … to−1 */
  from: number;
  to: number;
  /** triangles first … last−1 are all that touch them; from `own` on they lie in the piece's own planes */
  first: number;
  own: number;
  last: number;
}
