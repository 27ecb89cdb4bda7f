import type { KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import type { ArenaSurface } from './extract.ts';
import type { GridLayout } from './grid-layout.ts';

const passes = 5;
/** How much of its roughness a vertex loses in one pass. */
const shareMoved = 0.6;
/** Beyond this many medians a height is an edge's, not the noise's. */
const edgeMedians = 5;
/** Heights are told apart to this part of a voxel, up to a quarter of one. */
const binsPerVoxel = 8192;

/**
 * Evens out the roughness that noise leaves on a surface: each vertex moves along its normal towards the middle of its
 * neighbours, less what the vertices around do on average, so that curvature stays (a bi-Laplacian flow, Desbrun,
 * Meyer, Schröder, Barr 1999, doi:10.1145/311535.311576). Whatever stands out of the roughness, as edges do, stays where
 * it is; how rough the surface is, it says itself (the median). In place; serial, so the same for every number of
 * threads. O(triangles); memory 28 bytes a vertex, given back.
 */
export async function fairSurface(
  grid: GridLayout,
  surface: ArenaSurface,
  pool: KernelPool,
  arena: Arena,
  signal?: AbortSignal,
): Promise<void> {
  const { memory } = arena;
  const { positions, normals, indices, vertices, triangles } = surface;
  const mark = arena.mark();
  const sums = arena.allocate(vertices * 16, 'The surface');
  const [heights, means, between] = [0, 1, 2].map(() => arena.allocate(vertices * 4, 'The surface'));
  const voxelMm = Math.min(...grid.voxelSizeMm);
  const bins = binsPerVoxel / 4;
  const counts = arena.allocate(bins * 4, 'The surface');
  const mesh = { memory, vertices, indices, triangles };
  const options = { signal };
  for (let pass = 0; pass < passes; pass++) {
    await pool.run('sumNeighbours', { ...mesh, positions, sums }, options);
    await pool.run('neighbourHeights', { memory, positions, normals, vertices, sums, heights }, options);
    await pool.run('meanOfNeighbours', { ...mesh, from: heights, to: between, sums }, options);
    await pool.run('meanOfNeighbours', { ...mesh, from: between, to: means, sums }, options);
    const width = voxelMm / binsPerVoxel;
    await pool.run('countRoughness', { memory, heights, means, vertices, width, bins, counts }, options);
    const limit = edgeMedians * width * (0.5 + medianBin(arena.integers(counts, bins), vertices));
    const move = { memory, positions, normals, vertices, heights, means, share: shareMoved, limit };
    await pool.run('moveByRoughness', move, options);
  }
  arena.release(mark);
}

function medianBin(counts: Uint32Array, total: number): number {
  let sum = 0;
  for (const [bin, count] of counts.entries()) {
    sum += count;
    if (2 * sum >= total) return bin;
  }
  return counts.length - 1;
}
