import { expect, it } from 'vitest';
import { inlinePool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { blurVolume } from '#kernels/testing/blur.ts';
import { hollowCylinder, movedBody, sphere } from '#kernels/testing/bodies.ts';
import { without } from '#kernels/testing/families/flawed-parts.ts';
import { impairPart } from '#kernels/testing/families/impair.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { runIntegrity } from './testing/integrity-run.ts';
import { makeInput } from './testing/scan-run.ts';

it('does not take dark ring centres for pores, and keeps a pore on the ring axis', async () => {
  const pool = inlinePool(await kernelModule());
  const pore = movedBody(sphere(3.5), [0.5, 0, -8]);
  const body = without(hollowCylinder(20, 0, 44), [pore]);
  const volume = renderBody(body, {
    ...{ dimensions: [56, 56, 56], voxelSizeMm: [1, 1, 1] },
    ...{ dataType: 'float32', air: 0, material: 1 },
  });
  blurVolume(volume, 0.6);
  const { dimensions, voxelSizeMm } = volume;
  const heights = Float32Array.from(volume.data);
  // Spots of two planes on the axis, as pixels that err by some percent leave them.
  const middle = (dimensions[0] - 1) / 2;
  for (const z of [31, 32, 38, 39])
    for (let y = 26; y < 30; y++)
      for (let x = 26; x < 30; x++)
        heights[(z * 56 + y) * 56 + x] -= 1.1 * Math.exp(-((x - middle) ** 2 + (y - middle) ** 2) / 1.3);
  const rendered = { dimensions, voxelSizeMm, heights, volumeMm3: Number.NaN, areaMm2: Number.NaN };
  const scan = impairPart(rendered, { contrastToNoise: 25, rings: { height: 0.05 } });
  const input = await makeInput(scan, pool);
  const quality = await judgeScan(input);
  expect(quality?.rings).toBeGreaterThan(0.03);
  const unjudged = (await runIntegrity(input, pool)).defects;
  expect(unjudged.length).toBeGreaterThan(1);
  const { defects } = await runIntegrity(input, pool, {}, quality);
  expect(defects.length).toBe(1);
  expect(defects[0].centerMm[2]).toBeCloseTo(-8, 0);
});
