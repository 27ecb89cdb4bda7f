import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const repository = path.join(import.meta.dirname, '../../..');
const runs = ['formats', 'sphere'];
/** A third of the limit for a full volume, which has eight times the vertices and is measured by `npm run bench`. */
const limitMebibytes = 1024;

describe('a volume of 512³ cells, every fourth layer of parts half full,', () => {
  it('is meshed, written in every format and measured within 1 GiB by the threads of the worker', () => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['bench/kernels-512.ts', '512', 'sparse', ...runs],
      {
        cwd: repository,
        encoding: 'utf8',
      },
    );
    expect(status, stderr).toBe(0);
    for (const run of runs) {
      const line = new RegExp(`^${run} 512³.* peak (\\d+) MiB.* (\\d+) triangles$`, 'm').exec(stdout);
      expect(Number(line?.[2]), stdout).toBeGreaterThan(1e6);
      expect(Number(line?.[1]), line?.[0]).toBeLessThan(limitMebibytes);
    }
  }, 600_000);
});
