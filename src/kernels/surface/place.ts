/** Pieces of a surface on their way from the grid's own axes into the scan's frame. */
import type { Grid, Vector3 } from '../grid/volume.ts';

/**
 * Turns and moves vertices into the scan's frame.
 * @param positions xyz in mm along the grid's axes from its first cell; 3 · vertices, as all of these
 * @param origin where the first cell's centre lies in the scan's frame, in mm
 * @returns the box around them, in mm; infinite and inside out for none
 */
export function placeVertices(
  positions: Float32Array,
  normals: Float32Array,
  d: Grid['directions'],
  origin: Vector3,
  placedPositions: Float32Array,
  placedNormals: Float32Array,
): { min: Vector3; max: Vector3 } {
  const min: Vector3 = [Infinity, Infinity, Infinity];
  const max: Vector3 = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      const value =
        origin[k] + d[k] * positions[i] + d[3 + k] * positions[i + 1] + d[6 + k] * positions[i + 2];
      placedPositions[i + k] = value;
      // As it is kept, so that the box is exactly around what is kept.
      const kept = placedPositions[i + k];
      if (kept < min[k]) min[k] = kept;
      if (kept > max[k]) max[k] = kept;
      placedNormals[i + k] = d[k] * normals[i] + d[3 + k] * normals[i + 1] + d[6 + k] * normals[i + 2];
    }
  }
  return { min, max };
}

/** Copies triangles, on demand turning the other way round. */
export function turnTriangles(indices: Uint32Array, target: Uint32Array, mirrored: boolean): void {
  target.set(indices);
  if (!mirrored) return;
  for (let t = 0; t < indices.length; t += 3) {
    target[t + 1] = indices[t + 2];
    target[t + 2] = indices[t + 1];
  }
}
