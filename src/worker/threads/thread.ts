/** One warm thread of the kernel pool. */
import { workerData } from 'node:worker_threads';
import { serveCalls } from '#analyses/threads/serve-calls.ts';
import { instantiateKernels, type WasmMemory, type WasmModule } from '#kernels/simd/webassembly.ts';
import { findTask } from '#kernels/task.ts';

export interface TaskCall {
  /** the task and its input without memory */
  name: string;
  module: string | null;
  inputs: object[];
  /** only when it differs from that of the previous task or has grown: sending it takes longer than a small task */
  memory?: WasmMemory;
}

const { module } = workerData as { module: WasmModule };
let memory: WasmMemory | undefined;

serveCalls<TaskCall>(async ({ name, module: definedIn, inputs, memory: sent }) => {
  memory = sent ?? memory;
  if (!memory) throw new Error('a task without memory');
  if (definedIn !== null) await import(definedIn);
  const task = findTask({ name, module: definedIn });
  const kernels = instantiateKernels(module, memory);
  return inputs.map((input) => task.run(kernels, { ...input, memory }));
});
