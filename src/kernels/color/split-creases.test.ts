import { expect, it } from 'vitest';
import { spanTriangle } from '../mesh/span-triangle.ts';
import { boxMesh } from '../testing/compare-bodies.ts';
import { sphereMesh } from '../testing/meshes.ts';
import { splitCreases } from './split-creases.ts';
import { vertexAreasAndNormals } from './vertex-areas.ts';

/** A cylinder along z with lids and the given number of facets. */
function cylinder(facets: number) {
  const positions = [0, 0, -1, 0, 0, 1];
  const indices: number[] = [];
  for (let i = 0; i < facets; i++) {
    const angle = (2 * Math.PI * i) / facets;
    for (const z of [-1, 1]) positions.push(Math.cos(angle), Math.sin(angle), z);
    const [low, high] = [2 + 2 * i, 3 + 2 * i];
    const [nextLow, nextHigh] = [2 + 2 * ((i + 1) % facets), 3 + 2 * ((i + 1) % facets)];
    indices.push(low, nextLow, high, high, nextLow, nextHigh, 0, nextLow, low, 1, high, nextHigh);
  }
  return { positions: Float32Array.from(positions), indices: Uint32Array.from(indices) };
}

it('normals at the edges of a box are those of its faces', () => {
  const box = boxMesh([4, 3, 2]);
  const id = Float32Array.from({ length: box.positions.length / 3 }, (_, vertex) => vertex);
  const split = splitCreases({ ...box, scalars: { id } });
  expect(split.positions.length / 3).toBe(24);
  const { normals } = vertexAreasAndNormals(split);
  const normal = new Float64Array(3);
  for (const [corner, vertex] of split.indices.entries()) {
    const before = box.indices[corner];
    // The same triangles, in the same order.
    expect(split.positions.slice(3 * vertex, 3 * vertex + 3)).toEqual(
      box.positions.slice(3 * before, 3 * before + 3),
    );
    expect(split.scalars?.['id'][vertex]).toBe(before);
    const t = corner - (corner % 3);
    const [a, b, c] = split.indices.subarray(t, t + 3);
    spanTriangle(split.positions, 3 * a, 3 * b, 3 * c, normal);
    const length = Math.hypot(...normal);
    for (let k = 0; k < 3; k++) expect(normals[3 * vertex + k]).toBeCloseTo(normal[k] / length, 6);
  }
});

it('the wall of a cylinder stays smooth, its lids flat', () => {
  const facets = 48;
  const split = splitCreases(cylinder(facets));
  expect(split.positions.length / 3).toBe(2 + 4 * facets);
  const { normals } = vertexAreasAndNormals(split);
  for (const [corner, vertex] of split.indices.entries()) {
    const [x, y, z] = split.positions.subarray(3 * vertex, 3 * vertex + 3);
    const isLid = Math.floor(corner / 3) % 4 >= 2;
    const expected = isLid ? [0, 0, z] : [x, y, 0];
    for (let k = 0; k < 3; k++) expect(normals[3 * vertex + k]).toBeCloseTo(expected[k], 1);
  }
});

it('a surface without sharp edges stays unchanged, as does one with its own normals', () => {
  const ball = sphereMesh(3, 24, 36);
  expect(splitCreases(ball)).toBe(ball);
  const box = { ...boxMesh([1, 1, 1]), normals: new Float32Array(24) };
  expect(splitCreases(box)).toBe(box);
});
