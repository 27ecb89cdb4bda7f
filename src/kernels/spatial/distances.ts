/** Signed distances of many points to a mesh, on all threads. */
import { KernelError } from '../kernel-error.ts';
import { inPieces, type KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import { buildBvh, checkCorners, noSurface } from './bvh.ts';
import { type SignedDistances, signedDistances } from './signed-distance.ts';
import type { ArenaTree } from './tasks.ts';

export interface Triangles {
  positions: Float32Array;
  indices: Uint32Array;
}

/** Signed distances of points (xyz, mm) to a mesh, as signedDistances gives them. */
export type DistancesTo = (
  mesh: Triangles,
  points: Float64Array,
  limitMm: number,
) => Promise<SignedDistances>;

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

/**
 * The same to the last bit for every number of threads, and the same distances as signedDistances. Boxes and triangles are
 * compared four at a time in float32, with room for its rounding; what may be closest is measured in float64.
 * Memory: about 200 bytes a triangle, 40 a point; given back.
 * @throws KernelError BAD_INPUT as buildBvh
 */
export async function distancesOnThreads(
  pool: KernelPool,
  mesh: Triangles,
  points: Float64Array,
  limitMm: number,
  options: DistanceOptions = {},
): Promise<SignedDistances> {
  const { signal } = options;
  const triangles = Math.floor(mesh.indices.length / 3);
  if (triangles > mostTriangles) return signedDistances(buildBvh(mesh), points, limitMm);
  checkCorners(mesh);
  const count = points.length / 3;
  return pool.withArena(async (arena) => {
    const { memory } = arena;
    const purpose = 'The comparison';
    const places = {
      points: arena.allocate(24 * count, purpose),
      order: arena.allocate(4 * count, purpose),
      distances: arena.allocate(4 * count, purpose),
      triangles: arena.allocate(4 * count, purpose),
    };
    arena.doubles(places.points, points.length).set(points);
    const sort = { memory, points: places.points, count, order: places.order };
    // Both come to rest before the arena is given back, whatever happens to one of them.
    const [tree, sorted] = await Promise.allSettled([
      treeOf(mesh, pool, arena, signal),
      pool.run('sortPoints', sort, { signal }),
    ]);
    if (tree.status === 'rejected') throw tree.reason;
    if (sorted.status === 'rejected') throw sorted.reason;
    const scratch = Array.from({ length: pool.threads }, () => arena.allocate(scratchBytes, purpose));
    const range = { from: 0, to: count, size: options.pointsAtOnce ?? pointsAtOnce };
    await inPieces(pool, range, { signal }, (from, to, lane) =>
      pool.run(
        'signedDistances',
        { memory, tree: tree.value, ...places, from, to, limitMm, scratch: scratch[lane] },
        { signal },
      ),
    );
    return {
      distancesMm: arena.floats(places.distances, count).slice() as Float32Array,
      triangles: arena.integers(places.triangles, count).slice() as Uint32Array,
    };
  });
}

async function treeOf(
  { positions, indices }: Triangles,
  pool: KernelPool,
  arena: Arena,
  signal: AbortSignal | undefined,
): Promise<ArenaTree> {
  const { memory } = arena;
  const purpose = 'The comparison';
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
  const { slots, nodeCount } = await pool.run('splitTriangles', split, { signal });
  if (slots === 0) throw new KernelError('BAD_INPUT', noSurface);
  const leaves = (nodeCount + 1) / 2;
  const wide = arena.allocate(wideBytes * leaves, purpose);
  const packs = arena.allocate(packBytes * leaves, purpose);
  const tree = { wide, packs, corners, order };
  const size = await pool.run('widenTree', { memory, ...mesh, slots, nodes, scratch, tree }, { signal });
  return { ...tree, ...size };
}
