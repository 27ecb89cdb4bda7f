import { Worker } from 'node:worker_threads';
import { FormatError, type FormatErrorCode } from '#formats/format-error.ts';
import { KernelError, type KernelErrorCode } from '#kernels/kernel-error.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { KernelPool } from '#kernels/pool.ts';
import { openTree } from '#kernels/spatial/open-tree.ts';
import type {
  ClosestQuery,
  DistanceQuery,
  OpenTree,
  SurfaceTree,
  Triangles,
} from '#kernels/spatial/surface-tree.ts';
import type { Report } from './analysis.ts';
import {
  buffersIn,
  type MeshWorkInput,
  type MeshWorkName,
  type MeshWorkOutput,
  meshWork,
} from './mesh-work.ts';

/** Below this a thread takes longer to start than the work. */
const trianglesInPlace = 100_000;

type Answer<Output> =
  | { output: Output }
  | { error: unknown }
  | { fraction: number; stage: string }
  | { call: number; ask: TreeCall }
  | { refused: Refusal };
/** What a thread asks of the trees that are kept for it; each call is answered under its number. */
export type TreeCall =
  | { open: Triangles }
  | { tree: number; distances: DistanceQuery }
  | { tree: number; closest: ClosestQuery }
  | { close: number };
type Refusal =
  | { by: 'format'; code: FormatErrorCode; message: string }
  | { by: 'kernel'; code: KernelErrorCode; message: string };

const findError = (refused: Refusal): Error =>
  refused.by === 'format'
    ? new FormatError(refused.code, refused.message)
    : new KernelError(refused.code, refused.message);

/**
 * Does work on a mesh: a large one on a thread, which ends at once when the signal is aborted, so that the caller's thread
 * stays free. The input's arrays are handed over: they are empty afterwards.
 * @param report is told how far the work is
 * @param pool for work that measures distances
 * @throws the signal's reason; FormatError for a mesh that a format can't hold; KernelError; whatever the work throws
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
    return openTree(pool, mesh, { signal });
  };
  if (input.mesh.indices.length <= 3 * inPlace) {
    const work = meshWork[name] as (
      input: MeshWorkInput<Name>,
      report: Report,
      open: OpenTree,
    ) => Promise<MeshWorkOutput<Name>>;
    return work(input, report, open);
  }
  const trees = new Map<number, SurfaceTree>();
  const answer = async (call: number, ask: TreeCall): Promise<unknown> => {
    if ('open' in ask) {
      trees.set(call, await open(ask.open));
      return call;
    }
    if ('distances' in ask) return trees.get(ask.tree)?.distances(ask.distances);
    if ('closest' in ask) return trees.get(ask.tree)?.closest(ask.closest);
    const tree = trees.get(ask.close);
    trees.delete(ask.close);
    return tree?.close();
  };
  // What large meshes leave behind in a thread is given back at once.
  const isKept = input.mesh.indices.length <= 3 * trianglesInPlace;
  const thread = takeThread();
  let isDone = false;
  const { promise, resolve, reject } = Promise.withResolvers<MeshWorkOutput<Name>>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  thread.on('message', (said: Answer<MeshWorkOutput<Name>>) => {
    isDone = 'output' in said || 'refused' in said;
    if ('output' in said) resolve(said.output);
    else if ('fraction' in said) report(said.fraction, said.stage);
    else if ('ask' in said) {
      answer(said.call, said.ask).then((value) => {
        thread.postMessage({ call: said.call, value }, [...buffersIn(value)]);
      }, reject);
    } else if ('refused' in said) reject(findError(said.refused));
    else reject(said.error);
  });
  thread.on('error', reject);
  thread.on('exit', (code) => reject(new Error(`a thread for ${name} ended with code ${code}`)));
  try {
    thread.postMessage({ name, input }, [...buffersIn(input)]);
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    if (isDone && isKept && !idle) keepThread(thread);
    // Not waited for: whoever cancels is answered at once, also where a thread takes its time to end.
    else void thread.terminate();
    for (const tree of trees.values()) void tree.close();
  }
}

/** One that has done its work: to start another takes longer than most comparisons of small meshes. */
let idle: Worker | undefined;

function takeThread(): Worker {
  const thread = idle ?? new Worker(new URL('./mesh-work-thread.ts', import.meta.url), { name: 'mesh work' });
  idle = undefined;
  thread.removeAllListeners();
  thread.ref();
  return thread;
}

/** A process may end although it has it. */
function keepThread(thread: Worker): void {
  idle = thread;
  thread.removeAllListeners();
  for (const end of ['error', 'exit']) {
    thread.once(end, () => {
      if (idle === thread) idle = undefined;
    });
  }
  thread.unref();
}
