/**
 * Type-checks everything, two programs at a time. Floors that see the same, Node without DOM, are one program: each of
 * them alone would check what it imports once more. Kernels really see neither.
 */
import { spawn } from 'node:child_process';

const all = ['src/web', '.ci', 'src/kernels', 'src'];
const wanted = process.argv.slice(2);
const unknown = wanted.find((program) => !all.includes(program));
if (unknown !== undefined)
  throw new Error(`${unknown} is no program of its own; there are ${all.join(', ')}`);
const programs = wanted.length === 0 ? [...all] : wanted;
let failed = 0;

const compile = (program: string) =>
  new Promise<void>((resolve) => {
    const compiler = spawn('node', ['node_modules/typescript/bin/tsc', '-p', program], { stdio: 'inherit' });
    compiler.once('close', (status) => {
      if (status !== 0) failed++;
      resolve();
    });
  });

const checkNext = async () => {
  for (let program = programs.shift(); program !== undefined; program = programs.shift())
    await compile(program);
};
await Promise.all([checkNext(), checkNext()]);
process.exit(failed === 0 ? 0 : 1);
