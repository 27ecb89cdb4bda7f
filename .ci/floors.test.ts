import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';

afterEach(() => rmSync('src/kernels/crossing-floors.ts', { force: true }));

describe('The floors', () => {
  test('refuse a kernel that imports the contract, Node or a package', () => {
    writeFileSync(
      'src/kernels/crossing-floors.ts',
      "import { Uuid } from '#contract/shapes/primitives.ts';\nimport { readFileSync } from 'node:fs';\nimport { z } from 'zod';\nexport const crossing = [Uuid, readFileSync, z];\n",
    );
    // The check itself, as npm run floors calls it.
    const { stdout, status } = spawnSync(
      'depcruise',
      ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'src/kernels'],
      { encoding: 'utf8' },
    );
    const broken = (rule: string) => stdout.split('\n').filter((line) => line.includes(`error ${rule}:`));
    expect(broken('floor-kernels').join()).toContain('src/contract/shapes/primitives.ts');
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
});
