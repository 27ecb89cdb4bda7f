import type { Arena } from '../arena.ts';
import { kernelTasks, type OnArena, type Task } from '../task.ts';
import type { ArenaSurface } from './extract.ts';
import type { GridLayout } from './grid-layout.ts';
import { eachPiece, listPieces, pieceScratch } from './pieces.ts';
import type { SurfacePiece } from './surface-piece.ts';

const passes = 12;
/** Share of its roughness that a vertex loses in one pass. */
const shareMoved = 0.8;
/** Displacements averaged over this many rings are undone: they are not roughness. */
const rings = 5;
/** Share of the way to the centre of its neighbours that a vertex moves within the surface. */
const shareAlong = 0.7;
/** Heights above this multiple of the median belong to edges, not to noise. */
const edgeMedians = 12;
/**
 * Normals whose spread exceeds this multiple of the median, and the absolute share below, belong to an edge; spread is
 * resolved to 1 / spreadSteps.
 */
const spreadMedians = 3;
const minSpread = 0.002;
const spreadSteps = 4096;
/** Height histogram: resolution in bins per voxel, up to a quarter of a voxel. */
const binsPerVoxel = 8192;

/**
 * Removes the roughness that noise leaves on a surface: each vertex moves along its normal to the height predicted by
 * its neighbours and the normals there. Normals are means over two rings, so that they follow the body, and stay fixed
 * (after Ohtake, Belyaev, Bogaevski 2001, doi:10.1016/S0010-4485(01)00095-1): curvature is kept, and uneven
 * triangulation adds no roughness, as it would if vertices moved to the centre of their neighbours. Places where
 * normals vary as beside an edge are left alone; the thresholds follow from the surface itself (medians of roughness
 * and of normal spread). Displacements that neighbours share are undone, for example beside edges, where all vertices
 * would move outward and add volume. Finally vertices move within the surface, with their normals, until the triangles
 * are even: slivers add area. In place; the result does not depend on the number of threads and pieces. O(triangles);
 * temporary memory 32 bytes a vertex, and 32 bytes a vertex of one piece on each thread.
 * @param fewest smallest number of vertices per piece; set by tests only
 */
export async function fairSurface(
  grid: GridLayout,
  surface: ArenaSurface,
  arena: Arena,
  fewest?: number,
): Promise<void> {
  const { positions, normals, indices, vertices } = surface;
  const mark = arena.mark();
  const smooth = arena.allocate(vertices * 16, 'The surface');
  // Holds normals until they are averaged, then heights, finally displacements.
  const room = arena.allocate(vertices * 16, 'The surface');
  const [heights, moves] = [room, room];
  const [moved, ...means] = [4, 8, 12].map((bytes) => room + bytes * vertices);
  const voxelMm = Math.min(...grid.voxelSizeMm);
  const bins = binsPerVoxel / 4;
  const counts = Array.from({ length: arena.threads }, () => arena.allocate(bins * 4, 'The surface'));
  const pieces = listPieces(surface, grid, arena, fewest);
  const scratch = pieceScratch(pieces, 32, arena);
  const each = <Input extends OnArena>(
    task: Task<Input, void>,
    makeInput: (piece: SurfacePiece, lane: number) => NoInfer<Omit<Input, 'memory'>>,
  ) => eachPiece(arena, pieces, task, makeInput);
  await each(kernelTasks.spreadNormals, (piece) => ({ ...piece, normals, sums: smooth }));
  await each(kernelTasks.addNeighbours, (piece) => ({ ...piece, indices, source: smooth, target: room }));
  await each(kernelTasks.addNeighbours, (piece) => ({ ...piece, indices, source: room, target: smooth }));
  await each(kernelTasks.unitNormals, (piece) => ({ ...piece, sums: smooth, heights }));
  /** Median of the values that `count` adds to the histogram, with bins of this width. */
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
  // Beside an edge the mean over two rings is not the normal of a face.
  const limit = Math.max(minSpread, spreadMedians * spread);
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
