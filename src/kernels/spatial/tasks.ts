/** What the search for closest points runs on threads; see ../tasks.ts. */
import type { Kernels, WasmMemory } from '../simd/webassembly.ts';
import { mortonOrder } from './morton.ts';

interface OnArena {
  memory: WasmMemory;
}

/** Addresses of a tree over triangles; how each part is laid out says simd/assembly/tree.ts. */
export interface ArenaTree {
  /** nodes of four children, 128 bytes each */
  wide: number;
  /** four triangles each, 160 bytes */
  packs: number;
  /** f32 xyz of three corners a slot */
  corners: number;
  /** u32 a slot: number of its triangle */
  order: number;
  /** longest side of the box around all, and the largest coordinate in it, in mm */
  extentMm: number;
  sizeMm: number;
}

export const spatialTasks = {
  /** Parts the triangles into nodes of two; gives how many triangles have an area, and how many nodes there are. */
  splitTriangles(
    kernels: Kernels,
    input: OnArena & {
      positions: number;
      indices: number;
      triangles: number;
      boxes: number;
      order: number;
      nodes: number;
      scratch: number;
    },
  ): { slots: number; nodeCount: number } {
    const { positions, indices, triangles, boxes, order, nodes, scratch } = input;
    const slots = kernels.boxTriangles(positions, indices, triangles, boxes, order);
    return { slots, nodeCount: slots > 0 ? kernels.splitTriangles(boxes, order, slots, nodes, scratch) : 0 };
  },

  widenTree(
    kernels: Kernels,
    input: OnArena & {
      positions: number;
      indices: number;
      slots: number;
      nodes: number;
      scratch: number;
      tree: Omit<ArenaTree, 'extentMm' | 'sizeMm'>;
    },
  ): Pick<ArenaTree, 'extentMm' | 'sizeMm'> {
    const { buffer } = kernels.memory;
    const { wide, packs, corners, order } = input.tree;
    const { positions, indices, nodes, scratch, slots } = input;
    kernels.widenTree(positions, indices, order, nodes, wide, packs, scratch, scratch + 16);
    kernels.gatherCorners(positions, indices, order, slots, corners);
    const root = new Float32Array(buffer, nodes, 8);
    return {
      extentMm: Math.max(root[4] - root[0], root[5] - root[1], root[6] - root[2]),
      sizeMm: root.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
    };
  },

  /** Numbers of the points (f64 xyz) along a Z curve. */
  sortPoints(kernels: Kernels, input: OnArena & { points: number; count: number; order: number }): void {
    const { buffer } = kernels.memory;
    const order = mortonOrder(new Float64Array(buffer, input.points, 3 * input.count));
    new Uint32Array(buffer, input.order, input.count).set(order);
  },

  /** Of the points from … to−1 in their order; see spatial/distances.ts. */
  signedDistances(
    kernels: Kernels,
    input: OnArena & {
      tree: ArenaTree;
      points: number;
      order: number;
      from: number;
      to: number;
      limitMm: number;
      distances: number;
      triangles: number;
      scratch: number;
    },
  ): void {
    const { tree, points, order, from, to, limitMm, distances, triangles, scratch } = input;
    const { wide, packs, corners, extentMm, sizeMm } = tree;
    kernels.signedDistances(
      wide,
      packs,
      corners,
      tree.order,
      points,
      order,
      from,
      to,
      limitMm,
      extentMm,
      sizeMm,
      distances,
      triangles,
      scratch,
    );
  },
} as const;
