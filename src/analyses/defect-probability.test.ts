import { expect, it } from 'vitest';
import { blurVolume } from '#kernels/phantoms/blur.ts';
import { renderBody } from '#kernels/phantoms/render.ts';
import { inlinePool } from '#kernels/pool.ts';
import { addArtefacts } from '#kernels/testing/families/artefacts.ts';
import { countVolume, flawedPart } from '#kernels/testing/families/flawed-parts.ts';
import { impairPart } from '#kernels/testing/families/impair.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { isReal } from './testing/defect-truth.ts';
import { runIntegrity } from './testing/integrity-run.ts';

it('tells pores from what strong rings and streaks leave, and leaves the improbable out on demand', async () => {
  const pool = inlinePool(await kernelModule());
  const part = flawedPart(5, { shapes: ['ball'], count: 6, radii: [2, 3.5], gap: 3 });
  const volume = renderBody(part.body, {
    ...{ dimensions: [56, 56, 56], voxelSizeMm: [1, 1, 1] },
    ...{ dataType: 'float32', air: 0, material: 1 },
  });
  blurVolume(volume, 0.6);
  const { dimensions, voxelSizeMm } = volume;
  const heights = Float32Array.from(volume.data);
  const rendered = { dimensions, voxelSizeMm, heights, volumeMm3: Number.NaN, areaMm2: Number.NaN };
  const artefacts = { rings: { height: 0.55, count: 16 }, streaks: { height: 0.55, count: 10 }, seed: 9 };
  const scan = impairPart(addArtefacts(rendered, artefacts), { contrastToNoise: 12 });
  const { defects } = await runIntegrity(scan, pool, { minSignificance: 0 });
  const volumes = part.voids.map((each) => countVolume(each, 0.33));
  const closed = defects.flatMap(({ probability, ...rest }) =>
    probability === null
      ? []
      : [{ probability, isReal: isReal({ ...rest, probability }, part.voids, volumes) }],
  );
  const real = closed.filter((each) => each.isReal);
  const others = closed.filter((each) => !each.isReal);
  const sum = (some: typeof closed) => some.reduce((all, { probability }) => all + probability, 0);
  expect([real.length, others.length]).toEqual([5, 3]);
  expect(Math.abs(sum(closed) - real.length)).toBeLessThan(1);
  expect(sum(real) / real.length - sum(others) / others.length).toBeGreaterThan(0.4);
  const least = { minSignificance: 0, minProbability: 0.7 };
  const probable = (await runIntegrity(scan, pool, least)).defects.filter(
    (each) => each.probability !== null,
  );
  expect(probable.length).toBe(closed.filter(({ probability }) => probability >= 0.7).length);
  expect(probable.length).toBeLessThan(closed.length);
});
