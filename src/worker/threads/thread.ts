/** One warm thread of the kernel pool: tasks in, their outputs or an error out. */
import { parentPort, workerData } from 'node:worker_threads';
import { instantiateKernels, type WasmMemory, type WasmModule } from '#kernels/simd/webassembly.ts';
import { findTask } from '#kernels/task.ts';

export interface TaskMessage {
  /** which task, and what it is called with but for its memory */
  name: string;
  module: string | null;
  inputs: object[];
  /** where it is another than that of the task before, or has grown: sending it takes longer than a small task */
  memory?: WasmMemory;
}
export type AnswerMessage = { outputs: unknown[] } | { error: unknown };

const { module } = workerData as { module: WasmModule };
let memory: WasmMemory | undefined;

parentPort?.on('message', async ({ name, module: definedIn, inputs, memory: sent }: TaskMessage) => {
  memory = sent ?? memory;
  let answer: AnswerMessage;
  try {
    if (!memory) throw new Error('a task without memory');
    if (definedIn !== null) await import(definedIn);
    const task = findTask({ name, module: definedIn });
    const kernels = instantiateKernels(module, memory);
    answer = { outputs: inputs.map((input) => task.run(kernels, { ...input, memory })) };
  } catch (error) {
    answer = { error };
  }
  parentPort?.postMessage(answer);
});
