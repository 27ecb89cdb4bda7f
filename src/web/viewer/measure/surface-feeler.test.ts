import { BufferAttribute, BufferGeometry, Matrix4, Vector3 } from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import { expect, test } from 'vitest';
import { seededRandom } from '#kernels/random.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { SurfaceFeeler } from './surface-feeler.ts';

const seed = 7;
const [around, cells] = [10, 40];
/** Rotated, so that no coordinate is a round number. */
const matrix = new Matrix4()
  .makeRotationAxis(new Vector3(1, 2, -3).normalize(), 0.7)
  .setPosition(3.1, -2.2, 5.3);

/** Horizontal faces at these heights, each with the side that faces out of the material. */
function makeFaces(faces: readonly { z: number; outwards: 1 | -1 }[]): SurfaceData {
  const positions: number[] = [];
  const normals: number[] = [];
  const indices: number[] = [];
  for (const { z, outwards } of faces) {
    const first = positions.length / 3;
    for (let row = 0; row <= cells; row++)
      for (let column = 0; column <= cells; column++) {
        const at = new Vector3((column / cells - 0.5) * around, (row / cells - 0.5) * around, z);
        positions.push(...at.applyMatrix4(matrix).toArray());
        normals.push(...new Vector3(0, 0, outwards).transformDirection(matrix).toArray());
        if (row === cells || column === cells) continue;
        const [a, b] = [first + row * (cells + 1) + column, first + (row + 1) * (cells + 1) + column];
        const corners = [a, a + 1, b, b, a + 1, b + 1];
        indices.push(...(outwards === 1 ? corners : corners.toReversed()));
      }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(positions), 3));
  geometry.setIndex(new BufferAttribute(Uint32Array.from(indices), 1));
  const { roots } = MeshBVH.serialize(new MeshBVH(geometry), { cloneBuffers: false });
  geometry.computeBoundingBox();
  const { min, max } = geometry.boundingBox ?? { min: new Vector3(), max: new Vector3() };
  return {
    positions: geometry.getAttribute('position').array as Float32Array<ArrayBuffer>,
    normals: Float32Array.from(normals),
    indices: geometry.getIndex()?.array as Uint32Array<ArrayBuffer>,
    scalars: {},
    texture: null,
    vertexAreasMm2: new Float32Array(),
    areaMm2: 0,
    bounds: { min: min.toArray(), max: max.toArray() },
    bvhRoots: roots as ArrayBuffer[],
  };
}

/** Random points on the face at this height, away from its border. */
function listPlaces(z: number, count: number): Vector3[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () =>
    new Vector3((random() - 0.5) * 0.9 * around, (random() - 0.5) * 0.9 * around, z).applyMatrix4(matrix),
  );
}

test('a wall is found at each point of it, from either side', () => {
  const feeler = new SurfaceFeeler(
    makeFaces([
      { z: 0.75, outwards: 1 },
      { z: -0.75, outwards: -1 },
    ]),
  );
  for (const z of [0.75, -0.75])
    for (const place of listPlaces(z, 500)) {
      const [from, to] = feeler.findWall(place.toArray()) ?? [];
      expect(from && to && new Vector3(...from).distanceTo(new Vector3(...to)), `seed ${seed}`).toBeCloseTo(
        1.5,
        4,
      );
    }
});

test('a point typed near the surface is moved onto it', () => {
  const feeler = new SurfaceFeeler(makeFaces([{ z: 0.75, outwards: 1 }]));
  const beside = listPlaces(1.05, 20);
  for (const [i, place] of listPlaces(0.75, 20).entries()) {
    const found = feeler.findPlace(beside[i]?.toArray() ?? [0, 0, 0]);
    expect(found && new Vector3(...found).distanceTo(place), `seed ${seed}`).toBeLessThan(1e-4);
  }
});

test('a face hit from outside is not the end of a wall', () => {
  const feeler = new SurfaceFeeler(
    makeFaces([
      { z: 0.75, outwards: 1 },
      { z: 0.2, outwards: 1 },
      { z: -0.75, outwards: -1 },
    ]),
  );
  for (const place of listPlaces(0.75, 50)) expect(feeler.findWall(place.toArray())).toBeNull();
});
