import { expect, it } from 'vitest';
import { measureMesh } from '../mesh/measure.ts';
import { cubesMesh } from '../testing/meshes.ts';
import { withShortSides } from './refine-mesh.ts';

const longestSide = ({ positions, indices }: { positions: Float32Array; indices: Uint32Array }) => {
  let most = 0;
  for (let i = 0; i < indices.length; i++) {
    const [a, b] = [indices[i], indices[i - (i % 3) + ((i + 1) % 3)]];
    most = Math.max(most, Math.hypot(...[0, 1, 2].map((k) => positions[3 * a + k] - positions[3 * b + k])));
  }
  return most;
};
const bar = (() => {
  const { positions, indices } = cubesMesh([[0, 0, 0]]);
  return { positions: positions.map((value, i) => value * [64, 3, 5][i % 3]), indices };
})();

it('halves long sides until none is left; the surface stays closed, of the same volume and area', () => {
  const fine = withShortSides(bar, 1);
  expect(longestSide(fine)).toBeLessThanOrEqual(1);
  const facts = measureMesh(fine.positions, fine.indices);
  expect(facts).toMatchObject({ watertight: true, components: 1 });
  expect(facts.volumeMm3).toBeCloseTo(64 * 3 * 5, 3);
  expect(facts.areaMm2).toBeCloseTo(2 * (64 * 3 + 64 * 5 + 15), 3);
  expect(fine.positions.subarray(0, bar.positions.length)).toEqual(bar.positions);
});

it('leaves a fine mesh as it is, and stops at the most triangles', () => {
  expect(withShortSides(bar, 100)).toEqual(bar);
  const stopped = withShortSides(bar, 0.001, 500);
  expect(stopped.indices.length / 3).toBeLessThanOrEqual(500);
  expect(measureMesh(stopped.positions, stopped.indices).watertight).toBe(true);
});
