import { beforeAll, expect, it } from 'vitest';
import type { KernelPool } from '#kernels/arena.ts';
import { inlinePool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { type Body, box, measureLength, movedBody, turnedBody } from '#kernels/testing/bodies.ts';
import { impairedScan } from '#kernels/testing/impaired-scans.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { runIntegrity } from './testing/integrity-run.ts';
import { makeInput } from './testing/scan-run.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

/** Closed cubes of air in a cube, `count` along each edge, with walls between and around them. */
function makeCrate(count: number, cell: number, wall: number) {
  const size = count * cell + (count + 1) * wall;
  const outside = box([size, size, size]);
  const measureCell = (x: number) => {
    const nearest = Math.round(x / (cell + wall) + (count - 1) / 2);
    const number = Math.min(count - 1, Math.max(0, nearest));
    return Math.abs(x - (number - (count - 1) / 2) * (cell + wall)) - cell / 2;
  };
  const body: Body = {
    ...outside,
    distanceMm: (x, y, z) =>
      Math.max(outside.distanceMm(x, y, z), -Math.max(measureCell(x), measureCell(y), measureCell(z))),
  };
  return { body, share: (count * cell) ** 3 / size ** 3 };
}

const shells: Body = {
  ...box([46, 46, 46]),
  distanceMm: (x, y, z) => {
    const radius = measureLength(x, y, z);
    return Math.min(Math.max(radius - 23, 19.5 - radius), Math.max(radius - 15, 11 - radius), radius - 6);
  },
};
const shellsShare = (19.5 ** 3 - 15 ** 3 + 11 ** 3 - 6 ** 3) / 23 ** 3;

/** When no shell around a void shows the material's level, the interval includes that, and the void still counts. */
it('finds voids between walls too thin for a shell', async () => {
  const crate = makeCrate(4, 5, 2.5);
  for (const { body, count, share, contrastToNoise } of [
    {
      body: movedBody(turnedBody(crate.body, [8, 5, 12]), [0.3, 0.1, 0.4]),
      count: 64,
      share: crate.share,
      contrastToNoise: 10,
    },
    { body: movedBody(shells, [0.4, 0.2, 0.1]), count: 2, share: shellsShare, contrastToNoise: 20 },
  ]) {
    const volume = impairedScan(body, [64, 64, 64], { blur: 0.6, contrastToNoise, seed: 5 });
    const input = await makeInput(volume, pool);
    const { metadata } = await runIntegrity(input, pool, {}, await judgeScan(input));
    expect(metadata.defectCount).toBe(count);
    expect(Math.abs((metadata.closedPorosity ?? Number.NaN) - share)).toBeLessThan(
      metadata.uncertainties?.['closedPorosity']?.expanded ?? 0,
    );
  }
});
