import type { KernelPool } from '../pool.ts';
import { type DistanceOptions, type DistanceQuery, openTree, type Triangles } from '../spatial/distances.ts';
import type { SignedDistances } from '../spatial/signed-distance.ts';

/** Distances of one set of points to a mesh, whose tree is closed again. */
export async function distancesOnThreads(
  pool: KernelPool,
  mesh: Triangles,
  query: DistanceQuery,
  options: DistanceOptions = {},
): Promise<SignedDistances> {
  const tree = await openTree(pool, mesh, options);
  try {
    return await tree.distances(query);
  } finally {
    await tree.close();
  }
}
