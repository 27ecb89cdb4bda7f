/** Mean grey values deep in the material, along the axis of rotation. */
import type { SlabSource } from '../grid/volume.ts';

/** Means over a group of planes. */
export interface DeepPlanes {
  from: number;
  to: number;
  /** per column of cells, x fastest; NaN when none of its cells in these planes lies deep */
  means: Float32Array;
  /** number of cells of each mean */
  counts: Uint16Array;
}

/** Largest number of groups of planes, and smallest number of planes per group. */
const [maxGroups, minPlanes] = [16, 4];
/** Grey values in memory at once. */
const cellsAtOnce = 8e6;

/**
 * Reads the volume once. A cell is deep when all cells within `depth` along every axis are material. O(cells). Memory:
 * 6 bytes per column of cells and group of planes.
 */
export async function readDeepMeans(
  source: SlabSource,
  { level, depth }: { level: number; depth: number },
): Promise<DeepPlanes[]> {
  const [nx, ny, nz] = source.grid.dimensions;
  const plane = nx * ny;
  const width = 2 * depth + 1;
  const size = Math.max(minPlanes, Math.ceil(nz / maxGroups));
  const groups = Array.from({ length: Math.ceil(nz / size) }, (_, g) => ({
    from: g * size,
    to: Math.min(nz, (g + 1) * size),
    means: new Float32Array(plane),
    counts: new Uint16Array(plane),
  }));
  /**
   * per column of cells, number of consecutive planes in which it is deep; within a plane, number of consecutive deep
   * rows
   */
  const above = new Uint16Array(plane);
  const inColumn = new Uint16Array(nx);
  const last = Array.from({ length: depth + 1 }, () => new Float32Array(plane));
  const atOnce = Math.max(1, Math.floor(cellsAtOnce / plane));
  for (let first = 0; first < nz; first += atOnce) {
    const values: ArrayLike<number> = await source.readSlab(first, Math.min(nz, first + atOnce));
    for (let z = first; z < Math.min(nz, first + atOnce); z++) {
      const own = last[z % (depth + 1)];
      const begin = (z - first) * plane;
      for (let i = 0; i < plane; i++) own[i] = values[begin + i];
      const middle = z - depth;
      const { means, counts } = groups[Math.floor(Math.max(0, middle) / size)];
      const grey = last[(z + 1) % (depth + 1)];
      inColumn.fill(0);
      for (let y = 0; y < ny; y++) {
        let inRow = 0;
        for (let x = 0; x < nx; x++) {
          inRow = own[y * nx + x] > level ? inRow + 1 : 0;
          // The cell in the centre of these is `depth` columns and rows earlier.
          const column = x - depth;
          if (column < 0) continue;
          inColumn[column] = inRow >= width ? inColumn[column] + 1 : 0;
          if (y < depth) continue;
          const at = (y - depth) * nx + column;
          above[at] = inColumn[column] >= width ? above[at] + 1 : 0;
          if (above[at] < width) continue;
          means[at] += grey[at];
          counts[at]++;
        }
      }
    }
  }
  for (const { means, counts } of groups)
    for (let i = 0; i < plane; i++) means[i] = counts[i] > 0 ? means[i] / counts[i] : Number.NaN;
  return groups;
}
