import type { Arena } from '../arena.ts';
import type { MeshFacts } from '../mesh/measure.ts';
import type { KernelInput } from '../simd/webassembly.ts';
import { defineTask, type OnArena } from '../task.ts';
import type { ArenaSurface } from './extract.ts';
import type { GridLayout } from './grid-layout.ts';
import { eachPiece, listPieces } from './pieces.ts';
import type { SurfacePiece } from './surface-piece.ts';

/** Triangles per partial sum. Partial sums are added in order, whichever thread computed them. */
const summedAtOnce = 65_536;

/** Six times the volume relative to a point, and twice the area, of triangles first … last−1; `sums`: two f64. */
const sumTriangles = defineTask(
  import.meta.url,
  'sumTriangles',
  (kernels, input: OnArena & KernelInput<'sumTriangles'>): [number, number] => {
    kernels.sumTriangles(input);
    const [volume6, area2] = new Float64Array(kernels.memory.buffer, input.sums, 2);
    return [volume6, area2];
  },
);

/** Joins connected vertices within a piece; returns whether its triangle sides match one another. */
const connectPiece = defineTask(
  import.meta.url,
  'connectPiece',
  (
    kernels,
    input: OnArena & SurfacePiece & { indices: number; parents: number; scratch: number },
  ): boolean => {
    kernels.joinVertices({ ...input, first: input.own });
    return kernels.sidesMatch(input) === 1;
  },
);

/** Joins the pieces where they meet; returns the number of connected components. */
const joinPieces = defineTask(
  import.meta.url,
  'joinPieces',
  (
    kernels,
    input: OnArena & KernelInput<'countParts'> & { indices: number; pieces: readonly SurfacePiece[] },
  ): number => {
    const { indices, pieces, parents } = input;
    for (const { first, own } of pieces) kernels.joinSeam({ indices, first, last: own, parents });
    return kernels.countParts(input);
  },
);

/**
 * measureMesh for an isosurface in the arena, on all threads, without the bounds (placing the surface gives them). The
 * result does not depend on the number of threads and pieces. Temporary memory: 4 bytes a vertex, and 24 bytes a vertex
 * of one piece on each thread.
 * @param fewest smallest number of vertices per piece; set by tests only
 */
export async function measureSurface(
  grid: GridLayout,
  surface: ArenaSurface,
  arena: Arena,
  fewest?: number,
): Promise<Omit<MeshFacts, 'boundsMm'>> {
  const { positions, indices, vertices, triangles } = surface;
  const mark = arena.mark();
  const mesh = { indices };
  const pieces = listPieces(surface, grid, arena, fewest);
  const largest = (of: (piece: SurfacePiece) => number) =>
    pieces.reduce((most, piece) => Math.max(most, of(piece)), 0);
  const scratchBytes =
    4 * (largest(({ from, to }) => to - from) + 1 + 3 * largest(({ first, last }) => last - first));
  const parents = arena.allocate(vertices * 4, 'Measuring the mesh');
  const lanes = Array.from({ length: arena.threads }, () =>
    arena.allocate(Math.max(16, scratchBytes), 'Measuring the mesh'),
  );
  // Tetrahedra from the grid's centre cancel less than from its corner.
  const [ox, oy, oz] = grid.cells.map((n, k) => ((n - 1) / 2) * grid.voxelSizeMm[k]);
  const chunks = Array.from({ length: Math.ceil(triangles / summedAtOnce) }, (_, i) => ({
    first: i * summedAtOnce,
    last: Math.min(triangles, (i + 1) * summedAtOnce),
  }));
  const sums = await eachPiece(arena, chunks, sumTriangles, (chunk, lane) => ({
    ...mesh,
    ...chunk,
    positions,
    ox,
    oy,
    oz,
    sums: lanes[lane],
  }));
  const closed = await eachPiece(arena, pieces, connectPiece, (piece, lane) => ({
    ...mesh,
    ...piece,
    parents,
    scratch: lanes[lane],
  }));
  const joined = { ...mesh, pieces, from: 0, to: vertices, parents };
  const components = await arena.run(joinPieces, joined);
  arena.release(mark);
  let [volume6, area2] = [0, 0];
  for (const [volume, area] of sums) {
    volume6 += volume;
    area2 += area;
  }
  const watertight = triangles > 0 && closed.every(Boolean);
  return {
    vertices,
    triangles,
    volumeMm3: watertight ? volume6 / 6 : null,
    volumeReason: watertight ? null : 'The surface is not closed.',
    areaMm2: area2 / 2,
    watertight,
    components,
  };
}
