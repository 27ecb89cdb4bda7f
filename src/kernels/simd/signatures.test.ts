import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readSources } from './build.ts';
import { describeKernels } from './describe-kernels.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Source files that all calls import, parsed once. */
const sources = new Map<string, ts.SourceFile | undefined>();
/** Compiler messages for a call of a kernel. */
function compile(call: string): string[] {
  const path = here('./call-of-a-kernel.ts');
  const text = `import type { Address, Kernels, WasmMemory } from './webassembly.ts';
    import type { KernelPool } from '../arena.ts';
    import { kernelTasks } from '../task.ts';
    declare const pool: KernelPool;
    declare const memory: WasmMemory;
    declare const kernels: Kernels;
    declare const grid: Address<'Grid'>;
    declare const surface: Address<'Surface'>;
    export const result = ${call};`;
  const { config } = ts.readConfigFile(here('../../../tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, here('..'));
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, version) => {
    if (name === path) return ts.createSourceFile(name, text, version);
    if (!sources.has(name)) sources.set(name, getSourceFile(name, version));
    return sources.get(name);
  };
  const program = ts.createProgram(
    [path, here('../ambient.d.ts')],
    { ...options, incremental: false, noUnusedLocals: false },
    host,
  );
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the signatures of the kernels', () => {
  it('are what the AssemblyScript sources say', async () => {
    expect(await readFile(here('./signatures.ts'), 'utf8')).toBe(describeKernels(await readSources()));
  });

  it.each([
    ['kernels.countRows({ grid, surface, zFrom: 0, zTo: 1 })', null],
    ['kernels.countRows({ grid, surface, zFrom: 0 })', "Property 'zTo' is missing"],
    ['kernels.countRows({ grid, surface, zFrom: 0, zTo: 1, zEnd: 1 })', "'zEnd' does not exist"],
    ['kernels.countRows({ grid: surface, surface: grid, zFrom: 0, zTo: 1 })', 'is not assignable'],
    ['kernels.countRows({ grid: 4, surface, zFrom: 0, zTo: 1 })', 'is not assignable'],
    ["kernels.countRows({ grid, surface, zFrom: '0', zTo: 1 })", 'is not assignable'],
    ['kernels.countRows(grid, surface, 0, 1)', 'Expected 1 arguments'],
    [
      'kernels.joinRuns({ grid, components: 0 as never, zFrom: 0, zTo: 1, seamOnly: 1, all26: true })',
      'is not assignable',
    ],
    ['kernels.countLines({})', "Property 'countLines' does not exist"],
    ['pool.run(kernelTasks.countRows, { memory, grid, surface, zFrom: 0, zTo: 1 })', null],
    ['pool.run(kernelTasks.countRows, { memory, grid, surface, zFrom: 0 })', "Property 'zTo' is missing"],
    ['pool.run(kernelTasks.countRows, { memory, grid, surface, zFrom: 0, to: 1 })', "'to' does not exist"],
  ])('decide whether a call compiles: %s', (call, problem) => {
    const problems = compile(call);
    if (problem === null) expect(problems).toEqual([]);
    else expect(problems.join('\n')).toContain(problem);
  });

  it.each([
    ['export function a(b: string): void {}', 'b is of kind string'],
    ['@unmanaged export class A { b: i64; }', 'b is of kind i64'],
    ['export function (', 'ERROR'],
  ])('are refused when no valid call exists: %s', (text, problem) => {
    expect(() => describeKernels([{ name: 'wrong.ts', text }])).toThrow(problem);
  });
});
