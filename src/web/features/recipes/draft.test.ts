import { describe, expect, test } from 'vitest';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import {
  addGate,
  addStep,
  changeGate,
  changeStep,
  type Draft,
  emptyDraft,
  findProblems,
  groupByLevel,
  moveStep,
  problemsAt,
  removeStep,
} from './draft.ts';
import { compareVersions } from './version-diff.ts';

const withSteps = (...kinds: Parameters<typeof addStep>[1][]): Draft =>
  kinds.reduce(addStep, { ...emptyDraft, name: 'Inspection' });

describe('A draft', () => {
  test('gives each step a unique key, and lets the comparison depend on the alignment before it', () => {
    const { steps } = withSteps('createMesh', 'createMesh', 'runAutoAlignLite', 'runMeshCompare');
    expect(steps.map(({ key, needs }) => [key, needs])).toEqual([
      ['mesh', []],
      ['mesh2', []],
      ['align', []],
      ['compare', ['align']],
    ]);
  });

  test('renames a step also in the steps that depend on it and in its gates', () => {
    const draft = addGate(withSteps('runAutoAlignLite', 'runMeshCompare'));
    const renamed = changeStep(draft, 0, { key: 'fit' });
    expect(renamed.steps[1]?.needs).toEqual(['fit']);
    expect(renamed.gates[0]?.measure).toBe('fit.rmsMm');
    expect(findProblems(changeGate(renamed, 0, { limit: 0.1 }))).toEqual([]);
  });

  test('gives a new gate no limit until one is typed, and can’t be saved without', () => {
    const draft = addGate(withSteps('runIntegrityAnalysis'));
    expect(findProblems(draft)).toEqual([
      { path: 'gates.0.limit', message: 'A limit is missing: type a number' },
    ]);
    expect(findProblems(changeGate(draft, 0, { limit: 0 }))).toEqual([]);
  });

  test('drops the gates of a removed step and the dependencies on it', () => {
    const draft = addGate(withSteps('runAutoAlignLite', 'runMeshCompare'));
    const left = removeStep(draft, 0);
    expect([left.steps[0]?.needs, left.gates]).toEqual([[], []]);
  });

  test('moves a step, and stops at the ends', () => {
    const draft = withSteps('createMesh', 'runWallThickness');
    expect(moveStep(draft, 1, -1).steps.map(({ key }) => key)).toEqual(['thickness', 'mesh']);
    expect(moveStep(draft, 1, 1)).toBe(draft);
  });

  test('reports which parameter of which step is wrong', () => {
    const draft = changeStep(withSteps('runWallThickness'), 0, { parameters: { minThicknessMm: -1 } });
    expect(problemsAt(findProblems(draft), 'steps.0')).toMatchObject([{ path: 'parameters.minThicknessMm' }]);
  });

  test('offers measures that have no gate yet, in the usual unit', () => {
    const draft = addGate(addGate(withSteps('runIntegrityAnalysis')));
    expect(draft.gates).toMatchObject([
      { measure: 'integrity.porosity', unit: '%', comparison: '<=' },
      { measure: 'integrity.closedPorosity', unit: '%', comparison: '<=' },
    ]);
  });
});

test('steps that don’t depend on each other are on the same level, even in a cycle', () => {
  const step = (key: string, ...needs: string[]) => ({ key, needs });
  expect(groupByLevel([step('d', 'b', 'c'), step('a'), step('b', 'a'), step('c', 'a')])).toEqual([
    ['a'],
    ['b', 'c'],
    ['d'],
  ]);
  expect(groupByLevel([step('a', 'b'), step('b', 'a')])).toEqual([['a', 'b']]);
  expect(groupByLevel([])).toEqual([]);
});

test('two versions differ only in what was added, removed and changed', () => {
  const version = (draft: Draft): RecipeVersion => ({
    ...draft,
    id: 'a',
    recipePk: 'b',
    version: 1,
    isLatest: true,
    status: 'released',
    releasedBy: null,
    releasedAt: null,
    mayRelease: { allowed: false, reason: null },
    createdBy: null,
    createdAt: '2026-01-01T00:00:00Z',
  });
  const before = withSteps('runWallThickness');
  const after = addStep(changeStep(before, 0, { parameters: { minThicknessMm: 1.5 } }), 'createMesh');
  const gated = (limit: number): Draft => ({
    ...after,
    gates: [
      {
        key: 'wall',
        measure: 'thickness.minMm',
        comparison: '>=',
        limit,
        unit: 'mm',
        guardBand: 0.1,
      },
    ],
  });
  expect(compareVersions(version(after), version(gated(1.50001)))[0]).toEqual({
    subject: 'Gate wall',
    field: 'measure',
    before: null,
    after: 'Thinnest wall of thickness',
  });
  // A difference in the fifth decimal is a difference.
  expect(compareVersions(version(gated(1.50001)), version(gated(1.50002)))).toHaveLength(1);
  expect(compareVersions(version(before), version(before))).toEqual([]);
  expect(compareVersions(version(before), version(after))).toEqual([
    { subject: 'Recipe', field: 'order', before: 'thickness', after: 'thickness, mesh' },
    { subject: 'Step thickness', field: 'min thickness', before: null, after: '1.5 mm' },
    { subject: 'Step mesh', field: 'analysis', before: null, after: 'Mesh' },
    { subject: 'Step mesh', field: 'after', before: null, after: 'nothing' },
  ]);
});
