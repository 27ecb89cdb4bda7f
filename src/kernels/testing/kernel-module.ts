import { readFile } from 'node:fs/promises';
import { buildKernels } from '../simd/build.ts';
import { compileKernels, type WasmModule } from '../simd/webassembly.ts';

let compiled: Promise<WasmModule> | undefined;

/**
 * The compiled kernels for tests: built when the sources are newer. One module for a process, as in the product: each
 * would be compiled anew, and made fast anew while it runs.
 */
export function kernelModule(): Promise<WasmModule> {
  compiled ??= buildKernels().then(async (path) => compileKernels(await readFile(path)));
  return compiled;
}
