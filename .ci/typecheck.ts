/**
 * Type-checks everything, two programs at a time. Floors with the same libraries (Node without DOM) form one program,
 * because each of them alone would check its imports again. Kernels are checked without Node and DOM.
 *
 * The strict floors are checked with `noUncheckedIndexedAccess`, which kernels need not pass. Web's tests pass it; those of
 * the other floors do not yet, so that their floors are checked twice.
 */
import { spawn } from 'node:child_process';

/**
 * The native compiler takes a quarter of the time of the one whose API the generator and dependency-cruiser need. One
 * checker per program, because two programs are checked at once. Garbage is collected less often, because memory is
 * cheaper here than collecting it.
 */
const tsc = 'node_modules/typescript-native/bin/tsc';
const strict = ['src/web', '.ci/strict'];
const strictFloors = /^src\/(contract|storage|service|analyses|formats|worker|web)\//;
const programs = ['src/web', '.ci', '.ci/strict', 'src/kernels', 'src'];
let failed = 0;

/** Whether the error is in web, in product code of another strict floor, or in no file at all. */
const isStrict = (error: string): boolean =>
  /^(src\/web\/|(?!src\/))/.test(error) ||
  (strictFloors.test(error) && !/^[^(]*(\.test\.|\/testing\/)/.test(error));

const compile = (program: string) =>
  new Promise<void>((resolve) => {
    const compiler = spawn('node', [tsc, '--pretty', 'false', '--checkers', '1', '-p', program], {
      env: { GOGC: '400', ...process.env },
      stdio: ['inherit', 'pipe', 'inherit'],
    });
    let output = '';
    compiler.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    compiler.once('close', (status) => {
      const errors = output.split(/\n(?=\S)/).filter((error) => error.includes('error TS'));
      const own = strict.includes(program) ? errors.filter(isStrict) : errors;
      if (own.length > 0) console.error(own.join('\n'));
      if (own.length > 0 || (status !== 0 && errors.length === 0)) failed++;
      resolve();
    });
  });

const checkNext = async () => {
  for (let program = programs.shift(); program !== undefined; program = programs.shift())
    await compile(program);
};
await Promise.all([checkNext(), checkNext()]);
process.exit(failed === 0 ? 0 : 1);
