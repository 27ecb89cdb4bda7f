/** One warm thread of the kernel pool: a task in, its output or its error out. */
import { parentPort, workerData } from 'node:worker_threads';
import { runTask } from '#kernels/pool.ts';
import type { WasmModule } from '#kernels/simd/webassembly.ts';
import type { TaskInput, TaskName } from '#kernels/tasks.ts';

export interface TaskMessage {
  name: TaskName;
  input: TaskInput<TaskName>;
}
export type AnswerMessage = { output: unknown } | { error: unknown };

const { module } = workerData as { module: WasmModule };

parentPort?.on('message', ({ name, input }: TaskMessage) => {
  let answer: AnswerMessage;
  try {
    answer = { output: runTask(module, name, input) };
  } catch (error) {
    answer = { error };
  }
  parentPort?.postMessage(answer);
});
