import type { KernelPool } from '../arena.ts';
import { inlinePool } from '../pool.ts';
import { openTree } from '../spatial/open-tree.ts';
import type {
  DistanceQuery,
  OpenTree,
  SignedDistances,
  TreeOptions,
  Triangles,
} from '../spatial/surface-tree.ts';
import { kernelModule } from './kernel-module.ts';

/** A tree on this thread. */
export const openTreeHere: OpenTree = async (mesh) => openTree(inlinePool(await kernelModule()), mesh);

/** Distances of one set of points to a mesh; the tree is closed afterwards. */
export async function distancesOnThreads(
  pool: KernelPool,
  mesh: Triangles,
  query: DistanceQuery,
  options: TreeOptions = {},
): Promise<SignedDistances> {
  const tree = await openTree(pool, mesh, options);
  try {
    return await tree.distances(query);
  } finally {
    await tree.close();
  }
}
