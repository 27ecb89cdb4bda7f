/** An indexed triangle mesh, in mm. Triangles are counter-clockwise seen from outside (from air). */
export interface TriangleMesh {
  /** xyz of each vertex, in mm; 3 · vertices */
  positions: Float32Array;
  /** three vertex numbers per triangle; 3 · triangles */
  indices: Uint32Array;
  /** unit normal of each vertex, pointing out of the material; 3 · vertices */
  normals?: Float32Array;
  /** one value per vertex, by name, such as `thicknessMm`; NaN = not measured */
  scalars?: Record<string, Float32Array>;
}
