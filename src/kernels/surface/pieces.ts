import type { Arena } from '../arena.ts';
import { inPieces } from '../pool.ts';
import type { OnArena, Task } from '../task.ts';
import type { ArenaSurface } from './extract.ts';
import type { GridLayout } from './grid-layout.ts';
import type { SurfacePiece } from './surface-piece.ts';

/** Smallest number of vertices in a piece: a millisecond of work, and its data stays in the cache. */
const minVertices = 32_768;

/**
 * Cuts a surface into pieces of whole planes. A triangle's vertices lie in its own plane and in the next, so only the
 * triangles of a piece and of the plane before it touch the piece's vertices: sums over the triangles around each
 * vertex do not depend on the number of pieces, and no two pieces write to the same place.
 * @param fewest smallest number of vertices per piece; set by tests only
 */
export function listPieces(
  surface: ArenaSurface,
  grid: GridLayout,
  arena: Arena,
  fewest: number = minVertices,
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
    // A small remainder joins the last piece.
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

/** Memory on each thread for the vertices of one piece; addresses by lane. */
export function pieceScratch(
  pieces: readonly SurfacePiece[],
  bytesPerVertex: number,
  arena: Arena,
): number[] {
  const most = pieces.reduce((largest, { from, to }) => Math.max(largest, to - from), 0);
  return Array.from({ length: arena.threads }, () => arena.allocate(most * bytesPerVertex, 'The surface'));
}

/** Largest number of pieces in one task: some hundredths of a second. */
const maxPiecesPerTask = 8;

/**
 * Runs a task on every piece; each thread takes several pieces at a time. Outputs are in the order of the pieces.
 * @param makeInput the task's input for a piece; for lane numbers see inPieces
 */
export async function eachPiece<Input extends OnArena, Output, Piece>(
  arena: Arena,
  pieces: readonly Piece[],
  task: Task<Input, Output>,
  makeInput: (piece: Piece, lane: number) => NoInfer<Omit<Input, 'memory'>>,
): Promise<Output[]> {
  const outputs: Output[] = [];
  const together = Math.ceil(pieces.length / (4 * arena.threads));
  const range = { from: 0, to: pieces.length, size: Math.min(maxPiecesPerTask, Math.max(1, together)) };
  await inPieces(arena, range, async (from, to, lane) => {
    const inputs = pieces.slice(from, to).map((piece) => makeInput(piece, lane));
    for (const [i, output] of (await arena.runEach(task, inputs)).entries()) outputs[from + i] = output;
  });
  return outputs;
}
