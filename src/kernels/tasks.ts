/**
 * What may be run on a thread, by name: pure synchronous functions over the arena's memory. Each is small as a rule
 * (a tenth of a second), so that work can be stopped between two of them; a thread pool ends what takes longer.
 */

import { gridTasks } from './grid/tasks.ts';
import { integrityTasks } from './integrity/tasks.ts';
import { meshTasks } from './mesh/tasks.ts';
import { reconstructionTasks } from './reconstruction/tasks.ts';
import type { Kernels, WasmMemory } from './simd/webassembly.ts';
import { spatialTasks } from './spatial/tasks.ts';
import { type EdgeVariances, edgeVariances, type Slopes } from './surface/edge-blur.ts';
import type { GridLayout } from './surface/grid-layout.ts';
import { type Interfaces, settleInterfaces } from './surface/settle.ts';
import type { SurfaceLayout } from './surface/surface-layout.ts';
import { textureTasks } from './texture/tasks.ts';
import { thicknessTasks } from './thickness/tasks.ts';

export interface OnArena {
  memory: WasmMemory;
}
interface Planes extends OnArena {
  zFrom: number;
  zTo: number;
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
/** Vertices from … to−1, one f32 each, and how many have which amount. */
interface Heights extends VertexTask {
  heights: number;
  width: number;
  bins: number;
  counts: number;
}
/** The planes of a grid that are in memory. */
function planesOf({ memory: { buffer } }: Kernels, { address, planes, stride, cells, isU16 }: GridLayout) {
  const plane = stride * (cells[1] + 2);
  const first = address + planes[0] * plane * (isU16 ? 2 : 4);
  const count = plane * (planes[1] - planes[0]);
  return isU16 ? new Uint16Array(buffer, first, count) : new Float32Array(buffer, first, count);
}

export const tasks = {
  ...gridTasks,
  ...integrityTasks,
  ...meshTasks,
  ...reconstructionTasks,
  ...spatialTasks,
  ...textureTasks,
  ...thicknessTasks,

  /** Source planes → grid, smoothed, with the shell in x and y filled. */
  loadSlab(
    kernels: Kernels,
    input: Planes & {
      grid: GridLayout;
      kind: number;
      bytesPerCell: number;
      source: number;
      sourceFrom: number;
      sourceTo: number;
      sourceSize: [number, number];
      firstCell: [number, number];
      offset: number;
      gain: number;
      range: [number, number];
      air: number;
      /** in the source's own values */
      level: number;
      isNanAbove: boolean;
      everywhere: boolean;
      radius: [number, number, number];
      weights: [number, number, number];
      scratch: number;
      tileRows: number;
    },
  ): void {
    const { grid } = input;
    const [nx, ny, nz] = grid.cells;
    kernels.loadSlab(
      input.kind,
      input.source,
      input.sourceFrom,
      input.sourceTo,
      ...input.sourceSize,
      ...input.firstCell,
      nx,
      ny,
      nz,
      input.zFrom,
      input.zTo,
      input.offset,
      input.gain,
      ...input.range,
      input.air,
      input.level,
      input.isNanAbove ? 2 : 1,
      Number(input.everywhere),
      ...input.radius,
      ...input.weights,
      input.scratch,
      input.tileRows,
      input.bytesPerCell,
      grid.address,
      grid.isU16,
      grid.stride,
    );
    kernels.pad(grid.address, grid.isU16, grid.stride, nx, ny, input.zFrom, input.zTo, grid.iso);
  },

  /** The first and the last plane of the shell, where they are in memory. */
  padEnds(kernels: Kernels, { grid }: OnArena & { grid: GridLayout }): void {
    const [, ny, nz] = grid.cells;
    kernels.padEnds(grid.address, grid.isU16, grid.stride, ny, nz, ...grid.planes, grid.iso);
  },

  /** Which grid points of padded planes zFrom … zTo−1 are material. */
  classify(kernels: Kernels, input: Planes & { grid: GridLayout; surface: SurfaceLayout }): void {
    const { grid, surface } = input;
    const ny = grid.cells[1] + 2;
    kernels.classify(
      grid.address,
      grid.isU16,
      grid.stride,
      surface.words,
      grid.iso,
      surface.bits,
      input.zFrom * ny,
      input.zTo * ny,
    );
  },

  countRows(kernels: Kernels, input: Planes & { grid: GridLayout; surface: SurfaceLayout }): void {
    const { grid, surface } = input;
    kernels.countRows(
      surface.bits,
      surface.words,
      grid.cells[1] + 2,
      grid.cells[2] + 2,
      input.zFrom,
      input.zTo,
      surface.zero,
      surface.table,
      surface.rows,
    );
  },

  /** Counts of the rows → first numbers, after the planes below; gives vertices and triangles until then. */
  sumRows(
    kernels: Kernels,
    input: Planes & { grid: GridLayout; surface: SurfaceLayout; totals: number },
  ): [number, number] {
    const { grid, surface, zFrom, zTo } = input;
    const ny = grid.cells[1] + 2;
    kernels.sumRows(surface.rows, zFrom * ny, zTo * ny, input.totals);
    const [vertices, triangles] = new Uint32Array(kernels.memory.buffer, input.totals, 2);
    return [vertices, triangles];
  },

  writeSurface(
    kernels: Kernels,
    input: Planes & {
      grid: GridLayout;
      surface: SurfaceLayout;
      scratch: number;
      positions: number;
      normals: number;
      indices: number;
    },
  ): void {
    const { grid, surface } = input;
    const [nx, ny, nz] = grid.cells;
    kernels.writeSurface(
      grid.address,
      grid.isU16,
      grid.stride,
      grid.iso,
      grid.air,
      grid.span,
      grid.pure,
      ...grid.voxelSizeMm,
      surface.bits,
      surface.words,
      nx + 2,
      ny + 2,
      nz + 2,
      input.zFrom,
      input.zTo,
      surface.zero,
      surface.table,
      surface.rows,
      input.scratch,
      input.positions,
      input.normals,
      input.indices,
    );
  },

  /** Gradient of the area and the area itself at each vertex: `sums`, 16 bytes each. */
  areaGradients(kernels: Kernels, input: PieceTask & { positions: number; sums: number }): void {
    const { positions, from, to, indices, first, last, sums } = input;
    kernels.areaGradients(positions, from, to, indices, first, last, sums);
  },

  addNeighbours(kernels: Kernels, input: PieceTask & { source: number; target: number }): void {
    const { source, target, from, to, indices, first, last } = input;
    kernels.addNeighbours(source, target, from, to, indices, first, last);
  },

  moveByCurvature(
    kernels: Kernels,
    input: VertexTask & {
      positions: number;
      sums: number;
      around: number;
      squared: number;
      beyond: number;
      limit: number;
      least: number;
      moved: number;
    },
  ): void {
    const { positions, from, to, sums, around, squared, beyond, limit, least, moved } = input;
    kernels.moveByCurvature(positions, from, to, sums, around, squared, beyond, limit, least, moved);
  },

  /** Takes the sums of vertices that were moved out of what is still to be summed. */
  forgetMoved(kernels: Kernels, input: VertexTask & { sums: number; moved: number }): void {
    const { sums, from, to, moved } = input;
    kernels.forgetMoved(sums, from, to, moved);
  },

  /** Variances in mm² of the scan's blur at every `step`-th vertex with a clear edge. */
  edgeVariances(
    kernels: Kernels,
    input: OnArena & {
      grid: GridLayout;
      positions: number;
      normals: number;
      slopes: Slopes[];
      step: number;
      from: number;
      to: number;
    },
  ): EdgeVariances {
    const { grid, positions, normals, from, to } = input;
    const floats = (address: number) =>
      new Float32Array(kernels.memory.buffer, address + 12 * from, 3 * (to - from));
    return edgeVariances(grid, planesOf(kernels, grid), floats(positions), floats(normals), input);
  },

  spreadNormals(
    kernels: Kernels,
    { normals, from, to, sums }: VertexTask & { normals: number; sums: number },
  ): void {
    kernels.spreadNormals(normals, from, to, sums);
  },

  unitNormals(
    kernels: Kernels,
    { from, to, sums, heights }: VertexTask & { sums: number; heights: number },
  ): void {
    kernels.unitNormals(sums, from, to, heights);
  },

  /** Marks, in the fourth number of the smooth normals, the vertices whose normals were spread by `limit` at most. */
  markEven(
    kernels: Kernels,
    { heights, from, to, limit, smooth }: VertexTask & { heights: number; limit: number; smooth: number },
  ): void {
    kernels.markEven(heights, from, to, limit, smooth);
  },

  countNeighbours(kernels: Kernels, input: PieceTask & { counts: number }): void {
    const { from, to, indices, first, last, counts } = input;
    kernels.countNeighbours(from, to, indices, first, last, counts);
  },

  /** Counts → the sums of those before each, in place. */
  sumCounts(kernels: Kernels, { counts, count }: OnArena & { counts: number; count: number }): void {
    kernels.sumCounts(counts, count);
  },

  /** `ends` begin as the places where each vertex's neighbours are to go, and become their ends. */
  listNeighbours(kernels: Kernels, input: PieceTask & { ends: number; neighbours: number }): void {
    const { from, to, indices, first, last, ends, neighbours } = input;
    kernels.listNeighbours(from, to, indices, first, last, ends, neighbours);
  },

  /** How far each vertex is to go for its neighbours to lie as the smooth normals ask for; counted as by countHeights. */
  neighbourHeights(
    kernels: Kernels,
    input: Heights & { positions: number; smooth: number; ends: number; neighbours: number },
  ): void {
    const { positions, smooth, from, to, ends, neighbours, heights, width, bins, counts } = input;
    kernels.neighbourHeights(positions, smooth, from, to, ends, neighbours, heights, width, bins, counts);
  },

  /** Adds to `counts`, which the caller clears. */
  countHeights(kernels: Kernels, input: Heights): void {
    const { heights, from, to, width, bins, counts } = input;
    kernels.countHeights(heights, from, to, width, bins, counts);
  },

  moveByHeights(
    kernels: Kernels,
    input: VertexTask & { positions: number; normals: number; heights: number; share: number; limit: number },
  ): void {
    const { positions, normals, from, to, heights, share, limit } = input;
    kernels.moveByHeights(positions, normals, from, to, heights, share, limit);
  },

  /** How far vertices that are marked as even are to go along the surface; turns their normals with it. */
  movesAlong(
    kernels: Kernels,
    input: VertexTask & {
      positions: number;
      smooth: number;
      normals: number;
      ends: number;
      neighbours: number;
      share: number;
      moves: number;
    },
  ): void {
    const { positions, smooth, normals, from, to, ends, neighbours, share, moves } = input;
    kernels.movesAlong(positions, smooth, normals, from, to, ends, neighbours, share, moves);
  },

  moveAlong(kernels: Kernels, input: VertexTask & { positions: number; moves: number }): void {
    const { positions, from, to, moves } = input;
    kernels.moveAlong(positions, from, to, moves);
  },

  /** Normals of vertices from … to−1 out of the grey values around. */
  fieldNormals(
    kernels: Kernels,
    input: OnArena & {
      grid: GridLayout;
      positions: number;
      normals: number;
      from: number;
      to: number;
    },
  ): void {
    const { grid } = input;
    const [nx, ny, nz] = grid.cells;
    kernels.fieldNormals(
      grid.address,
      grid.isU16,
      grid.stride,
      nx + 2,
      ny + 2,
      nz + 2,
      ...grid.voxelSizeMm,
      input.positions,
      input.normals,
      input.from,
      input.to,
    );
  },

  /** Moves vertices from … to−1 to where two materials really meet; gives how many it moved. */
  settleInterfaces(
    kernels: Kernels,
    input: OnArena & {
      grid: GridLayout;
      positions: number;
      normals: number;
      from: number;
      to: number;
      interfaces: Interfaces;
    },
  ): number {
    const { grid, from, to } = input;
    const { buffer } = kernels.memory;
    const [, ny, nz] = grid.cells.map((n) => n + 2);
    const floats = (address: number) => new Float32Array(buffer, address + 12 * from, 3 * (to - from));
    const padded = {
      values: planesOf(kernels, grid),
      size: [grid.stride, ny, nz] as const,
      firstPlane: grid.planes[0],
      voxelSizeMm: grid.voxelSizeMm,
    };
    return settleInterfaces(padded, input.interfaces, floats(input.positions), floats(input.normals));
  },
} as const;

export type TaskName = keyof typeof tasks;
export type TaskInput<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[1];
export type TaskOutput<Name extends TaskName> = ReturnType<(typeof tasks)[Name]>;
