import { expect, test } from 'vitest';
import type { Vector3 } from '../grid/volume.ts';
import { fitFeature } from './fit-feature.ts';
import { findNeighbours, growPatch } from './grow-patch.ts';

/** A cup: a wall of radius 3 around z, 5 high, and its floor, with averaged vertex normals at the edge. */
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

test('a patch ends at the edge of its face, excludes the rim, and gives the feature', () => {
  const { surface, around, rings } = cup();
  const neighbours = findNeighbours(surface);
  const floor = growPatch(surface, neighbours, 3 * around, { kind: 'plane', maxPoints: 1000 });
  expect(floor.every(([, , z]) => z === 0)).toBe(true);
  // Two rings at the outer edge are excluded; the open centre has no rim.
  expect(floor.length).toBe((rings - 3) * around);
  const wall = growPatch(surface, neighbours, (rings + 8) * around, { kind: 'cylinder', maxPoints: 1000 });
  expect(Math.min(...wall.map(([, , z]) => z))).toBeGreaterThan(0.4);
  const { feature, formErrorMm } = fitFeature('cylinder', wall);
  expect(feature.radiusMm).toBeCloseTo(3, 6);
  expect(formErrorMm).toBeLessThan(1e-6);
});

test('a large patch is thinned evenly', () => {
  const { surface, around, rings } = cup();
  const patch = growPatch(surface, findNeighbours(surface), (rings + 8) * around, {
    kind: 'cylinder',
    maxPoints: 100,
  });
  expect(patch.length).toBe(100);
  expect(fitFeature('cylinder', patch).feature.radiusMm).toBeCloseTo(3, 6);
});

/** A cone of 40° on its apex, with an edge to the lid so rounded that neighbouring normals differ by 5°. */
function bluntCone() {
  const half = (20 * Math.PI) / 180;
  const profile: { radius: number; z: number; tilt: number }[] = [];
  for (let i = 0; i <= 40; i++) {
    const along = 2 + i / 10;
    profile.push({ radius: along * Math.sin(half), z: along * Math.cos(half), tilt: -half });
  }
  const [edge, steps] = [{ radius: 6 * Math.sin(half), z: 6 * Math.cos(half) }, 22];
  for (let i = 1; i <= steps; i++) {
    const tilt = -half + ((Math.PI / 2 + half) * i) / steps;
    const [dr, dz] = [Math.cos(tilt) - Math.cos(half), Math.sin(tilt) + Math.sin(half)];
    profile.push({ radius: edge.radius + 0.2 * dr, z: edge.z + 0.2 * dz, tilt });
  }
  const { radius, z } = profile.at(-1) ?? edge;
  for (let i = 1; i < 10; i++) profile.push({ radius: radius * (1 - i / 10), z, tilt: Math.PI / 2 });
  const around = 72;
  const at = (i: number) => (2 * Math.PI * i) / around;
  const turned = (across: number, along: number) =>
    Array.from({ length: around }, (_, i) => [across * Math.cos(at(i)), across * Math.sin(at(i)), along]);
  const positions = profile.flatMap((each) => turned(each.radius, each.z)).flat();
  const normals = profile.flatMap(({ tilt }) => turned(Math.cos(tilt), Math.sin(tilt))).flat();
  const indices = profile.slice(1).flatMap((_, row) =>
    Array.from({ length: around }, (_, k) => {
      const [a, b] = [row * around + k, row * around + ((k + 1) % around)];
      return [a, b, a + around, b, b + around, a + around];
    }).flat(),
  );
  return { surface: { positions, normals, indices }, inTheMiddle: 20 * around };
}

test('a face that extends over a blunt edge into another keeps the points on its feature', () => {
  const { surface, inTheMiddle } = bluntCone();
  const patch = growPatch(surface, findNeighbours(surface), inTheMiddle, { kind: 'cone', maxPoints: 300 });
  expect(Math.max(...patch.map(([, , z]) => z))).toBeLessThan(6 * Math.cos((20 * Math.PI) / 180));
  const { feature, formErrorMm } = fitFeature('cone', patch);
  expect(feature.apexAngleDeg).toBeCloseTo(40, 6);
  expect(formErrorMm).toBeLessThan(1e-6);
});
