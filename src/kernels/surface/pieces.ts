import { inPieces, type KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import type { ArenaSurface } from './extract.ts';
import type { GridLayout } from './grid-layout.ts';
import type { SurfacePiece } from './surface-piece.ts';

/** Vertices of a piece at least: a millisecond of work on each, and what it touches stays in the cache. */
const fewestVertices = 32_768;

/**
 * Cuts a surface into pieces of whole planes. A triangle's vertices lie in its own plane and in the next, so the
 * triangles of a piece and of the plane before it are all that touch its vertices: whoever sums over the triangles around each
 * vertex finds the same for every number of pieces, and no two pieces write to one place.
 * @param fewest vertices of a piece at least; only tests set it
 */
export function piecesOf(
  surface: ArenaSurface,
  grid: GridLayout,
  arena: Arena,
  fewest: number = fewestVertices,
): SurfacePiece[] {
  const [ny, nz] = [grid.cells[1] + 2, grid.cells[2] + 2];
  const { vertices, triangles, layout } = surface;
  const rows = arena.integers(layout.rows, 4 * ny * nz);
  const vertexAt = (z: number) => (z < nz ? rows[4 * z * ny] : vertices);
  const triangleAt = (z: number) => (z < nz ? rows[4 * z * ny + 3] : triangles);
  const pieces: SurfacePiece[] = [];
  for (let z = 0; z < nz; ) {
    let end = z + 1;
    while (end < nz && vertexAt(end) - vertexAt(z) < fewest) end++;
    // What is left over at the end is no piece of its own.
    if (vertices - vertexAt(end) < fewest / 2) end = nz;
    pieces.push({
      from: vertexAt(z),
      to: vertexAt(end),
      first: triangleAt(Math.max(0, z - 1)),
      own: triangleAt(z),
      last: triangleAt(end),
    });
    z = end;
  }
  return pieces;
}

/** Runs `work` on every piece, as many at once as the pool has threads; see inPieces. */
export const eachPiece = (
  pool: KernelPool,
  pieces: readonly SurfacePiece[],
  signal: AbortSignal | undefined,
  work: (piece: SurfacePiece, lane: number, number: number) => Promise<unknown>,
): Promise<void> =>
  inPieces(pool, { from: 0, to: pieces.length, size: 1 }, { signal }, async (number, _, lane) => {
    await work(pieces[number], lane, number);
  });
