/** Mean grey values of what lies deep in the material, along the axis of rotation. */
import type { SlabSource } from '../grid/volume.ts';

/** What some planes have in common. */
export interface DeepPlanes {
  from: number;
  to: number;
  /** of each column of cells, x fastest; NaN where none of its cells in these planes lies deep */
  means: Float32Array;
  /** how many cells each is of */
  counts: Uint16Array;
}

/** Groups of planes at most, and the planes of one at least. */
const [mostGroups, leastPlanes] = [16, 4];
/** Grey values in memory at once. */
const cellsAtOnce = 8e6;

/**
 * Reads the volume once. Deep is a cell all of whose neighbours up to `depth` cells away along every axis are material.
 * O(cells). Memory: 6 bytes for each column of cells and group of planes.
 */
export async function readDeepMeans(
  source: SlabSource,
  { level, depth }: { level: number; depth: number },
  signal?: AbortSignal,
): Promise<DeepPlanes[]> {
  const [nx, ny, nz] = source.grid.dimensions;
  const plane = nx * ny;
  const width = 2 * depth + 1;
  const size = Math.max(leastPlanes, Math.ceil(nz / mostGroups));
  const groups = Array.from({ length: Math.ceil(nz / size) }, (_, g) => ({
    from: g * size,
    to: Math.min(nz, (g + 1) * size),
    means: new Float32Array(plane),
    counts: new Uint16Array(plane),
  }));
  /** of each column of cells, how many in a row lie deep within their planes; within a plane, how many lie deep in their rows */
  const above = new Uint16Array(plane);
  const inColumn = new Uint16Array(nx);
  const last = Array.from({ length: depth + 1 }, () => new Float32Array(plane));
  const atOnce = Math.max(1, Math.floor(cellsAtOnce / plane));
  for (let first = 0; first < nz; first += atOnce) {
    signal?.throwIfAborted();
    const values: ArrayLike<number> = await source.readSlab(first, Math.min(nz, first + atOnce), signal);
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
          // The cell that these lie around is `depth` columns and rows before.
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
