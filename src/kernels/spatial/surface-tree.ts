/** A search tree over a mesh for closest-point queries on all threads. */

import type { Arena, KernelPool } from '../arena.ts';
import { KernelError } from '../kernel-error.ts';
import { inPieces } from '../pool.ts';
import type { Address } from '../simd/webassembly.ts';
import { kernelTasks } from '../task.ts';
import { sortPoints, splitTriangles, widenTree } from './tasks.ts';

export interface Triangles {
  positions: Float32Array;
  indices: Uint32Array;
}

export interface DistanceQuery {
  /** xyz in the mesh's frame, in mm */
  points: Float64Array;
  /** a direction per point, xyz: only triangles that face it count, see facingCosine */
  normals?: Float32Array | undefined;
  /** points further away have no counterpart */
  limitMm: number;
}
export interface SignedDistances {
  /** positive outside; NaN beyond the limit and for non-finite points; 1 per point */
  distancesMm: Float32Array;
  /** index of the closest triangle in the mesh; 0xffffffff when there is none; 1 per point */
  triangles: Uint32Array;
}
export const noTriangle = 0xffffffff;

export interface ClosestQuery {
  /** xyz in the mesh's frame, in mm */
  points: Float64Array;
  /** from the previous answer for the same number of points: start of each search */
  slots?: Int32Array | undefined;
}
export interface ClosestPoints {
  /**
   * 8 per point: closest point of the mesh, xyz; unit normal of its triangle, xyz; distance in mm, infinite for
   * non-finite points; 1 when it lies inside the triangle, 0 on an edge or corner
   */
  answers: Float64Array;
  slots: Int32Array;
}

export interface SurfaceTree {
  distances(query: DistanceQuery): Promise<SignedDistances>;
  closest(query: ClosestQuery): Promise<ClosestPoints>;
  /** Releases its memory. */
  close(): Promise<void>;
}
export type OpenTree = (mesh: Triangles) => Promise<SurfaceTree>;

export interface TreeOptions {
  /** points per task; set by tests only */
  pointsAtOnce?: number;
}

/**
 * Cosine of the largest angle (78°) between a direction and a triangle facing it. Triangles at up to 90° do not
 * represent a surface beside it, and noise tilts normals by several degrees.
 */
export const facingCosine = 0.2;
/** Points per task, a few milliseconds; which of two equally close triangles is named may depend on it. */
const pointsAtOnce = 8192;
/** Alignments have few points and query them repeatedly. */
const closestAtOnce = 2048;
/** Bytes of a two-way node, a four-way node and a pack of triangles; see simd/assembly/tree.ts. */
const [nodeBytes, wideBytes, packBytes] = [48, 128, 160];
const scratchBytes = 16_384;
const purpose = 'The comparison';

/**
 * Builds a tree on the pool's threads. Answers are identical to the last bit for any number of threads. Boxes and
 * triangles are compared four at a time in float32 with a margin for rounding; candidates are measured in float64.
 * Signs are right everywhere on a closed mesh without self-intersections, even if triangles share no vertices
 * (Bærentzen & Aanæs 2005, doi:10.1109/TVCG.2005.49). Memory: about 200 bytes per triangle until it is closed, 50 per
 * point while they are measured.
 * @throws KernelError BAD_INPUT when no triangle has an area, or an index exceeds the vertices; TOO_LARGE
 */
export async function openOneTree(
  pool: KernelPool,
  mesh: Triangles,
  options: TreeOptions = {},
): Promise<SurfaceTree> {
  checkCorners(mesh);
  const opened = Promise.withResolvers<SurfaceTree>();
  const closed = Promise.withResolvers<void>();
  const held = pool.withArena(async (arena) => {
    const tree = await buildTree(mesh, arena);
    const mark = arena.mark();
    const work = { tree, pool, arena, options };
    // One set of points at a time: they share the memory above the tree.
    let last: Promise<unknown> = Promise.resolve();
    const queue = <Answer>(answer: () => Promise<Answer>) => {
      const next = last.then(answer).finally(() => arena.release(mark));
      last = next.catch(() => undefined);
      return next;
    };
    opened.resolve({
      distances: (query) => queue(() => computeDistances(work, query)),
      closest: (query) => queue(() => findClosest(work, query)),
      close() {
        closed.resolve();
        return held;
      },
    });
    await closed.promise;
    await last;
  });
  held.catch(opened.reject);
  return opened.promise;
}

function checkCorners({ positions, indices }: Triangles): void {
  const vertices = positions.length / 3;
  const wrong = indices.findIndex((vertex) => vertex >= vertices);
  if (wrong < 0) return;
  throw new KernelError(
    'BAD_INPUT',
    `Triangle ${Math.floor(wrong / 3)} names vertex ${indices[wrong]}, but the mesh has ${vertices} vertices.`,
  );
}

/** An open tree and the memory for queries. */
interface TreeWork {
  tree: Address<'Tree'>;
  pool: KernelPool;
  arena: Arena;
  options: TreeOptions;
}

async function computeDistances(
  { tree, arena, options }: TreeWork,
  { points, normals, limitMm }: DistanceQuery,
): Promise<SignedDistances> {
  const count = points.length / 3;
  const places = {
    points: arena.allocate(24 * count, purpose),
    order: arena.allocate(4 * count, purpose),
    distances: arena.allocate(4 * count, purpose),
    triangles: arena.allocate(4 * count, purpose),
    normals: normals ? arena.allocate(12 * count, purpose) : 0,
  };
  arena.doubles(places.points, points.length).set(points);
  if (normals) arena.floats(places.normals, normals.length).set(normals);
  // Neighbours in sequence, so that each answer bounds the next search.
  await arena.run(sortPoints, { points: places.points, count, order: places.order });
  const stacks = Array.from({ length: arena.threads }, () => arena.allocate(scratchBytes, purpose));
  const range = { from: 0, to: count, size: options.pointsAtOnce ?? pointsAtOnce };
  await inPieces(arena, range, (from, to, lane) =>
    arena.run(kernelTasks.signedDistances, {
      tree,
      ...places,
      from,
      to,
      limit: limitMm,
      cosine: facingCosine,
      stack: stacks[lane],
    }),
  );
  return {
    distancesMm: arena.floats(places.distances, count).slice() as Float32Array,
    triangles: arena.integers(places.triangles, count).slice() as Uint32Array,
  };
}

async function findClosest(
  { tree, arena, options }: TreeWork,
  { points, slots }: ClosestQuery,
): Promise<ClosestPoints> {
  const { memory } = arena;
  const count = points.length / 3;
  const places = {
    points: arena.allocate(24 * count, purpose),
    answers: arena.allocate(64 * count, purpose),
    slots: arena.allocate(4 * count, purpose),
  };
  arena.doubles(places.points, points.length).set(points);
  const known = new Int32Array(memory.buffer, places.slots, count);
  if (slots) known.set(slots);
  else known.fill(-1);
  const stacks = Array.from({ length: arena.threads }, () => arena.allocate(scratchBytes, purpose));
  const range = { from: 0, to: count, size: options.pointsAtOnce ?? closestAtOnce };
  await inPieces(arena, range, (from, to, lane) =>
    arena.run(kernelTasks.closestPoints, { tree, ...places, from, to, stack: stacks[lane] }),
  );
  return {
    answers: arena.doubles(places.answers, 8 * count).slice() as Float64Array,
    slots: new Int32Array(memory.buffer, places.slots, count).slice() as Int32Array,
  };
}

async function buildTree({ positions, indices }: Triangles, arena: Arena): Promise<Address<'Tree'>> {
  const triangles = Math.floor(indices.length / 3);
  const mesh = {
    positions: arena.allocate(4 * positions.length, purpose),
    indices: arena.allocate(12 * triangles, purpose),
  };
  arena.floats(mesh.positions, positions.length).set(positions);
  arena.integers(mesh.indices, 3 * triangles).set(indices.subarray(0, 3 * triangles));
  const order = arena.allocate(4 * triangles, purpose);
  const corners = arena.allocate(36 * triangles, purpose);
  const boxes = arena.allocate(32 * triangles, purpose);
  const nodes = arena.allocate(2 * nodeBytes * triangles, purpose);
  const scratch = arena.allocate(scratchBytes, purpose);
  const split = { ...mesh, triangles, boxes, order, nodes, scratch };
  const { slots, nodeCount } = await arena.run(splitTriangles, split);
  if (slots === 0) {
    throw new KernelError(
      'BAD_INPUT',
      'The mesh has no triangle with an area: there is nothing to measure to.',
    );
  }
  const leaves = (nodeCount + 1) / 2;
  const wide = arena.allocate(wideBytes * leaves, purpose);
  const packs = arena.allocate(packBytes * leaves, purpose);
  const tree = { wide, packs, corners, order };
  const { extentMm, sizeMm } = await arena.run(widenTree, {
    ...mesh,
    slots,
    nodes,
    nodeCount,
    scratch,
    ...tree,
  });
  return arena.place('Tree', { ...tree, extent: extentMm, size: sizeMm });
}
