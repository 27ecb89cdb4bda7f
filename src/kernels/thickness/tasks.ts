/** What the wall thickness runs on threads; see ../tasks.ts. */
import type { Kernels, WasmMemory } from '../simd/webassembly.ts';
import type { GridLayout } from '../surface/grid-layout.ts';
import type { SurfaceLayout } from '../surface/surface-layout.ts';
import type { SurfaceBlocks } from './block-layout.ts';

interface OnBlocks {
  memory: WasmMemory;
  grid: GridLayout;
  blocks: SurfaceBlocks;
}
/** Layers of blocks zFrom … zTo−1. */
interface Layers extends OnBlocks {
  zFrom: number;
  zTo: number;
}
/** A byte a grid point of planes from `planeFrom` on, `cap` at most. */
interface Depths extends OnBlocks {
  cap: number;
  depth: number;
  planeFrom: number;
}
/** Vertices from … to−1 and the cone of directions that is tried from each. */
interface RayTask extends OnBlocks {
  positions: number;
  normals: number;
  from: number;
  to: number;
  cone: number;
  rayCount: number;
  thickness: number;
}

function rayArguments({ grid, blocks, ...input }: RayTask): number[] {
  const { table, size } = blocks;
  return [
    table,
    grid.isU16,
    size[0],
    size[0] * size[1],
    ...grid.cells.map((n) => n + 2),
    grid.iso,
    ...grid.voxelSizeMm,
    input.positions,
    input.normals,
    input.from,
    input.to,
  ];
}

export const thicknessTasks = {
  /** Says of each block whether it is air, material, or has a surface within `reach` grid points; gives how many have. */
  markBlocks(
    kernels: Kernels,
    input: Layers & { surface: SurfaceLayout; reach: number; scratch: number },
  ): number {
    const { grid, surface, blocks, zFrom, zTo, reach, scratch } = input;
    const { table, size } = blocks;
    const [, ny, nz] = grid.cells.map((n) => n + 2);
    const { bits, words } = surface;
    return kernels.markBlocks(bits, words, ny, nz, size[0], size[1], zFrom, zTo, reach, table, scratch);
  },

  placeBlocks(
    kernels: Kernels,
    input: { memory: WasmMemory; table: number; count: number; first: number; bytes: number },
  ): void {
    kernels.placeBlocks(input.table, input.count, input.first, input.bytes);
  },

  /** Grey values, from planes that are in memory. */
  fillBlocks(kernels: Kernels, { grid, blocks, zFrom, zTo }: Layers): void {
    const { table, size } = blocks;
    const [, ny, nz] = grid.cells.map((n) => n + 2);
    const { address, isU16, stride } = grid;
    kernels.fillBlocks(address, isU16, stride, ny, nz, size[0], size[1], zFrom, zTo, table);
  },

  /** Rows yFrom … yTo−1 of planes planeFrom … planeTo−1; see depthInPlanes. */
  depthAlongZ(
    kernels: Kernels,
    input: Depths & { surface: SurfaceLayout; planeTo: number; yFrom: number; yTo: number },
  ): void {
    const { grid, surface, planeFrom, planeTo, yFrom, yTo, cap, depth } = input;
    const [, ny, nz] = grid.cells.map((n) => n + 2);
    const { bits, words } = surface;
    kernels.depthAlongZ(bits, words, grid.stride, ny, nz, planeFrom, planeTo, yFrom, yTo, cap, depth);
  },

  /** How many cells deep the grid points of planes zFrom … zTo−1 lie in material, along any axis; after `depthAlongZ`. */
  depthInPlanes(kernels: Kernels, input: Depths & { zFrom: number; zTo: number; scratch: number }): void {
    const { grid, planeFrom, zFrom, zTo, cap, depth, scratch } = input;
    const ny = grid.cells[1] + 2;
    kernels.depthInPlanes(grid.stride, ny, zFrom - planeFrom, zTo - planeFrom, cap, depth, scratch);
  },

  fillDepths(kernels: Kernels, input: Depths & Layers): void {
    const { grid, blocks, depth, planeFrom, zFrom, zTo } = input;
    const { table, size } = blocks;
    const [, ny, nz] = grid.cells.map((n) => n + 2);
    const { isU16, stride } = grid;
    kernels.fillDepths(depth, planeFrom, isU16, stride, ny, nz, size[0], size[1], zFrom, zTo, table);
  },

  rays(kernels: Kernels, input: RayTask & { limitMm: number }): void {
    kernels.rays(...rayArguments(input), input.cone, input.rayCount, input.limitMm, input.thickness);
  },

  balls(kernels: Kernels, input: RayTask & { maxDot: number; scratch: number }): void {
    const { cone, rayCount, maxDot, scratch, thickness } = input;
    kernels.balls(...rayArguments(input), cone, rayCount, maxDot, scratch, thickness);
  },
};
