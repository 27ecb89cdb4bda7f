import { expect, it } from 'vitest';
import { judgeResult } from '#contract/analyses/gates.ts';
import { inlinePool } from '#kernels/pool.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { compareDeviating, listNumbers } from './testing/deviation-cases.ts';

it('intervals of a comparison contain the deviations made, group by group, and stay indeterminate where they cannot tell', async () => {
  const pool = inlinePool(await kernelModule());
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
