import type { KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import type { ArenaSurface } from './extract.ts';
import type { GridLayout } from './grid-layout.ts';
import type { GreyFilter } from './smoothing.ts';

/** No vertex is moved further than this, in voxels: more would no longer be a correction. */
const farthest = 0.3;

/**
 * How far a surface of mean curvature H lies inside of the true one, as the factor of H, in cells² of the mean edge.
 * Unfiltered: the mean over a cell's length gives 1/12, triangles as chords 1/8, straight lines between grid points the
 * rest. Filtered: what the filter leaves over where a surface runs askew to the axes. The sums were found on a ball of 20
 * voxels' radius; balls, tori, boxes and tubes of other sizes confirm them in docs/accuracy.md.
 */
const shrinkage = ({ sigma }: GreyFilter) => (sigma > 0 ? 0.19 + 0.26 * sigma ** 2 : 0.29);

/**
 * Moves every vertex outward by what its curvature has cost: chords instead of arcs and grey values averaged over cells
 * shrink round bodies by a part that grows with 1 / radius, fill bores, and round edges. Flat faces stay where they
 * are. Curvature is a mean over the neighbours, so that it is the body's and not a triangle's. In place; serial, so the
 * same for every number of threads. Memory: 32 bytes a vertex, given back.
 */
export async function keepCurvature(
  grid: GridLayout,
  surface: ArenaSurface,
  filter: GreyFilter,
  pool: KernelPool,
  arena: Arena,
  signal?: AbortSignal,
): Promise<void> {
  const { memory } = arena;
  const { positions, indices, vertices, triangles } = surface;
  const mark = arena.mark();
  const own = arena.allocate(vertices * 16, 'The surface');
  const around = arena.allocate(vertices * 16, 'The surface');
  const mesh = { memory, vertices, indices, triangles };
  await pool.run('areaGradients', { ...mesh, positions, sums: own }, { signal });
  await pool.run('addNeighbours', { ...mesh, from: own, to: around }, { signal });
  const edges = grid.voxelSizeMm;
  const squared = (shrinkage(filter) * edges.reduce((sum, edge) => sum + edge * edge, 0)) / 3;
  const limit = farthest * Math.min(...edges);
  await pool.run(
    'moveByCurvature',
    { memory, positions, vertices, sums: around, squared, limit },
    { signal },
  );
  arena.release(mark);
}
