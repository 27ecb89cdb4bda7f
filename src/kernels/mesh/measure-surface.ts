import type { KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import type { ArenaSurface } from '../surface/extract.ts';
import type { GridLayout } from '../surface/grid-layout.ts';
import { eachPiece, piecesOf } from '../surface/pieces.ts';
import type { SurfacePiece } from '../surface/surface-piece.ts';
import type { MeshFacts } from './measure.ts';

/** Triangles that are added up at once; the sums of these follow one another, whoever computed them. */
const summedAtOnce = 65_536;

/**
 * What measureMesh finds, of an isosurface in the arena on all threads; its bounds are known to who places it. The same
 * for every number of threads and pieces. Memory: 4 bytes a vertex, and for each thread 24 a vertex of a piece; given back.
 * @param fewest vertices of a piece at least; only tests set it
 */
export async function measureSurface(
  grid: GridLayout,
  surface: ArenaSurface,
  pool: KernelPool,
  arena: Arena,
  signal?: AbortSignal,
  fewest?: number,
): Promise<Omit<MeshFacts, 'boundsMm'>> {
  const { memory } = arena;
  const { positions, indices, vertices, triangles } = surface;
  const mark = arena.mark();
  const mesh = { memory, indices, vertices, triangles };
  const pieces = piecesOf(surface, grid, arena, fewest);
  const largest = (of: (piece: SurfacePiece) => number) =>
    pieces.reduce((most, piece) => Math.max(most, of(piece)), 0);
  const scratchBytes =
    4 * (largest(({ from, to }) => to - from) + 1 + 3 * largest(({ first, last }) => last - first));
  const parents = arena.allocate(vertices * 4, 'Measuring the mesh');
  const lanes = Array.from({ length: pool.threads }, () =>
    arena.allocate(Math.max(16, scratchBytes), 'Measuring the mesh'),
  );
  // Tetrahedra from the middle of the grid: less cancellation than from its corner.
  const middle = grid.cells.map((n, k) => ((n - 1) / 2) * grid.voxelSizeMm[k]);
  const chunks = Array.from({ length: Math.ceil(triangles / summedAtOnce) }, (_, i) => ({
    first: i * summedAtOnce,
    last: Math.min(triangles, (i + 1) * summedAtOnce),
  }));
  const sums = await eachPiece(pool, chunks, signal, 'sumTriangles', (chunk, lane) => ({
    ...mesh,
    ...chunk,
    positions,
    middle,
    sums: lanes[lane],
  }));
  const closed = await eachPiece(pool, pieces, signal, 'connectPiece', (piece, lane) => ({
    ...mesh,
    ...piece,
    parents,
    scratch: lanes[lane],
  }));
  const components = await pool.run('joinPieces', { ...mesh, pieces, parents }, { signal });
  arena.release(mark);
  let [volume6, area2] = [0, 0];
  for (const [volume, area] of sums) {
    volume6 += volume;
    area2 += area;
  }
  return {
    vertices,
    triangles,
    volumeMm3: volume6 / 6,
    areaMm2: area2 / 2,
    watertight: triangles > 0 && closed.every(Boolean),
    components,
  };
}
