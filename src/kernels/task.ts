import { signatures } from './simd/signatures.ts';
import type { KernelInput, KernelName, KernelOutput, Kernels, WasmMemory } from './simd/webassembly.ts';

/** Input that works on an arena's memory. */
export interface OnArena {
  memory: WasmMemory;
}

/**
 * A pure synchronous function on an arena's memory, which any thread can run by name after loading the module that
 * defines it. Usually short (a tenth of a second), so that work can be stopped between two tasks; a pool of threads
 * ends longer ones.
 */
export interface Task<Input, Output> {
  readonly name: string;
  /** URL of the module that defines it; null: one of the kernels */
  readonly module: string | null;
  run(kernels: Kernels, input: Input): Output;
}

const defined = new Map<string, Task<unknown, unknown>>();
const makeKey = ({ module, name }: Pick<Task<unknown, unknown>, 'module' | 'name'>) => `${module}#${name}`;

/** @param module `import.meta.url` of the caller, which must define the task whenever it is loaded */
export function defineTask<Input extends OnArena, Output>(
  module: string,
  name: string,
  run: (kernels: Kernels, input: Input) => Output,
): Task<Input, Output> {
  const task = { name, module, run };
  defined.set(makeKey(task), task as Task<unknown, unknown>);
  return task;
}

/** Every kernel as a task with the same name. */
export const kernelTasks = Object.fromEntries(
  Object.keys(signatures).map((name) => [
    name,
    {
      name,
      module: null,
      run: (kernels: Kernels, input: never) =>
        (kernels[name as KernelName] as (input: never) => unknown)(input),
    },
  ]),
) as unknown as {
  readonly [Name in KernelName]: Task<OnArena & KernelInput<Name>, KernelOutput<Name>>;
};

/** A kernel, or a task of a module loaded here. */
export function findTask(of: Pick<Task<unknown, unknown>, 'module' | 'name'>): Task<unknown, unknown> {
  const task = of.module === null ? kernelTasks[of.name as KernelName] : defined.get(makeKey(of));
  if (!task) throw new Error(`${of.module ?? 'the kernels'} define no task ${of.name}`);
  return task as Task<unknown, unknown>;
}
