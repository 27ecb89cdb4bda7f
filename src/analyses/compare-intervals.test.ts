import { expect, it } from 'vitest';
import { judgeResult } from '#contract/analyses/gates.ts';
import { identityPose } from '#kernels/alignment/pose.ts';
import { inlinePool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { box, movedBody } from '#kernels/testing/bodies.ts';
import { boxMesh } from '#kernels/testing/compare-bodies.ts';
import { impairPart } from '#kernels/testing/families/impair.ts';
import { renderPart } from '#kernels/testing/families/render-part.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { compareDeviating, listNumbers } from './testing/deviation-cases.ts';
import { makeInput, runOnScan } from './testing/scan-run.ts';

const pool = inlinePool(await kernelModule());

it('intervals of the extremes hold pits that noise makes in a sound block', async () => {
  const at = [0.2, 0.3, 0.1] as const;
  const body = { body: movedBody(box([30, 28, 26]), [...at]), edgesMm: 0, pores: [], phases: [] };
  const rendered = renderPart(body, [48, 48, 48], [1, 1, 1], 0.6);
  const volume = await makeInput(impairPart(rendered, { contrastToNoise: 5, seed: 1 }), pool);
  const quality = (await judgeScan(volume)) ?? ('unjudged' as const);
  const referenceDataObjectId = '5b1bb1b5-0f0e-4a55-9d42-5f1f7a2c7c13';
  const { dataObjects } = await runOnScan(
    'runDecomposeMeshCompare',
    {
      ...{ referenceDataObjectId, tolerance: { lowerMm: -1, upperMm: 1 }, alignment: 'matrix' },
      ...{ matrix: identityPose(), maxDistanceMm: 6 },
    },
    volume,
    {
      pool,
      quality: async (id) => (id === 'scan' ? quality : null),
      part: async (id) =>
        id === 'scan' ? { volume } : { mesh: boxMesh([30, 28, 26], [...at]), deflectionMm: 0 },
    },
  );
  const { minMm, maxMm, uncertainties } = dataObjects[0].metadata;
  expect(minMm).toBeLessThan(-1.8);
  expect(-minMm).toBeLessThan(uncertainties?.minMm?.expanded ?? 0);
  expect(maxMm).toBeLessThan(uncertainties?.maxMm?.expanded ?? 0);
});

it('intervals of a comparison contain the deviations made, group by group, and stay indeterminate where they cannot tell', async () => {
  const compared = await compareDeviating(
    { defect: 'one face too high', by: 0.3, seed: 7, contrastToNoise: 15, blur: 0.7, alignment: 'matrix' },
    pool,
  );
  const numbers = listNumbers('block', compared);
  const held = numbers.filter(({ error, expanded }) => error <= expanded).length / numbers.length;
  expect(numbers.length).toBeGreaterThan(60);
  expect(held).toBeGreaterThan(0.95);
  const { scanned } = compared;
  expect(scanned.placeUncertainty?.medianMm).toBeCloseTo(scanned.guardBandMm, 1);
  // It is out of tolerance, by less than most single places are known to.
  expect(scanned.verdict).not.toBe('pass');
  expect(scanned.regions.every(({ uncertaintyMm }) => (uncertaintyMm ?? 0) > 0.05)).toBe(true);
  const expanded = scanned.uncertainties?.maxMm?.expanded ?? 0;
  const gate = { key: 'k', measure: 'compare.maxMm', comparison: '<=', unit: 'mm', guardBand: null } as const;
  const judgeAt = (limit: number) =>
    judgeResult({ ...gate, limit }, scanned.maxMm, { warnings: [], uncertainty: expanded, isCount: false })
      .verdict;
  expect(judgeAt(scanned.maxMm + expanded / 2)).toBe('indeterminate');
  expect(judgeAt(scanned.maxMm + 2 * expanded)).toBe('pass');
});
