/** Signed distances of many points to a mesh, on all threads. */

import type { Arena } from '../arena.ts';
import { KernelError } from '../kernel-error.ts';
import { inPieces, type KernelPool } from '../pool.ts';
import type { Address } from '../simd/webassembly.ts';
import { kernelTasks } from '../task.ts';
import { buildBvh, checkCorners, noSurface } from './bvh.ts';
import { facingCosine } from './closest-point.ts';
import { type SignedDistances, signedDistances } from './signed-distance.ts';
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

/** A mesh made ready for distances to it, of as many sets of points as are asked for. */
export interface SurfaceTree {
  distances(query: DistanceQuery): Promise<SignedDistances>;
  /** Gives its memory back. */
  close(): Promise<void>;
}
export type OpenTree = (mesh: Triangles) => Promise<SurfaceTree>;

export interface DistanceOptions {
  signal?: AbortSignal | undefined;
  /** points in one task; only tests set it */
  pointsAtOnce?: number;
}

/** Points of a task, a few thousandths of a second; which of two equally close triangles is named may depend on it. */
const pointsAtOnce = 8192;
/** A tree over more triangles than these doesn't fit 32-bit addresses. */
const mostTriangles = 8e6;
/** Bytes of a node of two, of one of four and of a pack of triangles; see simd/assembly/tree.ts. */
const [nodeBytes, wideBytes, packBytes] = [48, 128, 160];
const scratchBytes = 16_384;
const purpose = 'The comparison';

/**
 * A tree on the pool's threads. Distances are the same to the last bit for every number of threads, and those of
 * signedDistances. Boxes and triangles are compared four at a time in float32, with room for its rounding; what may be
 * closest is measured in float64. Memory: about 200 bytes a triangle until it is closed, 50 a point while they are measured.
 * @throws KernelError BAD_INPUT as buildBvh
 */
export async function openTree(
  pool: KernelPool,
  mesh: Triangles,
  options: DistanceOptions = {},
): Promise<SurfaceTree> {
  if (Math.floor(mesh.indices.length / 3) > mostTriangles) return treeHere(mesh);
  checkCorners(mesh);
  const opened = Promise.withResolvers<SurfaceTree>();
  const closed = Promise.withResolvers<void>();
  const held = pool.withArena(async (arena) => {
    const tree = await buildTree(mesh, pool, arena, options.signal);
    const mark = arena.mark();
    // One set of points after the other: they share the memory above the tree.
    let last: Promise<unknown> = Promise.resolve();
    opened.resolve({
      distances(query) {
        const next = last.then(async () => {
          const places = placePoints(query, arena);
          try {
            await orderPoints(places, pool, arena, options);
            return await computeDistances(tree, places, query.limitMm, pool, arena, options);
          } finally {
            arena.release(mark);
          }
        });
        last = next.catch(() => undefined);
        return next;
      },
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

/** On the caller's own thread: for small meshes, and for those that are too large for the pool's memory. */
export async function treeHere(mesh: Triangles): Promise<SurfaceTree> {
  const bvh = buildBvh(mesh);
  return {
    distances: async ({ points, limitMm, normals }) => signedDistances(bvh, points, limitMm, normals),
    close: async () => undefined,
  };
}

/** Addresses of a query's points, and of what is found for them. */
interface PlacedPoints {
  count: number;
  points: number;
  order: number;
  distances: number;
  triangles: number;
  normals: number;
}

function placePoints({ points, normals }: DistanceQuery, arena: Arena): PlacedPoints {
  const count = points.length / 3;
  const places = {
    count,
    points: arena.allocate(24 * count, purpose),
    order: arena.allocate(4 * count, purpose),
    distances: arena.allocate(4 * count, purpose),
    triangles: arena.allocate(4 * count, purpose),
    normals: normals ? arena.allocate(12 * count, purpose) : 0,
  };
  arena.doubles(places.points, points.length).set(points);
  if (normals) arena.floats(places.normals, normals.length).set(normals);
  return places;
}

const orderPoints = (
  { points, count, order }: PlacedPoints,
  pool: KernelPool,
  { memory }: Arena,
  { signal }: DistanceOptions,
) => pool.run(sortPoints, { memory, points, count, order }, { signal });

async function computeDistances(
  tree: Address<'Tree'>,
  { count, ...places }: PlacedPoints,
  limitMm: number,
  pool: KernelPool,
  arena: Arena,
  options: DistanceOptions,
): Promise<SignedDistances> {
  const { memory } = arena;
  const { signal } = options;
  const scratch = Array.from({ length: pool.threads }, () => arena.allocate(scratchBytes, purpose));
  const range = { from: 0, to: count, size: options.pointsAtOnce ?? pointsAtOnce };
  await inPieces(pool, range, { signal }, (from, to, lane) =>
    pool.run(
      kernelTasks.signedDistances,
      { memory, tree, ...places, from, to, limit: limitMm, cosine: facingCosine, stack: scratch[lane] },
      { signal },
    ),
  );
  return {
    distancesMm: arena.floats(places.distances, count).slice() as Float32Array,
    triangles: arena.integers(places.triangles, count).slice() as Uint32Array,
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
  if (slots === 0) throw new KernelError('BAD_INPUT', noSurface);
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
