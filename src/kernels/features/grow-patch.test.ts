import { expect, test } from 'vitest';
import type { Vector3 } from '../grid/volume.ts';
import { fitFeature } from './fit-feature.ts';
import { findNeighbours, growPatch } from './grow-patch.ts';

/** A cup: a wall of radius 3 around z, 5 high, and its floor, with vertex normals that are mean ones at the edge. */
function cup() {
  const [around, up, rings] = [60, 20, 10];
  const positions: number[] = [];
  const normals: number[] = [];
  const rows: { radius: number; z: number; normal: (x: number, y: number) => Vector3 }[] = [];
  for (let i = 1; i <= rings; i++)
    rows.push({
      radius: (3 * i) / rings,
      z: 0,
      normal: (x, y) => (i < rings ? [0, 0, -1] : [x * Math.SQRT1_2, y * Math.SQRT1_2, -Math.SQRT1_2]),
    });
  for (let i = 1; i <= up; i++) rows.push({ radius: 3, z: (5 * i) / up, normal: (x, y) => [x, y, 0] });
  for (const { radius, z, normal } of rows)
    for (let k = 0; k < around; k++) {
      const [x, y] = [Math.cos((2 * Math.PI * k) / around), Math.sin((2 * Math.PI * k) / around)];
      positions.push(radius * x, radius * y, z);
      normals.push(...normal(x, y));
    }
  const indices: number[] = [];
  for (let row = 0; row + 1 < rows.length; row++)
    for (let k = 0; k < around; k++) {
      const [a, b] = [row * around + k, row * around + ((k + 1) % around)];
      indices.push(a, b, a + around, b, b + around, a + around);
    }
  return { surface: { positions, normals, indices }, around, rings };
}

test('a patch ends at the edge of its face, without the rim, and gives the feature', () => {
  const { surface, around, rings } = cup();
  const neighbours = findNeighbours(surface);
  const floor = growPatch(surface, neighbours, 3 * around, { isPlane: true, mostPoints: 1000 });
  expect(floor.every(([, , z]) => z === 0)).toBe(true);
  // Two rings at the outer edge are left out; the open middle has no rim.
  expect(floor.length).toBe((rings - 3) * around);
  const wall = growPatch(surface, neighbours, (rings + 8) * around, { isPlane: false, mostPoints: 1000 });
  expect(Math.min(...wall.map(([, , z]) => z))).toBeGreaterThan(0.4);
  const { feature, formErrorMm } = fitFeature('cylinder', wall);
  expect(feature.radiusMm).toBeCloseTo(3, 6);
  expect(formErrorMm).toBeLessThan(1e-6);
});

test('a large patch is thinned evenly', () => {
  const { surface, around, rings } = cup();
  const patch = growPatch(surface, findNeighbours(surface), (rings + 8) * around, {
    isPlane: false,
    mostPoints: 100,
  });
  expect(patch.length).toBe(100);
  expect(fitFeature('cylinder', patch).feature.radiusMm).toBeCloseTo(3, 6);
});
