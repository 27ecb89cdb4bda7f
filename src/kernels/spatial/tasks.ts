import type { KernelInput } from '../simd/webassembly.ts';
import { defineTask, type OnArena } from '../task.ts';
import { mortonOrder } from './morton.ts';

/** Splits the triangles into two-way nodes; returns the number of triangles with an area, and of nodes. */
export const splitTriangles = defineTask(
  import.meta.url,
  'splitTriangles',
  (
    kernels,
    input: OnArena & KernelInput<'boxTriangles'> & Omit<KernelInput<'splitTriangles'>, 'count'>,
  ): { slots: number; nodeCount: number } => {
    const slots = kernels.boxTriangles(input);
    return { slots, nodeCount: slots > 0 ? kernels.splitTriangles({ ...input, count: slots }) : 0 };
  },
);

/** Converts two-way nodes to four-way nodes; returns the size of the overall box. */
export const widenTree = defineTask(
  import.meta.url,
  'widenTree',
  (
    kernels,
    input: OnArena &
      KernelInput<'boundNormals'> &
      KernelInput<'gatherCorners'> &
      Omit<KernelInput<'widenTree'>, 'packCount'>,
  ): { extentMm: number; sizeMm: number } => {
    kernels.boundNormals(input);
    kernels.widenTree({ ...input, packCount: input.scratch, scratch: input.scratch + 16 });
    kernels.gatherCorners(input);
    const root = new Float32Array(kernels.memory.buffer, input.nodes, 8);
    return {
      extentMm: Math.max(root[4] - root[0], root[5] - root[1], root[6] - root[2]),
      sizeMm: root.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
    };
  },
);

/** Order of the points (f64 xyz) along a Z curve. */
export const sortPoints = defineTask(
  import.meta.url,
  'sortPoints',
  ({ memory: { buffer } }, input: OnArena & { points: number; count: number; order: number }): void => {
    const order = mortonOrder(new Float64Array(buffer, input.points, 3 * input.count));
    new Uint32Array(buffer, input.order, input.count).set(order);
  },
);
