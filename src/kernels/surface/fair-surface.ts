import type { Arena } from '../arena.ts';
import type { KernelPool } from '../pool.ts';
import { kernelTasks, type OnArena, type Task } from '../task.ts';
import type { ArenaSurface } from './extract.ts';
import type { GridLayout } from './grid-layout.ts';
import { eachPiece, listPieces, pieceScratch } from './pieces.ts';
import type { SurfacePiece } from './surface-piece.ts';

const passes = 12;
/** How much of its roughness a vertex loses in one pass. */
const shareMoved = 0.8;
/** Means over so many rings of what vertices were moved by are taken back: that is no roughness. */
const rings = 5;
/** How far towards the middle of its neighbours a vertex goes along the surface. */
const shareAlong = 0.7;
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
 * differ, it says itself (the medians). What neighbours were moved by alike is taken back, as beside edges, where all of them
 * would move outward and the volume with them. At last vertices move along the surface, and their normals with them, to where the
 * triangles are even: slivers have more area than the body. In place; the same for every number of threads and pieces.
 * O(triangles); memory 32 bytes a vertex, and for each thread as many a vertex of a piece; given back.
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
  const smooth = arena.allocate(vertices * 16, 'The surface');
  // Room for normals, until the means are taken; then for heights, and at last for moves.
  const room = arena.allocate(vertices * 16, 'The surface');
  const [heights, moves] = [room, room];
  const [moved, ...means] = [4, 8, 12].map((bytes) => room + bytes * vertices);
  const voxelMm = Math.min(...grid.voxelSizeMm);
  const bins = binsPerVoxel / 4;
  const counts = Array.from({ length: pool.threads }, () => arena.allocate(bins * 4, 'The surface'));
  const pieces = listPieces(surface, grid, arena, fewest);
  const scratch = pieceScratch(pieces, 32, pool, arena);
  const each = <Input extends OnArena>(
    task: Task<Input, void>,
    makeInput: (piece: SurfacePiece & OnArena, lane: number) => NoInfer<Input>,
  ) => eachPiece(pool, pieces, signal, task, (piece, lane) => makeInput({ memory, ...piece }, lane));
  await each(kernelTasks.spreadNormals, (piece) => ({ ...piece, normals, sums: smooth }));
  await each(kernelTasks.addNeighbours, (piece) => ({ ...piece, indices, source: smooth, target: room }));
  await each(kernelTasks.addNeighbours, (piece) => ({ ...piece, indices, source: room, target: smooth }));
  await each(kernelTasks.unitNormals, (piece) => ({ ...piece, sums: smooth, heights }));
  /** Median amount of what is counted in steps of `width` meanwhile. */
  const median = async (width: number, count: () => Promise<unknown>) => {
    for (const address of counts) arena.integers(address, bins).fill(0);
    await count();
    const total = new Float64Array(bins);
    for (const address of counts) {
      for (const [bin, count] of arena.integers(address, bins).entries()) total[bin] += count;
    }
    return width * (0.5 + medianBin(total, vertices));
  };
  const spread = await median(1 / spreadSteps, () =>
    each(kernelTasks.countHeights, (piece, lane) => ({
      ...piece,
      heights,
      width: 1 / spreadSteps,
      bins,
      counts: counts[lane],
    })),
  );
  // Beside an edge the mean over two rings is no face's normal.
  const limit = Math.max(leastSpread, spreadMedians * spread);
  await each(kernelTasks.markEven, (piece) => ({ ...piece, heights, limit, smooth }));
  const width = voxelMm / binsPerVoxel;
  const around = { positions, smooth, indices };
  arena.bytes(moved, 4 * vertices).fill(0);
  for (let pass = 0; pass < passes; pass++) {
    const roughness = await median(width, () =>
      each(kernelTasks.neighbourHeights, (piece, lane) => ({
        ...{ ...piece, ...around, heights, width, bins },
        ...{ counts: counts[lane], scratch: scratch[lane] },
      })),
    );
    const move = { positions, normals, heights, share: shareMoved, limit: edgeMedians * roughness };
    await each(kernelTasks.moveByHeights, (piece) => ({ ...piece, ...move, moved }));
  }
  let [source, target] = [moved, means[0]];
  for (let ring = 0; ring < rings; ring++) {
    await each(kernelTasks.neighbourMeans, (piece, lane) => ({
      ...{ ...piece, indices, source, target },
      ...{ scratch: scratch[lane] },
    }));
    [source, target] = [target, means[(ring + 1) % 2]];
  }
  await each(kernelTasks.moveBack, (piece) => ({ ...piece, positions, normals, smooth, moved: source }));
  const relax = { ...around, normals, share: shareAlong, moves };
  await each(kernelTasks.movesAlong, (piece, lane) => ({ ...piece, ...relax, scratch: scratch[lane] }));
  await each(kernelTasks.moveAlong, (piece) => ({ ...piece, positions, moves }));
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
