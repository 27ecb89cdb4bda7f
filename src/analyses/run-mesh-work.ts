import { Worker } from 'node:worker_threads';
import { FormatError, type FormatErrorCode } from '#formats/format-error.ts';
import { KernelError, type KernelErrorCode } from '#kernels/kernel-error.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { KernelPool } from '#kernels/pool.ts';
import { type DistancesTo, distancesOnThreads, type Triangles } from '#kernels/spatial/distances.ts';
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
  | { ask: { mesh: Triangles; points: Float64Array; limitMm: number } }
  | { refused: Refusal };
type Refusal =
  | { by: 'format'; code: FormatErrorCode; message: string }
  | { by: 'kernel'; code: KernelErrorCode; message: string };

const errorOf = (refused: Refusal): Error =>
  refused.by === 'format'
    ? new FormatError(refused.code, refused.message)
    : new KernelError(refused.code, refused.message);

/**
 * Does work on a mesh: a large one on a thread of its own, which ends at once when the signal is aborted, so that the
 * caller's thread stays free. The input's arrays are handed over: they are empty afterwards.
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
  const distancesTo: DistancesTo = (mesh, points, limitMm) => {
    if (!pool) throw new Error(`${name} measures distances and was given no threads for that`);
    return distancesOnThreads(pool, mesh, points, limitMm, { signal });
  };
  if (input.mesh.indices.length <= 3 * inPlace) {
    const work = meshWork[name] as (
      input: MeshWorkInput<Name>,
      report: Report,
      distancesTo: DistancesTo,
    ) => Promise<MeshWorkOutput<Name>>;
    return work(input, report, distancesTo);
  }
  const thread = new Worker(new URL('./mesh-work-thread.ts', import.meta.url), {
    workerData: { name, input },
    transferList: [...buffersIn(input)],
    name: 'mesh work',
  });
  const { promise, resolve, reject } = Promise.withResolvers<MeshWorkOutput<Name>>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  thread.on('message', (answer: Answer<MeshWorkOutput<Name>>) => {
    if ('output' in answer) resolve(answer.output);
    else if ('fraction' in answer) report(answer.fraction, answer.stage);
    else if ('ask' in answer) {
      const { mesh, points, limitMm } = answer.ask;
      distancesTo(mesh, points, limitMm).then((distances) => {
        thread.postMessage({ distances }, [...buffersIn(distances)]);
      }, reject);
    } else if ('refused' in answer) reject(errorOf(answer.refused));
    else reject(answer.error);
  });
  thread.on('error', reject);
  thread.on('exit', (code) => reject(new Error(`a thread for ${name} ended with code ${code}`)));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    // Not waited for: whoever cancels is answered at once, also where a thread takes its time to end.
    void thread.terminate();
  }
}
