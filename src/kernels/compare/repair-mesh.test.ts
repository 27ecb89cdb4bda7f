import { expect, it } from 'vitest';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { boxMesh, insideOut } from '../testing/compare-bodies.ts';
import { joined, makeSoup, sphereMesh, torusMesh } from '../testing/meshes.ts';
import { facingOutward } from './repair-mesh.ts';

/** The corners of each triangle, starting with the lowest, so that only the orientation distinguishes two of them. */
const listTriangles = ({ positions, indices }: TriangleMesh) =>
  Array.from({ length: indices.length / 3 }, (_, t) => {
    const corners = [0, 1, 2].map((k) =>
      positions.subarray(3 * indices[3 * t + k], 3 * indices[3 * t + k] + 3).join(),
    );
    const lowest = corners.indexOf([...corners].sort()[0]);
    return [0, 1, 2].map((k) => corners[(lowest + k) % 3]).join(' ');
  });
const torus = torusMesh(10, 3, 20, 12);

it('leaves a mesh that faces outward unchanged, with shared corners', () => {
  const { mesh, turned, openSides, isTwisted } = facingOutward(makeSoup(torus));
  expect({ turned, openSides, isTwisted }).toEqual({ turned: 'none', openSides: 0, isTwisted: false });
  expect(mesh.positions).toHaveLength(torus.positions.length);
  expect(listTriangles(mesh)).toEqual(listTriangles(torus));
});

it('reverses a mesh that was written inside out', () => {
  const { mesh, turned } = facingOutward(insideOut(torus));
  expect(turned).toBe('all');
  expect(listTriangles(mesh)).toEqual(listTriangles(torus));
});

it('reverses the few triangles that disagree with their neighbours', () => {
  const indices = torus.indices.slice();
  for (const t of [5, 6, 100, 301]) {
    [indices[3 * t + 1], indices[3 * t + 2]] = [indices[3 * t + 2], indices[3 * t + 1]];
  }
  const { mesh, turned, isTwisted } = facingOutward({ positions: torus.positions, indices });
  expect({ turned, isTwisted }).toEqual({ turned: 'some', isTwisted: false });
  expect(listTriangles(mesh)).toEqual(listTriangles(torus));
});

it('reverses one inside-out body of several, and keeps the void of another', () => {
  const [block, beside] = [boxMesh([20, 20, 20]), boxMesh([4, 4, 4], [30, 0, 0])];
  const cavity = insideOut(sphereMesh(5, 10, 12));
  const right = joined(block, cavity, beside);
  expect(facingOutward(right).turned).toBe('none');
  const wrong = facingOutward(joined(block, cavity, insideOut(beside)));
  expect(wrong.turned).toBe('some');
  expect(listTriangles(wrong.mesh)).toEqual(listTriangles(right));
});

it('reports a mesh with holes, and one that cannot be oriented', () => {
  const box = boxMesh([2, 2, 2]);
  expect(facingOutward({ ...box, indices: box.indices.slice(6) }).openSides).toBe(4);
  // A band with one twist (Möbius).
  const count = 12;
  const positions: number[] = [];
  const indices: number[] = [];
  for (let i = 0; i < count; i++) {
    const angle = (2 * Math.PI * i) / count;
    for (const side of [-1, 1]) {
      const out = 10 + side * Math.cos(angle / 2);
      positions.push(out * Math.cos(angle), out * Math.sin(angle), side * Math.sin(angle / 2));
    }
    const [a, b] = [2 * i, 2 * i + 1];
    const [c, d] = i === count - 1 ? [1, 0] : [a + 2, b + 2];
    indices.push(a, c, b, b, c, d);
  }
  const band = { positions: new Float32Array(positions), indices: new Uint32Array(indices) };
  expect(facingOutward(band).isTwisted).toBe(true);
});
