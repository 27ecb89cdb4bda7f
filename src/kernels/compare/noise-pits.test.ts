import { expect, it } from 'vitest';
import { findPlaceNoise } from '../surface/surface-uncertainty.ts';
import { findPitDepth } from './noise-pits.ts';

const edge = 0.67;
const find = (contrastToNoise: number, places = 5000) =>
  findPitDepth(places, { noise: findPlaceNoise(1 / contrastToNoise, edge), edge, reach: 3 });

it('pits of noise grow deep where voxels beside the surface cross the level, and are none in a clear scan', () => {
  expect(find(Number.POSITIVE_INFINITY)).toBe(0);
  expect(find(20)).toBeLessThan(0.02);
  expect(find(10)).toBeLessThan(0.2);
  expect(find(6)).toBeGreaterThan(0.8);
  expect(find(5)).toBeGreaterThan(find(6) + 0.5);
});

it('a larger surface has deeper pits', () => {
  expect(find(5, 50_000)).toBeGreaterThan(find(5) + 0.3);
  expect(find(7, 50_000)).toBeGreaterThan(find(7));
});
