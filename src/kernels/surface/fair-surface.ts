import type { KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import type { ArenaSurface } from './extract.ts';
import type { GridLayout } from './grid-layout.ts';
import { eachPiece, piecesOf } from './pieces.ts';

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
 * it is; how rough the surface is, it says itself (the median). In place; the same for every number of threads and pieces.
 * O(triangles); memory 28 bytes a vertex, given back.
 * @param fewest vertices of a piece at least; only tests set it
 */
export async function fairSurface(
  grid: GridLayout,
  surface: ArenaSurface,
  pool: KernelPool,
  arena: Arena,
  signal?: AbortSignal,
  fewest?: number,
): Promise<void> {
  const { memory } = arena;
  const { positions, normals, indices, vertices } = surface;
  const mark = arena.mark();
  const sums = arena.allocate(vertices * 16, 'The surface');
  const [heights, means, between] = [0, 1, 2].map(() => arena.allocate(vertices * 4, 'The surface'));
  const voxelMm = Math.min(...grid.voxelSizeMm);
  const bins = binsPerVoxel / 4;
  const counts = Array.from({ length: pool.threads }, () => arena.allocate(bins * 4, 'The surface'));
  const width = voxelMm / binsPerVoxel;
  const options = { signal };
  const pieces = piecesOf(surface, grid, arena, fewest);
  for (let pass = 0; pass < passes; pass++) {
    await eachPiece(pool, pieces, signal, (piece) =>
      pool.run('neighbourHeights', { memory, ...piece, indices, positions, normals, sums, heights }, options),
    );
    const mean = (source: number, target: number) =>
      eachPiece(pool, pieces, signal, (piece) =>
        pool.run('meanOfNeighbours', { memory, ...piece, indices, source, target, sums }, options),
      );
    await mean(heights, between);
    await mean(between, means);
    for (const address of counts) arena.integers(address, bins).fill(0);
    await eachPiece(pool, pieces, signal, (piece, lane) =>
      pool.run(
        'countRoughness',
        { memory, ...piece, heights, means, width, bins, counts: counts[lane] },
        options,
      ),
    );
    const total = new Float64Array(bins);
    for (const address of counts) {
      for (const [bin, count] of arena.integers(address, bins).entries()) total[bin] += count;
    }
    const limit = edgeMedians * width * (0.5 + medianBin(total, vertices));
    const move = { memory, positions, normals, heights, means, share: shareMoved, limit };
    await eachPiece(pool, pieces, signal, (piece) =>
      pool.run('moveByRoughness', { ...move, ...piece }, options),
    );
  }
  arena.release(mark);
}

function medianBin(counts: Float64Array, total: number): number {
  let sum = 0;
  for (const [bin, count] of counts.entries()) {
    sum += count;
    if (2 * sum >= total) return bin;
  }
  return counts.length - 1;
}
