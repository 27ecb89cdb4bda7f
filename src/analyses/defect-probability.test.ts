import { expect, it } from 'vitest';
import { inlinePool } from '#kernels/pool.ts';
import { blurVolume } from '#kernels/testing/blur.ts';
import { carve } from '#kernels/testing/carve.ts';
import { addArtefacts } from '#kernels/testing/families/artefacts.ts';
import { flawedPart, type VoidShape } from '#kernels/testing/families/flawed-parts.ts';
import { impairPart } from '#kernels/testing/families/impair.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { listReal } from './testing/defect-truth.ts';
import { runIntegrity } from './testing/integrity-run.ts';

const pool = inlinePool(await kernelModule());

/** A part with flaws among rings and streaks. */
function simulateScan({
  shapes,
  seed,
  height,
}: {
  shapes: readonly VoidShape[];
  seed: number;
  height: number;
}) {
  const part = flawedPart(seed, { shapes, count: 6, radii: [2, 3.5], gap: 3 });
  const volume = renderBody(part.body, {
    ...{ dimensions: [56, 56, 56], voxelSizeMm: [1, 1, 1] },
    ...{ dataType: 'float32', air: 0, material: 1 },
  });
  for (const { body, share } of part.phases) carve(volume, [body], share);
  blurVolume(volume, 0.6);
  const { dimensions, voxelSizeMm } = volume;
  const heights = Float32Array.from(volume.data);
  const rendered = { dimensions, voxelSizeMm, heights, volumeMm3: Number.NaN, areaMm2: Number.NaN };
  const artefacts = { rings: { height, count: 16 }, streaks: { height, count: 10 }, seed: 9 };
  return { part, scan: impairPart(addArtefacts(rendered, artefacts), { contrastToNoise: 12 }) };
}

const cases: { name: string; shapes: VoidShape[]; kind: string; seed: number; height: number }[] = [
  { name: 'closed pores', shapes: ['ball'], kind: 'porosity', seed: 5, height: 0.55 },
  { name: 'pits and grooves', shapes: ['pit', 'slot'], kind: 'porosity', seed: 2, height: 0.4 },
  { name: 'cracks', shapes: ['crack', 'fissure'], kind: 'crack', seed: 4, height: 0.4 },
  { name: 'inclusions', shapes: ['inclusion', 'splinter'], kind: 'inclusion', seed: 4, height: 0.25 },
];

it.each(cases)(
  'tells $name from what rings and streaks leave, and leaves the improbable out on demand',
  async (each) => {
    const kinds = [each.kind];
    const { part, scan } = simulateScan(each);
    const { defects, files } = await runIntegrity(scan, pool, { kinds, minSignificance: 0 });
    const found = listReal(defects, files, part);
    const averageProbability = (isReal: boolean) => {
      const some = defects.filter(({ id }) => found.has(id) === isReal);
      return some.reduce((sum, { probability }) => sum + probability, 0) / some.length;
    };
    expect(found.size).toBeGreaterThan(1);
    expect(defects.length - found.size).toBeGreaterThan(1);
    expect(averageProbability(true) - averageProbability(false)).toBeGreaterThan(0.3);
    const minProbability = 0.5;
    const probable = defects.filter(({ probability }) => probability >= minProbability);
    expect(probable.length).toBeLessThan(defects.length);
    const filtered = await runIntegrity(scan, pool, { kinds, minSignificance: 0, minProbability });
    expect(filtered.defects.map(({ centerMm }) => centerMm)).toEqual(
      probable.map(({ centerMm }) => centerMm),
    );
    expect(filtered.metadata.defectCount).toBe(probable.length);
  },
);
