/** Builds kernels and dashboard when missing or out of date; used by the start, the tests and `npm run build`. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export class BuildFailed extends Error {}

/** SHA-256 over the names and contents of all files below the given paths. */
function contentHash(paths: string[]): string {
  // Vite embeds this environment variable in the page
  const hash = createHash('sha256').update(process.env.VITE_API_BASE_URL ?? '');
  const add = (file: string): void => {
    if (!existsSync(file)) return;
    if (statSync(file).isDirectory()) {
      for (const name of readdirSync(file).sort()) if (name !== 'node_modules') add(path.join(file, name));
      return;
    }
    // These are not part of the page; the type check writes .tsbuildinfo files beside the sources.
    if (/\.test\.tsx?$|\.tsbuildinfo$/.test(file)) return;
    hash.update(path.relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  };
  for (const one of paths) add(path.join(root, one));
  return hash.digest('hex');
}

interface Build {
  name: string;
  sources: string[];
  output: string;
  command: string[];
}

const builds: Build[] = [
  {
    name: 'kernels',
    sources: ['src/kernels/simd', 'package-lock.json'],
    output: 'dist/kernels',
    command: ['src/kernels/simd/build.ts'],
  },
  {
    name: 'dashboard',
    sources: [
      'index.html',
      'vite.config.ts',
      'public',
      'src/web',
      'src/contract',
      'src/formats',
      'src/kernels/color',
      'src/kernels/grid',
      'package-lock.json',
    ],
    output: 'dist/web',
    command: ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'],
  },
];

/**
 * Builds whatever is missing or older than its sources, reporting each in one line.
 *
 * @throws BuildFailed with the compiler's output
 */
export function buildWhatIsNeeded(say: (line: string) => void): void {
  for (const { name, sources, output, command } of builds) {
    const stamp = path.join(root, 'dist', `${path.basename(output)}.sha256`);
    const wanted = contentHash(sources);
    const has = existsSync(path.join(root, output)) && existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
    if (has === wanted) continue;
    const startedAt = performance.now();
    // Always production: the setting of a test runner would bundle React's slow development build.
    const env = { ...process.env, NODE_ENV: 'production' };
    const { status, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8', env });
    if (status !== 0) throw new BuildFailed(`the ${name} can't be built:\n${stderr}`);
    mkdirSync(path.dirname(stamp), { recursive: true });
    writeFileSync(stamp, wanted);
    say(`Built the ${name} once in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
  }
}

if (import.meta.main) buildWhatIsNeeded(console.log);
