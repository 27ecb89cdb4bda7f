import { expect, it } from 'vitest';
import type { ScalarDescription } from '../state/surface-source.ts';
import { defaultViewState } from '../state/view-state.ts';
import { ViewerModel } from '../state/viewer-model.ts';
import { brushStep, chooseLimits, chooseMap } from './choose-limits.ts';

const count = 1001;

/** A surface whose vertices have equal areas and values evenly spaced from −1 to 3. */
function makeModel(scalar: Partial<ScalarDescription>): ViewerModel {
  const state = defaultViewState(null, null, 'deviationMm');
  const model = new ViewerModel(state, () => undefined);
  model.surface = {
    id: 'one',
    scalars: [{ name: 'deviationMm', title: 'Deviation', unit: 'mm', ...scalar }],
    load: () => Promise.reject(new Error('it is there already')),
  };
  const even = Float32Array.from({ length: count }, (_, i) => -1 + (4 * i) / (count - 1));
  model.surfaceData.set({
    positions: new Float32Array(3 * count),
    normals: new Float32Array(3 * count),
    indices: new Uint32Array(3),
    scalars: { deviationMm: even },
    texture: null,
    vertexAreasMm2: new Float32Array(count).fill(0.5),
    areaMm2: count / 2,
    bounds: { min: [0, 0, 0], max: [1, 1, 1] },
    bvhRoots: [],
  });
  return model;
}

const surfaceOf = (model: ViewerModel) => model.store.get().surface;

it('limits exclude the chosen share of the area at each end', () => {
  const model = makeModel({});
  chooseLimits(model, 'percent5');
  expect(surfaceOf(model).range?.[0]).toBeCloseTo(-0.8, 2);
  expect(surfaceOf(model).range?.[1]).toBeCloseTo(2.8, 2);
  chooseLimits(model, 'all');
  expect(surfaceOf(model).range).toEqual([-1, 3]);
  chooseLimits(model, 'brush');
  expect(surfaceOf(model).brush?.[0]).toBeCloseTo(0, 2);
  expect(surfaceOf(model).brush?.[1]).toBeCloseTo(2, 2);
});

it('fields of a narrow brush show its values, not zeros', () => {
  expect(brushStep([-0.0011, 0.0009], 0.01)).toBeCloseTo(1e-4, 9);
  expect(brushStep([0, 2], 0.01)).toBe(0.01);
  expect(brushStep([0.5, 0.5], 0.01)).toBe(0.01);
});

it('limits are the tolerance if there is one', () => {
  const model = makeModel({ signed: true, tolerance: [-0.05, 0.2] });
  chooseMap(model, 'tolerance');
  expect(surfaceOf(model)).toMatchObject({ map: 'tolerance', range: [-0.05, 0.2] });
  chooseLimits(model, 'all');
  chooseLimits(model, 'tolerance');
  expect(surfaceOf(model).range).toEqual([-0.05, 0.2]);
});

it('the grey of coolwarm is zero for a signed value, whatever the limits, and the middle of the range for any other', () => {
  const signed = makeModel({ signed: true, limits: [-0.05, 0.2] });
  chooseMap(signed, 'coolwarm');
  expect(signed.range()).toEqual([-0.2, 0.2]);
  chooseLimits(signed, 'all');
  expect(signed.range()).toEqual([-3, 3]);
  chooseMap(signed, 'batlow');
  chooseLimits(signed, 'all');
  expect(signed.range()).toEqual([-1, 3]);
  const plain = makeModel({});
  chooseLimits(plain, 'all');
  chooseMap(plain, 'coolwarm');
  expect(plain.range()).toEqual([-1, 3]);
});
