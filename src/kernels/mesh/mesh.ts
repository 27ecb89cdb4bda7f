/**
 * An indexed triangle mesh, in mm. Triangles turn counter-clockwise seen from outside (from air).
 */
export interface TriangleMesh {
  /** xyz of each vertex, in mm; 3 · vertices */
  positions: Float32Array;
  /** three vertex numbers a triangle; 3 · triangles */
  indices: Uint32Array;
  /** unit normal of each vertex, pointing out of the material; 3 · vertices */
  normals?: Float32Array;
  /** one value a vertex under the name that it travels with, such as `thicknessMm`; NaN = not measured */
  scalars?: Record<string, Float32Array>;
}
