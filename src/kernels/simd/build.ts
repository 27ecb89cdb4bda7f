/** `npm run build:kernels`: AssemblyScript sources -> dist/kernels/kernels.wasm and signatures.ts, skipped while up to date. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main as compile } from 'assemblyscript/asc';
import { describeKernels } from './describe-kernels.ts';

const sources = fileURLToPath(new URL('./assembly/', import.meta.url));
const signatures = fileURLToPath(new URL('./signatures.ts', import.meta.url));
const target = fileURLToPath(new URL('../../../dist/kernels/kernels.wasm', import.meta.url));
const options = [
  '--optimizeLevel',
  '3',
  '--shrinkLevel',
  '0',
  '--noAssert',
  '--runtime',
  'stub',
  '--enable',
  'simd,threads,bulk-memory',
  '--importMemory',
  '--sharedMemory',
  '--maximumMemory',
  '65536',
  '--initialMemory',
  '1',
]; // prettier-ignore

export async function readSources(): Promise<{ name: string; text: string }[]> {
  const names = (await readdir(sources)).filter((name) => name.endsWith('.ts')).sort();
  return Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(sources, name), 'utf8') })),
  );
}

/** Builds if the sources, the options or the compiler changed; returns the path of the module. */
export async function buildKernels(): Promise<string> {
  const all = await readSources();
  const hash = createHash('sha256').update(options.join(' '));
  const compilerPackage = fileURLToPath(
    new URL('../package.json', import.meta.resolve('assemblyscript/asc')),
  );
  hash.update(await readFile(compilerPackage));
  for (const { name, text } of all) hash.update(name).update(text);
  const built = hash.digest('hex');
  const computeStamp = (described: string) =>
    createHash('sha256').update(built).update(described).digest('hex');
  const stamp = `${target}.sha256`;
  const [present, described, bytes] = await Promise.all([
    readFile(stamp, 'utf8').catch(() => ''),
    readFile(signatures, 'utf8').catch(() => ''),
    readFile(target).catch(() => null),
  ]);
  if (present === computeStamp(described) && bytes) return target;
  const wanted = describeKernels(all);
  // Only rewritten when it differs, so that file watchers are not triggered for nothing.
  if (wanted !== described) await writeFile(signatures, wanted);
  await mkdir(dirname(target), { recursive: true });
  // Written to a temporary file and renamed: two concurrent builds never leave a half-written module.
  const draft = `${target}.${process.pid}`;
  const { error, stderr } = await compile([
    ...all.map(({ name }) => join(sources, name)),
    '--outFile',
    draft,
    ...options,
  ]);
  if (error) throw new Error(`the kernels do not compile: ${error.message}\n${stderr.toString()}`);
  await rename(draft, target);
  await writeFile(stamp, computeStamp(wanted));
  return target;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = await buildKernels();
  process.stdout.write(`kernels: ${path}\n`);
}
