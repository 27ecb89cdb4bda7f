/** The thread of work on a mesh, one piece at a time: its name and input come in, its output or its error goes out. */
import { parentPort } from 'node:worker_threads';
import { FormatError } from '#formats/format-error.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import type { ClosestPoints, OpenTree, SignedDistances } from '#kernels/spatial/surface-tree.ts';
import type { Report } from './analysis.ts';
import { buffersIn, type MeshWorkInput, type MeshWorkName, meshWork } from './mesh-work.ts';
import type { TreeCall } from './run-mesh-work.ts';

interface Work {
  name: MeshWorkName;
  input: MeshWorkInput<MeshWorkName>;
}

/** The caller has the kernels' threads, and keeps the trees. */
const waiting = new Map<number, (value: never) => void>();
let calls = 0;
parentPort?.on('message', (said: Work | { call: number; value: never }) => {
  if ('name' in said) return void doWork(said);
  waiting.get(said.call)?.(said.value);
  waiting.delete(said.call);
});
const ask = <Value>(asked: TreeCall, sent: ArrayBuffer[] = []) =>
  new Promise<Value>((resolve) => {
    waiting.set(++calls, resolve);
    parentPort?.postMessage({ call: calls, ask: asked }, sent);
  });
const open: OpenTree = async (mesh) => {
  const tree = await ask<number>({ open: mesh });
  return {
    distances: (query) => ask<SignedDistances>({ tree, distances: query }, [...buffersIn(query)]),
    // Copied: an alignment goes on with its points.
    closest: (query) => ask<ClosestPoints>({ tree, closest: query }),
    close: () => ask<void>({ close: tree }),
  };
};

async function doWork({ name, input }: Work): Promise<void> {
  try {
    const report: Report = (fraction, stage) => parentPort?.postMessage({ fraction, stage });
    const work = meshWork[name] as (input: unknown, report: Report, open: OpenTree) => Promise<unknown>;
    const output = await work(input, report, open);
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
}
