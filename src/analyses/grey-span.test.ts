/** Scans with very large or very small grey values are measured like any other, or refused with a reason. */
import { beforeAll, expect, it } from 'vitest';
import type { KernelPool } from '#kernels/arena.ts';
import type { Volume } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { seededNormal } from '#kernels/random.ts';
import { porousBlock } from '#kernels/testing/bodies.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { runOnJudgedScan } from './testing/scan-run.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});
const body = renderBody(porousBlock([3.2, 3, 2.8], [{ centerMm: [0.3, 0.2, 0], radiusMm: 0.5 }]), {
  dimensions: [48, 46, 44],
  voxelSizeMm: [0.1, 0.1, 0.1],
});
function scaled(factor: number): Volume {
  const normal = seededNormal(3);
  return {
    ...body,
    dataType: 'float32',
    data: Float32Array.from(body.data, (v) => ((v - 8000) / 32000 + 0.02 * normal()) * factor),
  };
}

const kinds = ['createMesh', 'runIntegrityAnalysis', 'runWallThickness'] as const;
const parametersOf = { createMesh: {}, runIntegrityAnalysis: {}, runWallThickness: { minThicknessMm: 1 } };
const numberOf = { createMesh: 'volumeMm3', runIntegrityAnalysis: 'porosity', runWallThickness: 'meanMm' };
const measure = async (kind: (typeof kinds)[number], factor: number) => {
  const { dataObjects } = await runOnJudgedScan(kind, scaled(factor), pool, parametersOf[kind]);
  return Number(Reflect.get(dataObjects[0].metadata, numberOf[kind]));
};

it.each(kinds)('%s gives the same numbers from 1e-14 to 1e14', async (kind) => {
  const usual = await measure(kind, 1);
  for (const factor of [1e-14, 1e14]) expect(await measure(kind, factor)).toBeCloseTo(usual, 5);
});

it.each(kinds)('%s says of greater and smaller ones what is wrong with them', async (kind) => {
  for (const factor of [1e-38, 1e-17, 1e17, 1e38])
    await expect(measure(kind, factor)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringMatching(/^The grey values span \d\.\de[+-]\d+, and spans from 1e-15 to 1e\+15 /),
    });
});
