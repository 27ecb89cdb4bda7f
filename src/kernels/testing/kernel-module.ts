import { readFile } from 'node:fs/promises';
import { buildKernels } from '../simd/build.ts';
import { compileKernels, type WasmModule } from '../simd/webassembly.ts';

/** The compiled kernels for tests: built when the sources are newer. */
export async function kernelModule(): Promise<WasmModule> {
  return compileKernels(await readFile(await buildKernels()));
}
