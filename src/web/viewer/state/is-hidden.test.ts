import { expect, it } from 'vitest';
import { isHidden } from './is-hidden.ts';

it('a place is hidden by a wall in front of it, but not by one behind it or by its own', () => {
  const wall = Float32Array.from([-1, -1, 0, 1, -1, 0, 0, 1, 0]);
  const indices = Uint32Array.from([0, 1, 2]);
  const seen = (z: number, up: 1 | -1) => !isHidden([0, 0, z], [0, 0, up], 0.1, wall, indices);
  expect(seen(-3, 1)).toBe(false);
  expect(seen(-3, -1)).toBe(true);
  expect(seen(-0.05, 1)).toBe(true);
  expect(isHidden([3, 0, -3], [0, 0, 1], 0.1, wall, indices)).toBe(false);
});
