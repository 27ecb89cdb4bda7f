/** Where the field of view cuts a part: the surface there is the scan's end, not the part's. */
import type { Grid } from '../grid/volume.ts';

/** Voxels from the outermost centres in which a surface that is closed at the border bends towards it. */
const bentVoxels = 1.5;

/** Which points lie within a grid, `marginVoxels` inside of its outermost centres; 1 each. */
function pointsWithin(positions: Float32Array | Float64Array, grid: Grid, marginVoxels: number): Uint8Array {
  const { directions: d, voxelSizeMm: s, originMm: o, dimensions } = grid;
  const isWithin = new Uint8Array(positions.length / 3);
  for (let p = 0; p < isWithin.length; p++) {
    const u = positions[3 * p] - o[0];
    const v = positions[3 * p + 1] - o[1];
    const w = positions[3 * p + 2] - o[2];
    let inside = 1;
    for (let k = 0; k < 3; k++) {
      const cell = (d[3 * k] * u + d[3 * k + 1] * v + d[3 * k + 2] * w) / s[k];
      if (!(cell >= marginVoxels && cell <= dimensions[k] - 1 - marginVoxels)) inside = 0;
    }
    isWithin[p] = inside;
  }
  return isWithin;
}

/**
 * Which vertices of a volume's surface are of the part itself; undefined when the part ends within the volume, and all are.
 * Beyond the outermost voxels' centres there is only what closes the surface.
 */
export function verticesInView(positions: Float32Array, grid: Grid): Uint8Array | undefined {
  return pointsWithin(positions, grid, 0).includes(0) ? pointsWithin(positions, grid, bentVoxels) : undefined;
}

/** Which points, in the scan's frame, the volume shows; 1 each. */
export const pointsInView = (positions: Float64Array, grid: Grid): Uint8Array =>
  pointsWithin(positions, grid, bentVoxels);
