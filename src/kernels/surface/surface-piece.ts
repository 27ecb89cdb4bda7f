/** Part of an isosurface: the vertices and triangles of some consecutive planes. */
export interface SurfacePiece {
  /** vertices from … to−1 */
  from: number;
  to: number;
  /** triangles first … last−1 are all that touch these vertices; those from `own` on lie in the piece's own planes */
  first: number;
  own: number;
  last: number;
}
