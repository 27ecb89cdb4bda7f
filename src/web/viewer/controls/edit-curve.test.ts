import { describe, expect, it } from 'vitest';
import type { CurvePoint } from '#kernels/grid/transfer-curve.ts';
import { addPoint, addPointInGap, maxPoints, movePoint, removePoint } from './edit-curve.ts';

const curve: CurvePoint[] = [
  { value: 100, opacity: 0, color: '#111111' },
  { value: 200, opacity: 0.5, color: '#222222' },
  { value: 900, opacity: 1, color: '#333333' },
];
const limits = [0, 1000] as const;

describe('An edited curve', () => {
  it('keeps its points in order and within the grey values', () => {
    expect(movePoint(curve, 1, { value: 950 }, limits)[1]?.value).toBe(900);
    expect(movePoint(curve, 1, { value: 50 }, limits)[1]?.value).toBe(100);
    expect(movePoint(curve, 0, { value: -7, opacity: -1 }, limits)[0]).toEqual({ ...curve[0], value: 0 });
    expect(movePoint(curve, 2, { value: 5000, opacity: 3 }, limits)[2]).toEqual({ ...curve[2], value: 1000 });
  });

  it('takes a new point at its position, in the colour of the preceding point', () => {
    expect(addPoint(curve, 250, 0.7)[2]).toEqual({ value: 250, opacity: 0.7, color: '#222222' });
    expect(addPoint(curve, 50, 0)[0]).toEqual({ value: 50, opacity: 0, color: '#111111' });
  });

  it('inserts a point added by key in its widest gap, on its line', () => {
    expect(addPointInGap(curve)[2]).toEqual({ value: 550, opacity: 0.75, color: '#222222' });
  });

  it('has at least two points, and at most as many as the state can store', () => {
    let full = curve;
    for (let i = 0; i < 2 * maxPoints; i++) full = addPointInGap(full);
    expect(full).toHaveLength(maxPoints);
    expect(removePoint(curve, 1)).toEqual([curve[0], curve[2]]);
    expect(removePoint(removePoint(curve, 1), 0)).toHaveLength(2);
  });
});
