import type { KernelPool } from '#kernels/arena.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { openTree } from '#kernels/spatial/open-tree.ts';
import type { OpenTree, SurfaceTree, Triangles } from '#kernels/spatial/surface-tree.ts';
import type { Report } from './analysis.ts';
import { type MeshWorkInput, type MeshWorkName, type MeshWorkOutput, meshWork } from './mesh-work.ts';
import { buffersIn } from './threads/messages.ts';
import { ThreadClient } from './threads/thread-client.ts';

/** Below this number of triangles, starting a thread takes longer than the work. */
const trianglesInPlace = 100_000;

export interface MeshCall {
  name: MeshWorkName;
  input: MeshWorkInput<MeshWorkName>;
}
/** Questions of a thread to the search trees that its caller keeps. */
export type TreeQuestion = { open: Triangles } | { tree: number; method: keyof SurfaceTree; query?: unknown };

/**
 * Runs work on a mesh; a large mesh is processed on a thread, which stops at once when the signal is aborted and leaves
 * the caller's thread free. The input's arrays are transferred and empty afterwards.
 * @param report receives the progress
 * @param pool for work that computes distances
 * @throws the signal's reason; FormatError for a mesh that a format cannot store; KernelError; any error of the work
 */
export async function runMeshWork<Name extends MeshWorkName>(
  name: Name,
  input: MeshWorkInput<Name> & { mesh: TriangleMesh },
  signal: AbortSignal,
  inPlace = trianglesInPlace,
  report: Report = () => undefined,
  pool?: KernelPool,
): Promise<MeshWorkOutput<Name>> {
  signal.throwIfAborted();
  const open: OpenTree = (mesh) => {
    if (!pool) throw new Error(`${name} measures distances and was given no threads for that`);
    return openTree(pool, mesh);
  };
  if (input.mesh.indices.length <= 3 * inPlace) {
    const work = meshWork[name] as (
      input: MeshWorkInput<Name>,
      report: Report,
      open: OpenTree,
    ) => Promise<MeshWorkOutput<Name>>;
    return work(input, report, open);
  }
  const trees: SurfaceTree[] = [];
  const answer = async (question: TreeQuestion): Promise<unknown> =>
    'open' in question
      ? trees.push(await open(question.open)) - 1
      : trees[question.tree]?.[question.method](question.query as never);
  const isSmall = input.mesh.indices.length <= 3 * trianglesInPlace;
  const thread = takeThread();
  try {
    const output = await thread.call(
      { name, input },
      {
        signal,
        buffers: buffersIn(input),
        onReport: (values: Parameters<Report>) => report(...values),
        onQuestion: answer,
      },
    );
    return output as MeshWorkOutput<Name>;
  } finally {
    // Threads that processed a large mesh are ended, so that their memory is released at once.
    if (isSmall && thread.isIdle && !idle?.isIdle) idle = thread;
    else void thread.retire();
    for (const tree of trees) void tree.close();
  }
}

/** A finished thread kept for reuse: starting another takes longer than most comparisons of small meshes. */
let idle: ThreadClient<MeshCall, unknown> | undefined;

function takeThread(): ThreadClient<MeshCall, unknown> {
  const script = new URL('./mesh-work-thread.ts', import.meta.url);
  const thread = idle?.isIdle ? idle : new ThreadClient<MeshCall, unknown>(script, { name: 'mesh work' });
  idle = undefined;
  return thread;
}
