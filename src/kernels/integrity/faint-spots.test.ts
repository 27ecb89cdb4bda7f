import { expect, it } from 'vitest';
import type { Vector3 } from '../grid/volume.ts';
import { makeSlabs } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import { movedBody, sphere } from '../testing/bodies.ts';
import { impairedScan } from '../testing/impaired-scans.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { findFaintSpots, findSeenDiameter } from './faint-spots.ts';

const pool = inlinePool(await kernelModule());
const levels = { air: 8000, material: 40_000, level: 24_000 };
const places: Vector3[] = [
  [5.3, 0.2, 3.4],
  [-6.1, 2.6, -4.3],
  [0.4, -7.2, 2.1],
];

/** Spots of a ball with pores of those radii, at a blur of 0.6 and a contrast of 20 times the noise. */
async function search(radii: readonly number[], limitVoxels = 2.75) {
  const holes = radii.map((radius, i) => movedBody(sphere(radius), places[i] ?? [0, 0, 0]));
  const volume = impairedScan(sphere(16), [40, 40, 40], { contrastToNoise: 20, blur: 0.6 }, holes);
  const options = { share: 0.25, deviation: Math.hypot(0.6, Math.sqrt(1 / 12)), minVoxels: 3, limitVoxels };
  const cells = { from: [0, 0, 0] as Vector3, to: [40, 40, 40] as Vector3 };
  return pool.withArena((arena) => findFaintSpots(makeSlabs(volume), arena, { cells, levels, ...options }));
}

it('counts pores below the detection limit, with their volume, and no noise, voids or outer air', async () => {
  expect(await search([])).toEqual({ count: 0, volume: 0 });
  expect(await search([3])).toEqual({ count: 0, volume: 0 });
  const radii = [1, 1.15, 3];
  const found = await search(radii);
  const [first = 0, second = 0] = radii;
  const truth = ((4 * Math.PI) / 3) * (first ** 3 + second ** 3);
  expect(found?.count).toBe(2);
  expect(Math.abs((found?.volume ?? 0) / truth - 1)).toBeLessThan(0.25);
});

it('concludes nothing from a spot larger than any undetected pore', async () => {
  expect(await search([1.15], 1)).toBeNull();
});

it('half of the pores of 1.6 voxels leave a voxel a quarter darker than the material, of 2.2 half as dark', () => {
  const deviation = Math.hypot(0.6, Math.sqrt(1 / 12));
  expect(findSeenDiameter(0.25, deviation)).toBeCloseTo(1.59, 1);
  expect(findSeenDiameter(0.5, deviation)).toBeCloseTo(Math.hypot(3.08 * deviation, 0.9), 1);
});
