import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';

const cruise = (...paths: string[]) =>
  spawnSync('npx', ['depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...paths], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });

afterEach(() => rmSync('src/kernels/crossing-floors.ts', { force: true }));

describe('The floors', () => {
  test('hold, over more than a hundred modules', () => {
    const { summary } = JSON.parse(cruise('src').stdout);
    expect(
      summary.violations.map(
        ({ from, to, rule }: Record<string, { name: string }>) => `${rule.name}: ${from} → ${to}`,
      ),
    ).toEqual([]);
    expect(summary.totalCruised).toBeGreaterThan(100);
  });

  test('refuse a kernel that imports the contract, Node or a package', () => {
    writeFileSync(
      'src/kernels/crossing-floors.ts',
      "import { Uuid } from '#contract/shapes/primitives.ts';\nimport { readFileSync } from 'node:fs';\nimport { z } from 'zod';\nexport const crossing = [Uuid, readFileSync, z];\n",
    );
    const { stdout } = cruise('src/kernels');
    const names = JSON.parse(stdout).summary.violations.map(
      ({ rule }: { rule: { name: string } }) => rule.name,
    );
    expect(names).toContain('floor-kernels');
    expect(names.filter((name: string) => name === 'kernels-packages')).toHaveLength(2);
    // the check itself, as npm run floors calls it, ends with an error
    expect(
      spawnSync('npx', ['depcruise', '--config', '.dependency-cruiser.cjs', 'src/kernels']).status,
    ).not.toBe(0);
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
