import type { Arena } from '../arena.ts';
import type { Kernels } from '../simd/webassembly.ts';
import { defineTask, kernelTasks, type OnArena, type Task } from '../task.ts';
import type { ArenaSurface } from './extract.ts';
import type { GridLayout } from './grid-layout.ts';
import { eachPiece, listPieces, pieceScratch } from './pieces.ts';
import type { GreyFilter } from './smoothing.ts';
import type { SurfacePiece } from './surface-piece.ts';

/** Largest displacement of a vertex, in voxels; more would no longer be a correction. */
const farthest = 0.4;

/**
 * Distance by which a surface of mean curvature H lies inside the true surface, divided by H, in cells² of the mean
 * edge. Unfiltered: averaging over a cell gives 1/12, linear interpolation between grid points the rest, and triangles
 * as chords about 1/12: their volume would need 1/8, but then the area gets too large where triangles are uneven.
 * Filtered: what the filter leaves where a surface runs diagonal to the axes. The values were found on balls and tori
 * of 7 to 20 voxels' radius; boxes and tubes of other sizes confirm them in docs/accuracy.md.
 */
const shrinkage = ({ sigma }: GreyFilter, blurCells2: number) =>
  sigma > 0 ? 0.195 + (0.26 * sigma ** 2) / (1 + blurCells2 / steepCells2) : 0.25;

/** Additional loss where a surface is as strongly curved as an edge or a pore of a few voxels. */
const edgeShrinkage = 0.07;

/** The filter's remaining loss falls with the squared width of the edge: it is halved at this variance. */
const steepCells2 = 1.2;

/** Variance, along each direction, of averaging over a vertex and its neighbours, in cells² of the mean edge. */
const ringVariance = 1 / 3;

/** Curvature above which a vertex belongs to an edge, in 1 / voxel; there the mean covers the nearest vertices only. */
const edgeCurvature = 0.2;

/**
 * Moves every vertex outward by the loss due to its curvature: chords instead of arcs, and averaging over cells, shrink
 * round bodies in proportion to 1 / radius, fill bores and round edges. Flat faces stay in place. Gaussian blur of the
 * scan adds its variance (mm²) to the loss. Curvature is averaged over neighbours, so that it is that of the body and
 * not of a triangle: at edges over the nearest vertices, elsewhere over three rings without the edges. At edges, where
 * curvature varies from place to place, the second order of the loss is restored, too. In place; the result does not
 * depend on the number of threads and pieces. Temporary memory: 33 bytes a vertex, and 16 bytes a vertex of one piece
 * on each thread.
 * @param fewest smallest number of vertices per piece; set by tests only
 */
export async function keepCurvature(
  grid: GridLayout,
  surface: ArenaSurface,
  { filter, blurVariance }: { filter: GreyFilter; blurVariance: number },
  arena: Arena,
  fewest?: number,
): Promise<void> {
  const { positions, indices, vertices } = surface;
  const mark = arena.mark();
  const [own, around] = [0, 1].map(() => arena.allocate(vertices * 16, 'The surface'));
  const moved = arena.allocate(vertices, 'The surface');
  arena.bytes(moved, vertices).fill(0);
  const edges = grid.voxelSizeMm;
  const cell2 = edges.reduce((sum, edge) => sum + edge * edge, 0) / 3;
  const squared = (blurCells2: number) => shrinkage(filter, blurCells2) * cell2 + blurVariance;
  const limit = farthest * Math.min(...edges);
  const pieces = listPieces(surface, grid, arena, fewest);
  const scratch = pieceScratch(pieces, 16, arena);
  const each = <Input extends OnArena>(
    task: Task<Input, void>,
    input: NoInfer<Omit<Input, keyof SurfacePiece | 'memory' | 'scratch'>>,
  ) =>
    eachPiece(
      arena,
      pieces,
      task,
      (piece, lane) => ({ ...piece, ...input, scratch: scratch[lane] }) as never,
    );
  const add = (source: number, target: number) =>
    each(kernelTasks.addNeighbours, { indices, source, target });
  const move = { positions, indices, limit, moved };
  await each(kernelTasks.areaGradients, { indices, positions, sums: own });
  await add(own, around);
  const edge = squared(0) + edgeShrinkage * cell2;
  await each(moveEdges, {
    ...move,
    sums: around,
    squared: edge,
    // Half the square of the first order, times the second derivative, which is what one more ring has taken off.
    beyond: edge ** 2 / (2 * ringVariance * cell2),
    least: edgeCurvature / Math.min(...edges),
  });
  await each(kernelTasks.forgetMoved, { sums: own, moved });
  await add(own, around);
  await add(around, own);
  await each(moveRest, { ...move, sums: own, squared: squared(blurVariance / cell2) });
  arena.release(mark);
}

type Moving = OnArena &
  SurfacePiece & {
    positions: number;
    indices: number;
    /** of the piece's vertices and their neighbours */
    sums: number;
    squared: number;
    limit: number;
    moved: number;
    /** 16 bytes a vertex of the piece */
    scratch: number;
  };

/**
 * Sums over one more ring, for a piece's vertices only. Returns the address at which the sums of vertex 0 would begin.
 */
function addRing(kernels: Kernels, { sums, scratch, ...piece }: Moving): number {
  const target = scratch - 16 * piece.from;
  kernels.addNeighbours({ ...piece, source: sums, target });
  return target;
}

const moveEdges = defineTask(
  import.meta.url,
  'moveEdges',
  (kernels, input: Moving & { beyond: number; least: number }): void => {
    kernels.moveByCurvature({ ...input, around: addRing(kernels, input) });
  },
);

/** Moves the remaining vertices by sums over one more ring. */
const moveRest = defineTask(import.meta.url, 'moveRest', (kernels, input: Moving): void => {
  const sums = addRing(kernels, input);
  kernels.moveByCurvature({ ...input, sums, around: sums, beyond: 0, least: 0 });
});
