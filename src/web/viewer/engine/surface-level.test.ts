import { BufferAttribute, BufferGeometry, Ray, Vector3 } from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import { expect, it } from 'vitest';
import { nothingCut } from '#kernels/grid/cut-away.ts';
import { SurfaceLevel } from './surface-level.ts';
import { surfaceMaterial } from './surface-material.ts';

/** Upright squares of two triangles each, one behind the other; each is a place. */
function makeSquares(count: number) {
  const each = Array.from({ length: count }, (_, n) => n);
  const geometry = new BufferGeometry();
  const corners = each.flatMap((n) => [0, 0, n, 1, 0, n, 1, 1, n, 0, 1, n]);
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(corners), 3));
  const indices = Uint32Array.from(each.flatMap((n) => [0, 1, 2, 0, 2, 3].map((corner) => 4 * n + corner)));
  geometry.setIndex(new BufferAttribute(indices, 1));
  const { roots } = MeshBVH.serialize(new MeshBVH(geometry), { cloneBuffers: false });
  const atVertices = (value: (n: number) => number) =>
    Float32Array.from({ length: 4 * count }, (_, vertex) => value(Math.floor(vertex / 4)));
  return {
    positions: Float32Array.from(corners),
    normals: new Float32Array(corners.length),
    indices,
    scalars: { defectId: atVertices((n) => n + 1), standIn: atVertices(() => 1) },
    texture: null,
    vertexAreasMm2: new Float32Array(4 * count),
    areaMm2: count,
    bounds: { min: [0, 0, 0] as [number, number, number], max: [1, 1, count] as [number, number, number] },
    bvhRoots: roots as ArrayBuffer[],
  };
}

it('draws only the largest of many bodies during movements, and a ray hits all of them', () => {
  const level = new SurfaceLevel(makeSquares(40), surfaceMaterial([1, 1, 1]));
  const marks = { attribute: 'defectId', shown: null, chosenId: null, chosenBall: null };
  level.apply('defectId', marks);
  const countDrawn = () => {
    const { drawRange, index } = level.mesh.geometry;
    return Math.min(drawRange.count, index?.count ?? 0) / 6;
  };
  expect(countDrawn()).toBe(40);
  level.drawFewer(5);
  expect(countDrawn()).toBe(5);
  expect(level.mesh.geometry.hasAttribute('scalar')).toBe(true);
  const fromFar = new Ray(new Vector3(0.7, 0.2, 60), new Vector3(0, 0, -1));
  expect(level.pick(fromFar, nothingCut)).toMatchObject({ placeId: 40 });
  const shown = new Uint8Array(41).fill(1, 39);
  level.apply('defectId', { ...marks, shown });
  level.drawFewer(5);
  expect([countDrawn(), level.mesh.geometry.hasAttribute('leftOut')]).toEqual([2, true]);
  level.drawFewer(null);
  expect(countDrawn()).toBe(40);
  level.drawFewer(1000);
  expect(countDrawn()).toBe(40);
});
