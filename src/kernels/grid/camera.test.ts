import { describe, expect, it } from 'vitest';
import {
  aimedAt,
  type Camera,
  distanceMm,
  fitted,
  frame,
  orbited,
  panned,
  rolled,
  standardView,
  standardViews,
  zoomed,
} from './camera.ts';

const bounds = { min: [-10, -5, -2], max: [10, 5, 2] } as {
  min: [number, number, number];
  max: [number, number, number];
};
const front = () => standardView('front', bounds, 2);
const close = (actual: readonly number[], expected: readonly number[]) => {
  for (const [k, value] of expected.entries()) expect(actual[k]).toBeCloseTo(value, 9);
};

describe('the camera', () => {
  it('looks from the front along +y with z up, and fits the part with a margin', () => {
    const { right, up, towards } = frame(front());
    close(right, [1, 0, 0]);
    close(up, [0, 0, 1]);
    close(towards, [0, -1, 0]);
    // 20 mm wide in a picture twice as wide as high: the width determines the zoom.
    expect(front().heightMm).toBeCloseTo(10 * 1.16, 9);
    close(front().target, [0, 0, 0]);
  });

  it.each(standardViews)('has a right-handed frame in the %s view', (view) => {
    const { right, up, towards } = frame(standardView(view, bounds, 1.5));
    const cross = [
      right[1] * up[2] - right[2] * up[1],
      right[2] * up[0] - right[0] * up[2],
      right[0] * up[1] - right[1] * up[0],
    ];
    close(cross, towards);
  });

  it('turns the part to the right by dragging to the right: its left side comes into view', () => {
    close(frame(orbited(front(), Math.PI / 2, 0)).towards, [-1, 0, 0]);
    close(frame(orbited(front(), 0, Math.PI / 2)).towards, [0, 0, 1]);
    expect(orbited(front(), 0.3, 0.2).heightMm).toBe(front().heightMm);
  });

  it('comes back after turning there and back, and rolls about the line of sight only', () => {
    const there = orbited(front(), 0.7, 0);
    close(orbited(there, -0.7, 0).position, front().position);
    const roll = rolled(front(), Math.PI / 2);
    close(frame(roll).towards, [0, -1, 0]);
    close(frame(roll).right, [0, 0, 1]);
  });

  it('pans with the pointer', () => {
    close(panned(front(), 3, 1).target, [-3, 0, -1]);
  });

  it('zooms about the point under the pointer', () => {
    const nearer = zoomed(front(), 2, 4, 1);
    expect(nearer.heightMm).toBeCloseTo(front().heightMm / 2, 9);
    // The point was 4 mm right of and 1 mm above the centre; after zooming, half as much is visible.
    close(nearer.target, [2, 0, 0.5]);
  });

  it('keeps its distance consistent with the visible height', () => {
    const camera: Camera = zoomed(front(), 3);
    expect(Math.hypot(...camera.position.map((v, k) => v - camera.target[k]))).toBeCloseTo(
      distanceMm(camera.heightMm),
      9,
    );
  });

  it('moves back in perspective, so that the near side fits too', () => {
    const flat = fitted(front(), bounds, 2);
    const deep = fitted({ ...front(), projection: 'perspective' }, bounds, 2);
    expect(deep.heightMm).toBeGreaterThan(flat.heightMm);
  });

  it('approaches a place from the side of the part on which it lies', () => {
    const near = aimedAt(front(), [1, -4, 2], [0, 0, 0], 3);
    close(near.target, [1, -4, 2]);
    close(frame(near).towards, [0, -1, 0]);
    expect(near.heightMm).toBe(3);
    // For a place behind the part the camera goes around it and stays upright; for one below, it looks from below.
    const behind = aimedAt(front(), [0, 4, 0], [0, 0, 0], 3);
    close(frame(behind).towards, [0, 1, 0]);
    close(frame(behind).up, [0, 0, 1]);
    const tilted = orbited(front(), 0, 0.6);
    const below = aimedAt(tilted, [0, 0, Math.sign(-frame(tilted).towards[2]) * 5], [0, 0, 0], 3);
    expect(frame(below).towards[2] * frame(tilted).towards[2]).toBeLessThan(0);
    expect(Math.hypot(...frame(below).right)).toBeCloseTo(1, 9);
  });
});
