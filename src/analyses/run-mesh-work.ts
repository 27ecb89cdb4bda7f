import { Worker } from 'node:worker_threads';
import { FormatError, type FormatErrorCode } from '#formats/format-error.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
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
  | { refused: { code: FormatErrorCode; message: string } };

/**
 * Does work on a mesh: a large one on a thread of its own, which ends at once when the signal is aborted, so that the
 * caller's thread stays free. The input's arrays are handed over: they are empty afterwards.
 * @throws the signal's reason; FormatError for a mesh that a format can't hold; whatever the work throws
 */
export async function runMeshWork<Name extends MeshWorkName>(
  name: Name,
  input: MeshWorkInput<Name> & { mesh: TriangleMesh },
  signal: AbortSignal,
  inPlace = trianglesInPlace,
): Promise<MeshWorkOutput<Name>> {
  signal.throwIfAborted();
  if (input.mesh.indices.length <= 3 * inPlace) {
    const work = meshWork[name] as (input: MeshWorkInput<Name>) => Promise<MeshWorkOutput<Name>>;
    return work(input);
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
    else if ('refused' in answer) reject(new FormatError(answer.refused.code, answer.refused.message));
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
