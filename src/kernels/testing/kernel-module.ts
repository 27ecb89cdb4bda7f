import { readFile } from 'node:fs/promises';
import { buildKernels } from '../simd/build.ts';
import { compileKernels, type WasmModule } from '../simd/webassembly.ts';

let compiled: Promise<WasmModule> | undefined;

/**
 * The compiled kernels for tests, rebuilt when the sources are newer. One module per process, as in the product: each
 * module would be compiled again and optimized again at run time.
 */
export function kernelModule(): Promise<WasmModule> {
  compiled ??= buildKernels().then(async (path) => compileKernels(await readFile(path)));
  return compiled;
}
