/** A mesh made ready for questions about the point of it that is closest to a place, answered on all threads. */

import type { Arena } from '../arena.ts';
import { KernelError } from '../kernel-error.ts';
import { inPieces, type KernelPool } from '../pool.ts';
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
  /** a direction for each point, xyz: only triangles that face it count, see facingCosine */
  normals?: Float32Array | undefined;
  /** what is further away has no counterpart */
  limitMm: number;
}
export interface SignedDistances {
  /** positive outside; NaN beyond the limit, or for a place that is no finite number; 1 a point */
  distancesMm: Float32Array;
  /** number in the mesh of the triangle that is closest; 0xffffffff without one; 1 a point */
  triangles: Uint32Array;
}
export const noTriangle = 0xffffffff;

export interface ClosestQuery {
  /** xyz in the mesh's frame, in mm */
  points: Float64Array;
  /** of the last answer to as many points: where each search begins */
  slots?: Int32Array | undefined;
}
export interface ClosestPoints {
  /**
   * 8 a point: the closest point of the mesh, xyz; the unit normal of its triangle, xyz; the distance in mm, infinite for a
   * place that is no finite number; 1 where it lies in the triangle's inside, 0 on a side or a corner
   */
  answers: Float64Array;
  slots: Int32Array;
}

export interface SurfaceTree {
  distances(query: DistanceQuery): Promise<SignedDistances>;
  closest(query: ClosestQuery): Promise<ClosestPoints>;
  /** Gives its memory back. */
  close(): Promise<void>;
}
export type OpenTree = (mesh: Triangles) => Promise<SurfaceTree>;

export interface TreeOptions {
  signal?: AbortSignal | undefined;
  /** points in one task; only tests set it */
  pointsAtOnce?: number;
}

/**
 * Cosine of the angle to a direction from which a triangle faces it: 78°. Nothing up to 90° answers for a surface beside it,
 * and the noise of a scan turns its directions by some degrees.
 */
export const facingCosine = 0.2;
/** Points of a task, a few thousandths of a second; which of two equally close triangles is named may depend on it. */
const pointsAtOnce = 8192;
/** Those of an alignment are few, and asked for again and again. */
const closestAtOnce = 2048;
/** Bytes of a node of two, of one of four and of a pack of triangles; see simd/assembly/tree.ts. */
const [nodeBytes, wideBytes, packBytes] = [48, 128, 160];
const scratchBytes = 16_384;
const purpose = 'The comparison';

/**
 * A tree on the pool's threads. Answers are the same to the last bit for every number of threads. Boxes and triangles are
 * compared four at a time in float32, with room for its rounding; what may be closest is measured in float64. Signs are
 * right everywhere on a closed mesh that does not cut itself, also of triangles that share no vertices (Bærentzen & Aanæs
 * 2005, doi:10.1109/TVCG.2005.49). Memory: about 200 bytes a triangle until it is closed, 50 a point while they are measured.
 * @throws KernelError BAD_INPUT when no triangle has an area, or an index points past the vertices; TOO_LARGE
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
    const tree = await buildTree(mesh, pool, arena, options.signal);
    const mark = arena.mark();
    const work = { tree, pool, arena, options };
    // One set of points after the other: they share the memory above the tree.
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

/** An open tree, and what answers questions on it. */
interface TreeWork {
  tree: Address<'Tree'>;
  pool: KernelPool;
  arena: Arena;
  options: TreeOptions;
}

async function computeDistances(
  { tree, pool, arena, options }: TreeWork,
  { points, normals, limitMm }: DistanceQuery,
): Promise<SignedDistances> {
  const { memory } = arena;
  const { signal } = options;
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
  // Neighbours one after the other, so that each answer bounds the next search.
  await pool.run(sortPoints, { memory, points: places.points, count, order: places.order }, { signal });
  const stacks = Array.from({ length: pool.threads }, () => arena.allocate(scratchBytes, purpose));
  const range = { from: 0, to: count, size: options.pointsAtOnce ?? pointsAtOnce };
  await inPieces(pool, range, { signal }, (from, to, lane) =>
    pool.run(
      kernelTasks.signedDistances,
      { memory, tree, ...places, from, to, limit: limitMm, cosine: facingCosine, stack: stacks[lane] },
      { signal },
    ),
  );
  return {
    distancesMm: arena.floats(places.distances, count).slice() as Float32Array,
    triangles: arena.integers(places.triangles, count).slice() as Uint32Array,
  };
}

async function findClosest(
  { tree, pool, arena, options }: TreeWork,
  { points, slots }: ClosestQuery,
): Promise<ClosestPoints> {
  const { memory } = arena;
  const { signal } = options;
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
  const stacks = Array.from({ length: pool.threads }, () => arena.allocate(scratchBytes, purpose));
  const range = { from: 0, to: count, size: options.pointsAtOnce ?? closestAtOnce };
  await inPieces(pool, range, { signal }, (from, to, lane) =>
    pool.run(
      kernelTasks.closestPoints,
      { memory, tree, ...places, from, to, stack: stacks[lane] },
      { signal },
    ),
  );
  return {
    answers: arena.doubles(places.answers, 8 * count).slice() as Float64Array,
    slots: new Int32Array(memory.buffer, places.slots, count).slice() as Int32Array,
  };
}

/** Address of the tree. */
async function buildTree(
  { positions, indices }: Triangles,
  pool: KernelPool,
  arena: Arena,
  signal: AbortSignal | undefined,
): Promise<Address<'Tree'>> {
  const { memory } = arena;
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
  const split = { memory, ...mesh, triangles, boxes, order, nodes, scratch };
  const { slots, nodeCount } = await pool.run(splitTriangles, split, { signal });
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
  const { extentMm, sizeMm } = await pool.run(
    widenTree,
    { memory, ...mesh, slots, nodes, nodeCount, scratch, ...tree },
    { signal },
  );
  return arena.place('Tree', { ...tree, extent: extentMm, size: sizeMm });
}
