import { describe, expect, it } from 'vitest';
import type { Gate } from '#contract/analyses/gates.ts';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import { isSameStep, listChangedGates, readJudged, rejudge } from './rejudge.ts';

const mesh: RecipeStep = { key: 'mesh', operation: 'createMesh', parameters: {}, needs: [] };
const pores: RecipeStep = {
  key: 'pores',
  operation: 'runIntegrityAnalysis',
  parameters: { minVolumeMm3: 1 },
  needs: ['mesh'],
};
const steps = [mesh, pores];
const gate: Gate = {
  ...{ key: 'porosity', measure: 'pores.porosity', comparison: '<=', limit: 1, unit: '%', guardBand: 0 },
};
const warnings: Warning[] = [];
const made = (porosity: number) => () => [
  { metadata: {}, warnings },
  { metadata: { porosity }, warnings },
];

describe('A version that was not run', () => {
  it('is judged by the measurements of a run of another version, in the unit of its own gate', () => {
    const found = rejudge({ steps, gates: [gate] }, steps, made(0.02));
    expect(found?.outcome).toBe('fail');
    expect(found?.gates.get('porosity')).toMatchObject({ measured: 2, limit: 1, unit: '%', verdict: 'fail' });
    const wider = rejudge({ steps, gates: [{ ...gate, limit: 3 }] }, steps, made(0.02));
    expect(wider?.outcome).toBe('pass');
  });

  it('is indeterminate when a warning invalidates the measure', () => {
    const doubt: Warning = {
      ...{ code: 'SCAN_RINGS', message: 'Rings may be detected as pores.' },
      ...{ measures: ['porosity'], invalidates: true },
    };
    const results = [{ metadata: { porosity: 0.001 }, warnings: [doubt] }];
    expect(rejudge({ steps, gates: [gate] }, steps, () => results)?.outcome).toBe('indeterminate');
    const mark = [{ ...results[0], warnings: [{ ...doubt, invalidates: false }] }];
    expect(rejudge({ steps, gates: [gate] }, steps, () => mark)?.outcome).toBe('pass');
  });

  it('is not judged by a step with other parameters, after other steps, or that did not succeed', () => {
    const other = [mesh, { ...pores, parameters: { minVolumeMm3: 2 } }];
    const after = [{ ...mesh, parameters: { detail: 2 } }, pores];
    for (const ran of [other, after, [mesh]])
      expect(rejudge({ steps, gates: [gate] }, ran, made(0.02))).toBeUndefined();
    expect(rejudge({ steps, gates: [gate] }, steps, () => undefined)).toBeUndefined();
    expect(isSameStep('pores', steps, steps)).toBe(true);
    expect(isSameStep('pores', steps, after)).toBe(false);
  });

  it('has no verdict without gates, and an indeterminate one when the result lacks the value', () => {
    expect(rejudge({ steps, gates: [] }, steps, made(0.02))).toBeUndefined();
    expect(rejudge({ steps, gates: [gate] }, steps, () => [{ metadata: {}, warnings }])?.outcome).toBe(
      'indeterminate',
    );
  });
});

describe('A run', () => {
  it('that could not measure a gate leaves it indeterminate', () => {
    const run = { verdict: null, gates: [{ key: 'porosity', measured: null, verdict: null }] };
    expect(readJudged({ steps, gates: [gate] }, run).outcome).toBe('indeterminate');
  });

  it('without gates is judged by its comparisons, or not at all', () => {
    expect(readJudged({ steps, gates: [] }, { verdict: 'fail', gates: [] }).outcome).toBe('fail');
    expect(readJudged({ steps, gates: [] }, { verdict: null, gates: [] }).outcome).toBe('none');
  });
});

describe('The gates that change', () => {
  const judge = (gates: Gate[], porosity = 0.02) => {
    const found = rejudge({ steps, gates }, steps, made(porosity));
    if (!found) throw new Error('not judged');
    return found;
  };

  it('are those with a different verdict, with value and limit of both versions', () => {
    expect(listChangedGates(judge([gate]), judge([{ ...gate, limit: 3 }]))).toEqual([
      {
        ...{ key: 'porosity', measure: 'pores.porosity' },
        before: expect.objectContaining({ measured: 2, limit: 1, verdict: 'fail' }),
        after: expect.objectContaining({ measured: 2, limit: 3, verdict: 'pass' }),
      },
    ]);
    expect(listChangedGates(judge([gate]), judge([{ ...gate, limit: 1.5 }]))).toEqual([]);
  });

  it('include a gate that only one version has, unless the part passes it', () => {
    const further = { ...gate, key: 'further' };
    const wide = { ...further, limit: 3 };
    expect(listChangedGates(judge([gate]), judge([gate, further]))).toMatchObject([
      { key: 'further', before: null, after: { verdict: 'fail' } },
    ]);
    expect(listChangedGates(judge([gate, wide]), judge([gate]))).toEqual([]);
  });
});
