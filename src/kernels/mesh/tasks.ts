/** What measuring and writing a surface's triangles run on threads; see ../tasks.ts. */
import type { Grid, Vector3 } from '../grid/volume.ts';
import type { Kernels, WasmMemory } from '../simd/webassembly.ts';
import type { SurfacePiece } from '../surface/surface-piece.ts';

interface OnArena {
  memory: WasmMemory;
}
/** Vertices from … to−1. */
interface VertexTask extends OnArena {
  from: number;
  to: number;
}
/** Vertices from … to−1, and triangles first … last−1 of a mesh, which are all that touch them. */
interface PieceTask extends VertexTask {
  indices: number;
  first: number;
  last: number;
}

export const meshTasks = {
  vertexAreas(kernels: Kernels, input: PieceTask & { positions: number; areas: number }): void {
    const { positions, from, to, indices, first, last, areas } = input;
    kernels.vertexAreas(positions, from, to, indices, first, last, areas);
  },

  /** Vertices from … to−1 into the scan's frame: positions, then normals, to `target`, 24 bytes a vertex and 24 for the box around. */
  placeVertices(
    kernels: Kernels,
    input: VertexTask & {
      positions: number;
      normals: number;
      target: number;
      origin: Vector3;
      directions: Grid['directions'];
    },
  ) {
    const { from, to, positions, normals, target, origin, directions } = input;
    const bytes = 12 * (to - from);
    const box = target + 2 * bytes;
    kernels.placeVertices(
      positions + 12 * from,
      normals + 12 * from,
      to - from,
      ...directions,
      ...origin,
      target,
      target + bytes,
      box,
    );
    const [x, y, z, ...max] = new Float32Array(kernels.memory.buffer, box, 6);
    return { min: [x, y, z] as Vector3, max: max as Vector3 };
  },

  /** Triangles from … to−1 to `target` (12 bytes each). */
  turnTriangles(
    kernels: Kernels,
    input: VertexTask & { indices: number; target: number; mirrored: boolean },
  ): void {
    const { from, to, indices, target, mirrored } = input;
    kernels.turnTriangles(indices + 12 * from, to - from, Number(mirrored), target);
  },

  /** Six times the volume over `middle` and twice the area of triangles first … last−1; `sums`: two f64. */
  sumTriangles(
    kernels: Kernels,
    input: OnArena & {
      positions: number;
      indices: number;
      first: number;
      last: number;
      middle: number[];
      sums: number;
    },
  ): [number, number] {
    const { positions, indices, first, last, middle, sums } = input;
    kernels.sumTriangles(positions, indices, first, last, ...middle, sums);
    const [volume6, area2] = new Float64Array(kernels.memory.buffer, sums, 2);
    return [volume6, area2];
  },

  /** Joins the vertices of a piece that are connected within it; gives whether its sides match one another. */
  connectPiece(
    kernels: Kernels,
    input: PieceTask & { own: number; parents: number; scratch: number },
  ): boolean {
    const { from, to, indices, first, own, last, parents, scratch } = input;
    kernels.joinVertices(from, to, indices, own, last, parents);
    return kernels.sidesMatch(from, to, indices, first, last, scratch) === 1;
  },

  /** Joins the pieces where they meet; gives how many connected parts there are. */
  joinPieces(
    kernels: Kernels,
    input: OnArena & { indices: number; vertices: number; pieces: readonly SurfacePiece[]; parents: number },
  ): number {
    const { indices, vertices, pieces, parents } = input;
    for (const { first, own } of pieces) kernels.joinSeam(indices, first, own, parents);
    return kernels.countParts(0, vertices, parents);
  },
};
