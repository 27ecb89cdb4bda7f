import { expect, it } from 'vitest';
import type { PickedPoint } from '#web/viewer/state/measuring.ts';
import { explainNoUncertainty } from './draft.ts';

const place = (placement: PickedPoint['placement']): PickedPoint => ({
  pointWorld: [0, 0, 0],
  placement,
  surfaceId: null,
});

it('explains before saving why a value will have no uncertainty', () => {
  const [onSurface, onEdge, free] = (['surface', 'edge', 'free'] as const).map(place);
  const explain = (...points: PickedPoint[]) => explainNoUncertainty({ kind: 'area', points });
  expect(explain()).toBeNull();
  expect(explain(onSurface, onEdge, onEdge)).toBeNull();
  expect(explain(onSurface, onEdge, free)).toBe('No ±: 1 of 3 points is not on the determined surface.');
  expect(explain(free, onEdge, free)).toBe('No ±: 2 of 3 points are not on the determined surface.');
  expect(explain(free, free, free)).toBe('No ±: the points are not on the determined surface.');
  // A fitted feature derives its uncertainty from the scatter of its points.
  expect(explainNoUncertainty({ kind: 'circle', points: [free, free] })).toBeNull();
});
