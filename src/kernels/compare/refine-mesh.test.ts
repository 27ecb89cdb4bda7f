import { expect, it } from 'vitest';
import { measureMesh } from '../mesh/measure.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { cubesMesh } from '../testing/meshes.ts';
import { refineMesh } from './refine-mesh.ts';

const longestSide = ({ positions, indices }: { positions: Float32Array; indices: Uint32Array }) => {
  let most = 0;
  for (let i = 0; i < indices.length; i++) {
    const [a, b] = [indices[i], indices[i - (i % 3) + ((i + 1) % 3)]];
    most = Math.max(most, Math.hypot(...[0, 1, 2].map((k) => positions[3 * a + k] - positions[3 * b + k])));
  }
  return most;
};
const measureArea = ({ positions, indices }: TriangleMesh, t: number) => {
  const [a, b, c] = [0, 1, 2].map((k) => positions.subarray(3 * indices[3 * t + k]));
  const [u, v] = [b, c].map((corner) => [0, 1, 2].map((k) => corner[k] - a[k]));
  return Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
};
const bar = (() => {
  const { positions, indices } = cubesMesh([[0, 0, 0]]);
  return { positions: positions.map((value, i) => value * [64, 3, 5][i % 3]), indices };
})();

it('halves long sides until none is left; the surface stays closed, of the same volume and area', () => {
  const { mesh: fine, pieceOf } = refineMesh(bar, 1);
  expect(longestSide(fine)).toBeLessThanOrEqual(1);
  const facts = measureMesh(fine.positions, fine.indices);
  expect(facts).toMatchObject({ watertight: true, components: 1 });
  expect(facts.volumeMm3).toBeCloseTo(64 * 3 * 5, 3);
  expect(facts.areaMm2).toBeCloseTo(2 * (64 * 3 + 64 * 5 + 15), 3);
  expect(fine.positions.subarray(0, bar.positions.length)).toEqual(bar.positions);
  // The pieces of each triangle sum to its area.
  const areas = new Float64Array(bar.indices.length / 3);
  pieceOf.forEach((t, piece) => {
    areas[t] += measureArea(fine, piece);
  });
  areas.forEach((area, t) => {
    expect(area).toBeCloseTo(measureArea(bar, t), 3);
  });
});

it('leaves a fine mesh unchanged, and stops at the limit of triangles', () => {
  expect(refineMesh(bar, 100).mesh).toEqual(bar);
  const { mesh: stopped } = refineMesh(bar, 0.001, 500);
  expect(stopped.indices.length / 3).toBeLessThanOrEqual(500);
  expect(measureMesh(stopped.positions, stopped.indices).watertight).toBe(true);
});
