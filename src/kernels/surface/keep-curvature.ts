import type { KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import type { ArenaSurface } from './extract.ts';
import type { GridLayout } from './grid-layout.ts';
import { eachPiece, piecesOf } from './pieces.ts';
import { spreadTable } from './point-spread.ts';
import { type GreyFilter, weightsAlong } from './smoothing.ts';

/** No vertex is moved further than this, in voxels: more would no longer be a correction. */
const farthest = 0.4;

/**
 * What of the triangles' chords is given back: whole, the volume would be right and the area too large, as corners of triangles
 * then lie outside of the body; this is between the two.
 */
const chordShare = 5 / 6;

/** Where a surface is as round as an edge: how far it lies inside of the true one over its curvature, in cells² of the mean edge. */
const edgeShrinkage = ({ sigma }: GreyFilter) => (sigma > 0 ? 0.265 + 0.26 * sigma ** 2 : 0.32);

/** Curvature of edges, in 1 / voxel: there it is a mean over the nearest vertices only. */
const edgeCurvature = 0.12;

/**
 * Moves every vertex outward by what its curvature has cost: grey values that are averaged over cells, by the blur and by the
 * filter shrink round bodies, fill bores, and round edges, by what point-spread.ts says of each direction; and chords lie
 * inside of arcs. Flat faces stay where they are. Curvature is how normals turn along the triangles, as a mean over the
 * neighbours, of edges over the next ones and of all else over three rings, so that it is the body's and not a
 * triangle's. In place; the same for every number of threads and pieces. Memory: 33 bytes a vertex, given back.
 * @param fewest vertices of a piece at least; only tests set it
 */
export async function keepCurvature(
  grid: GridLayout,
  surface: ArenaSurface,
  filter: GreyFilter,
  blurVariance: number,
  pool: KernelPool,
  arena: Arena,
  signal?: AbortSignal,
  fewest?: number,
): Promise<void> {
  const { memory } = arena;
  const { positions, normals, indices, vertices } = surface;
  const mark = arena.mark();
  const own = arena.allocate(vertices * 16, 'The surface');
  const around = arena.allocate(vertices * 16, 'The surface');
  const moved = arena.allocate(vertices, 'The surface');
  arena.bytes(moved, vertices).fill(0);
  const edges = grid.voxelSizeMm;
  const cell2 = edges.reduce((sum, edge) => sum + edge * edge, 0) / 3;
  const limit = farthest * Math.min(...edges);
  const table = spreadTable({
    voxelSizeMm: edges,
    blurVariance,
    weights: weightsAlong(filter, edges),
    byLines: grid.span >= 0,
  });
  const tableAt = arena.allocate(4 * table.length, 'The surface');
  arena.floats(tableAt, table.length).set(table);
  const pieces = piecesOf(surface, grid, arena, fewest);
  const add = (source: number, target: number) =>
    eachPiece(pool, pieces, signal, 'addNeighbours', (piece) => ({
      memory,
      ...piece,
      indices,
      source,
      target,
    }));
  const move = { memory, positions, normals, sums: around, limit, moved };
  const moveBy = (squared: number, least: number) =>
    eachPiece(pool, pieces, signal, 'moveByShifts', (piece) => ({ ...move, ...piece, squared, least }));
  await eachPiece(pool, pieces, signal, 'spreadShifts', (piece) => ({
    memory,
    ...piece,
    indices,
    positions,
    normals,
    table: tableAt,
    chord: chordShare,
    sums: own,
  }));
  await add(own, around);
  await moveBy(edgeShrinkage(filter) * cell2 + blurVariance, edgeCurvature / Math.min(...edges));
  await add(around, own);
  await add(own, around);
  await moveBy(0, 0);
  arena.release(mark);
}
