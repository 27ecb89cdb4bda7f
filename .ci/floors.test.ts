import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..');
/** A copy of the files that the rules read: other checks read the project at the same time. */
const parts = [
  '.dependency-cruiser.cjs',
  '.dependency-cruiser.rooms.cjs',
  'package.json',
  'tsconfig.json',
  'src/tsconfig.json',
  'src/contract',
  'src/kernels',
];
let copy: string;
beforeEach(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'scanwright-floors-'));
  for (const part of parts) cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

const write = (file: string, text: string) => writeFileSync(path.join(copy, file), text);
const run = (program: string, ...args: string[]) =>
  spawnSync('node', [path.join('node_modules', program), ...args], { cwd: copy, encoding: 'utf8' });

describe('The floors', () => {
  test('refuse a kernel that imports the contract, Node or a package', () => {
    write(
      'src/kernels/crossing-floors.ts',
      "import { Uuid } from '#contract/base/primitives.ts';\nimport { readFileSync } from 'node:fs';\nimport { z } from 'zod';\nexport const crossing = [Uuid, readFileSync, z];\n",
    );
    // The same check that npm run floors calls.
    const config = ['--config', '.dependency-cruiser.cjs'];
    const file = 'src/kernels/crossing-floors.ts';
    const { stdout, status } = run('.bin/depcruise', ...config, '--output-type', 'err', file);
    const broken = (rule: string) => stdout.split('\n').filter((line) => line.includes(`error ${rule}:`));
    expect(broken('floor-kernels').join()).toContain('src/contract/base/primitives.ts');
    expect(broken('kernels-packages')).toHaveLength(2);
    expect(status).not.toBe(0);
  });

  test('let a kernel see neither DOM nor Node', () => {
    write('src/kernels/crossing-floors.ts', 'export const crossing = [process, document];\n');
    write(
      'src/kernels/crossing-floors.json',
      '{ "extends": "./tsconfig.json", "include": ["crossing-floors.ts"] }',
    );
    const { stdout, status } = run('typescript-native/bin/tsc', '-p', 'src/kernels/crossing-floors.json');
    expect(stdout).toContain("'process'");
    expect(stdout).toContain("'document'");
    expect(status).not.toBe(0);
  });

  test('refuse two folders of one floor that import each other', () => {
    // The surface kernels use meshes; mesh kernels must not know about surfaces.
    write(
      'src/kernels/mesh/crossing-rooms.ts',
      "export { noiseOf } from '../surface/noise.ts';\nexport { inlinePool } from '../pool.ts';\n",
    );
    const { stdout, status } = run(
      '.bin/depcruise',
      '--config',
      '.dependency-cruiser.rooms.cjs',
      'src/kernels/mesh',
      'src/kernels/surface',
    );
    expect(stdout).toMatch(/error no-cycles-of-folders: src\/kernels\/mesh/);
    expect(status).not.toBe(0);
  });
});
