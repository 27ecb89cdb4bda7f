/** One warm thread of the kernel pool: tasks in, their outputs or an error out. */
import { parentPort, workerData } from 'node:worker_threads';
import { runTask } from '#kernels/pool.ts';
import type { WasmMemory, WasmModule } from '#kernels/simd/webassembly.ts';
import type { TaskInput, TaskName } from '#kernels/tasks.ts';

export interface TaskMessage {
  name: TaskName;
  inputs: Omit<TaskInput<TaskName>, 'memory'>[];
  /** where it is another than that of the task before, or has grown: sending it takes longer than a small task */
  memory?: WasmMemory;
}
export type AnswerMessage = { outputs: unknown[] } | { error: unknown };

const { module } = workerData as { module: WasmModule };
let memory: WasmMemory | undefined;

parentPort?.on('message', ({ name, inputs, memory: sent }: TaskMessage) => {
  memory = sent ?? memory;
  let answer: AnswerMessage;
  try {
    answer = {
      outputs: inputs.map((input) => runTask(module, name, { ...input, memory } as TaskInput<TaskName>)),
    };
  } catch (error) {
    answer = { error };
  }
  parentPort?.postMessage(answer);
});
