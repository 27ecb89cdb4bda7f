import type { KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import type { ArenaSurface } from './extract.ts';
import type { GridLayout } from './grid-layout.ts';
import { eachPiece, piecesOf } from './pieces.ts';

const passes = 12;
/** How much of its roughness a vertex loses in one pass. */
const shareMoved = 0.8;
/** Beyond this many medians a height is an edge's, not the noise's. */
const edgeMedians = 12;
/** Normals that are spread by more than this many medians, and this share at least, are an edge's; told apart to this part of 1. */
const spreadMedians = 3;
const leastSpread = 0.002;
const spreadSteps = 4096;
/** Heights are told apart to this part of a voxel, up to a quarter of one. */
const binsPerVoxel = 8192;

/**
 * Evens out the roughness that noise leaves on a surface: each vertex moves along its normal to where its neighbours and
 * the normals there would have it. Normals are means over two rings, so that they are the body's, and are held as they are
 * (after Ohtake, Belyaev, Bogaevski 2001, doi:10.1016/S0010-4485(01)00095-1): curvature stays, and what is unevenly cut
 * into triangles gets no rougher by it, as it does where a vertex moves to the middle of its neighbours. Places where
 * normals differ as they do beside an edge stay as they are; how rough the surface is and how much its normals
 * differ, it says itself (the medians). In place; the same for every number of threads and pieces.
 * O(triangles); memory 32 bytes a vertex, given back.
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
  // Of the two for normals, the first makes room for heights once the means are taken.
  const first = arena.allocate(vertices * 16, 'The surface');
  const smooth = arena.allocate(vertices * 16, 'The surface');
  const heights = first;
  const ofVertex = first + 4 * vertices;
  const voxelMm = Math.min(...grid.voxelSizeMm);
  const bins = binsPerVoxel / 4;
  const counts = Array.from({ length: pool.threads }, () => arena.allocate(bins * 4, 'The surface'));
  const width = voxelMm / binsPerVoxel;
  const options = { signal };
  const pieces = piecesOf(surface, grid, arena, fewest);
  const around = (source: number, target: number) =>
    eachPiece(pool, pieces, signal, (piece) =>
      pool.run('addNeighbours', { memory, ...piece, indices, source, target }, options),
    );
  await eachPiece(pool, pieces, signal, (piece) =>
    pool.run('spreadNormals', { memory, ...piece, normals, sums: smooth }, options),
  );
  await around(smooth, first);
  await around(first, smooth);
  await eachPiece(pool, pieces, signal, (piece) =>
    pool.run('unitNormals', { memory, ...piece, sums: smooth, heights }, options),
  );
  /** Median amount of the heights, told apart by `width`. */
  const medianHeight = async (width: number) => {
    for (const address of counts) arena.integers(address, bins).fill(0);
    await eachPiece(pool, pieces, signal, (piece, lane) =>
      pool.run('countRoughness', { memory, ...piece, heights, width, bins, counts: counts[lane] }, options),
    );
    const total = new Float64Array(bins);
    for (const address of counts) {
      for (const [bin, count] of arena.integers(address, bins).entries()) total[bin] += count;
    }
    return width * (0.5 + medianBin(total, vertices));
  };
  // Beside an edge the mean over two rings is no face's normal.
  const most = Math.max(leastSpread, spreadMedians * (await medianHeight(1 / spreadSteps)));
  await eachPiece(pool, pieces, signal, (piece) =>
    pool.run('markEven', { memory, ...piece, heights, limit: most, smooth }, options),
  );
  await eachPiece(pool, pieces, signal, (piece) =>
    pool.run('countTriangles', { memory, ...piece, indices, counts: ofVertex }, options),
  );
  for (let pass = 0; pass < passes; pass++) {
    await eachPiece(pool, pieces, signal, (piece) =>
      pool.run(
        'neighbourHeights',
        { memory, ...piece, indices, positions, smooth, counts: ofVertex, heights },
        options,
      ),
    );
    const limit = edgeMedians * (await medianHeight(width));
    const move = { memory, positions, normals, smooth, heights, share: shareMoved, limit };
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
