import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';

const crossings = ['src/kernels/crossing-floors.ts', 'src/kernels/mesh/crossing-rooms.ts'];
afterEach(() => {
  for (const crossing of crossings) rmSync(crossing, { force: true });
});

describe('The floors', () => {
  test('refuse a kernel that imports the contract, Node or a package', () => {
    writeFileSync(
      'src/kernels/crossing-floors.ts',
      "import { Uuid } from '#contract/base/primitives.ts';\nimport { readFileSync } from 'node:fs';\nimport { z } from 'zod';\nexport const crossing = [Uuid, readFileSync, z];\n",
    );
    // The check itself, as npm run floors calls it.
    const { stdout, status } = spawnSync(
      'depcruise',
      ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'src/kernels'],
      { encoding: 'utf8' },
    );
    const broken = (rule: string) => stdout.split('\n').filter((line) => line.includes(`error ${rule}:`));
    expect(broken('floor-kernels').join()).toContain('src/contract/base/primitives.ts');
    expect(broken('kernels-packages')).toHaveLength(2);
    expect(status).not.toBe(0);
  });

  test('let a kernel see neither DOM nor Node', () => {
    writeFileSync('src/kernels/crossing-floors.ts', 'export const crossing = [process, document];\n');
    const { stdout, status } = spawnSync('node', ['node_modules/typescript/bin/tsc', '-p', 'src/kernels'], {
      encoding: 'utf8',
    });
    expect(stdout).toContain("'process'");
    expect(stdout).toContain("'document'");
    expect(status).not.toBe(0);
  });

  test('refuse two rooms of one floor that know each other', () => {
    // The surface is made of meshes; a mesh knows nothing of where it came from.
    writeFileSync(
      'src/kernels/mesh/crossing-rooms.ts',
      "export { noiseOf } from '../surface/noise.ts';\nexport { inlinePool } from '../pool.ts';\n",
    );
    const { stdout, status } = spawnSync(
      'depcruise',
      ['--config', '.dependency-cruiser.rooms.cjs', 'src/kernels'],
      { encoding: 'utf8' },
    );
    expect(stdout).toMatch(/error no-cycles-of-folders: src\/kernels\/mesh/);
    expect(status).not.toBe(0);
  });
});
