/** The thread of one piece of work on a mesh: its name and input come in, its output or its error goes out. */
import { parentPort, workerData } from 'node:worker_threads';
import { FormatError } from '#formats/format-error.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import type { DistancesTo } from '#kernels/spatial/distances.ts';
import type { SignedDistances } from '#kernels/spatial/signed-distance.ts';
import type { Report } from './analysis.ts';
import { buffersIn, type MeshWorkInput, type MeshWorkName, meshWork } from './mesh-work.ts';

const { name, input } = workerData as { name: MeshWorkName; input: MeshWorkInput<MeshWorkName> };
const work = meshWork[name] as (input: unknown, report: Report, distancesTo: DistancesTo) => Promise<unknown>;

/** The caller has the kernels' threads; its answer is the only message that ever comes. */
const askForDistances: DistancesTo = (mesh, points, limitMm) =>
  new Promise((resolve) => {
    parentPort?.once('message', ({ distances }: { distances: SignedDistances }) => resolve(distances));
    parentPort?.postMessage({ ask: { mesh, points, limitMm } }, [points.buffer as ArrayBuffer]);
  });

try {
  const report: Report = (fraction, stage) => parentPort?.postMessage({ fraction, stage });
  const output = await work(input, report, askForDistances);
  parentPort?.postMessage({ output }, [...buffersIn(output)]);
} catch (error) {
  // Classes don't survive the way between threads; these say what a user can do about it.
  const refused =
    error instanceof FormatError
      ? { by: 'format', code: error.code, message: error.message }
      : error instanceof KernelError
        ? { by: 'kernel', code: error.code, message: error.message }
        : undefined;
  parentPort?.postMessage(refused ? { refused } : { error });
}
