/** Where the field of view cuts a part, the surface is the end of the scan, not the part's own. */
import type { Grid } from '../grid/volume.ts';

/** Distance in voxels from the outermost centres within which a surface closed at the border bends towards it. */
const bentVoxels = 1.5;

/**
 * For each point 1 when it lies within a grid, at least `marginVoxels` inside of its outermost centres, otherwise 0.
 */
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
 * Marks the vertices of a volume's surface that belong to the part itself; undefined when the part ends within the
 * volume, so that all do. Beyond the outermost voxels' centres there are only the faces that close the surface.
 */
export function verticesInView(positions: Float32Array, grid: Grid): Uint8Array | undefined {
  return pointsWithin(positions, grid, 0).includes(0) ? pointsWithin(positions, grid, bentVoxels) : undefined;
}

/** For each point in the scan's frame 1 when the volume shows it, otherwise 0. */
export const pointsInView = (positions: Float64Array, grid: Grid): Uint8Array =>
  pointsWithin(positions, grid, bentVoxels);
