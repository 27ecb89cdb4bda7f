import { expect, it } from 'vitest';
import { listDrawnPoints } from '#contract/shapes/measurement.ts';
import type { PickedPoint } from '#web/viewer/state/measuring.ts';
import { describeNext, evaluateDraft, explainNoUncertainty } from './draft.ts';

const place = (placement: PickedPoint['placement']): PickedPoint => ({
  pointWorld: [0, 0, 0],
  placement,
  surfaceId: null,
});

it('explains before saving why a value will have no uncertainty', () => {
  const [onSurface, onEdge, free] = [place('surface'), place('edge'), place('free')];
  const explain = (...points: PickedPoint[]) => explainNoUncertainty({ kind: 'area', points });
  expect(explain()).toBeNull();
  expect(explain(onSurface, onEdge, onEdge)).toBeNull();
  expect(explain(onSurface, onEdge, free)).toBe('No ±: 1 of 3 points is not on the determined surface.');
  expect(explain(free, onEdge, free)).toBe('No ±: 2 of 3 points are not on the determined surface.');
  expect(explain(free, free, free)).toBe('No ±: the points are not on the determined surface.');
  // A fitted feature derives its uncertainty from the scatter of its points.
  expect(explainNoUncertainty({ kind: 'circle', points: [free, free] })).toBeNull();
});

it('states the next step while points are missing, then what is wrong with them', () => {
  const at = (x: number): PickedPoint => ({ ...place('surface'), pointWorld: [x, 0, 0] });
  const next = (...points: PickedPoint[]) => describeNext({ kind: 'angle', points, takesFace: false });
  expect(next(at(0), at(1))).toBe('Place 1 more point in a slice or on the surface.');
  expect(next(at(0), at(1), at(1))).toMatch(/^The vertex .* lies on one of the others/);
  expect(next(at(0), at(1), at(3))).toBe('Save.');
});

it('marks the value of a fit as a diameter or a form error', () => {
  const ring = [0, 2, 4].map((angle): PickedPoint => {
    return { ...place('surface'), pointWorld: [Math.cos(angle), Math.sin(angle), 0] };
  });
  const measured = (kind: 'circle' | 'plane') => evaluateDraft({ kind, points: ring }).shown.value;
  expect([measured('circle'), measured('plane')]).toEqual(['Ø 2.000\u202fmm', 'Form error 0.000\u202fmm']);
});

it('draws what is measured between two features from the centre of one to that of the other', () => {
  const fitted = (id: string, centerMm: [number, number, number]) => ({
    id,
    result: { feature: { centerMm } } as Parameters<typeof listDrawnPoints>[1][number]['result'],
  });
  const planes = [fitted('one', [0, 0, 1]), fitted('other', [0, 0, 3])];
  expect(listDrawnPoints({ points: [], featureIds: ['other', 'one'] }, planes)).toEqual([
    [0, 0, 3],
    [0, 0, 1],
  ]);
  expect(listDrawnPoints({ points: [[1, 2, 3]], featureIds: [] }, planes)).toEqual([[1, 2, 3]]);
});
