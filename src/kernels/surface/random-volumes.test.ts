import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import { type DataType, identityDirections, type Vector3, type Volume, voxelArray } from '../grid/volume.ts';
import { isClosed } from '../mesh/measure.ts';
import { inlinePool } from '../pool.ts';
import { seededNormal, seededRandom } from '../random.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { measureBody } from '../testing/measure-body.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

const random = seededRandom(20260717);
const normal = seededNormal(20260717);
const types: DataType[] = ['uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'float32', 'float64'];
const sizes = [1, 1, 2, 3, 5, 8, 13, 17];
const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];

/** Contents of the cells by name; the level is at 50. */
const fills: Record<string, () => (x: number, y: number, z: number) => number> = {
  noise: () => () => 100 * random(),
  /** three values, one of them the level itself */
  levels: () => () => pick([49, 50, 51]),
  /** ambiguous everywhere */
  checkers: () => (x, y, z) => ((x + y + z) % 2 ? 20 + 10 * random() : 80 - 10 * random()),
  /** large noisy shapes that cross the border */
  waves: () => {
    const turn = [random(), random(), random()];
    return (x, y, z) =>
      50 +
      40 * Math.sin(x * turn[0] + 2 * random() * 0.1) * Math.cos(y * turn[1] - z * turn[2]) +
      8 * normal();
  },
  /** single cells in air */
  specks: () => () => (random() < 0.06 ? 90 : 5),
};

function randomVolume(name: string): Volume {
  const dimensions: Vector3 = [pick(sizes), pick(sizes), pick(sizes)];
  const dataType = pick(types);
  const data = voxelArray(dataType, dimensions[0] * dimensions[1] * dimensions[2]);
  const value = fills[name]();
  const missing = dataType.startsWith('float') ? 0.05 : 0;
  let i = 0;
  for (let z = 0; z < dimensions[2]; z++) {
    for (let y = 0; y < dimensions[1]; y++) {
      for (let x = 0; x < dimensions[0]; x++) {
        data[i++] = random() < missing ? Number.NaN : Math.min(Math.max(value(x, y, z), 0), 120);
      }
    }
  }
  // One cell of each phase, where there is room, so that a surface exists.
  data[0] = 100;
  if (data.length > 1) data[data.length - 1] = 0;
  return {
    dimensions,
    voxelSizeMm: [0.5 + random(), 0.5 + random(), 0.5 + random()],
    originMm: [0, 0, 0],
    directions: identityDirections(),
    dataType,
    data,
  };
}

/** The triangles around each vertex form a single ring: no two sheets touch in a point. */
function isManifoldAtVertices(vertices: number, indices: Uint32Array): boolean {
  const rings = Array.from({ length: vertices }, () => new Map<number, number>());
  for (let t = 0; t < indices.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      rings[indices[t + k]].set(indices[t + ((k + 1) % 3)], indices[t + ((k + 2) % 3)]);
    }
  }
  return rings.every((ring) => {
    const [first] = ring.keys();
    let at = ring.get(first);
    let steps = 1;
    while (at !== undefined && at !== first && steps <= ring.size) {
      at = ring.get(at);
      steps++;
    }
    return at === first && steps === ring.size;
  });
}

describe('a thousand random volumes', () => {
  it.each(Object.keys(fills))('give closed, manifold, outward-oriented meshes: 200 of %s', async (name) => {
    const surface = { mode: 'value' as const, value: 50 };
    let meshes = 0;
    while (meshes < 200) {
      const volume = randomVolume(name);
      if (volume.data.length < 2) continue;
      const smoothing = pick(['auto', 0, 0.7] as const);
      const what = `${name} ${meshes}: ${volume.dataType} ${volume.dimensions}, smoothing ${smoothing}`;
      const made = await measureBody(volume, pool, { surface, smoothing }).catch((error: Error) => {
        // A filter may leave nothing above the level; then an error is expected instead of a mesh.
        expect(error.message, what).toContain('No surface');
        expect(smoothing, what).not.toBe(0);
        return null;
      });
      if (!made) continue;
      meshes++;
      const { positions, indices } = made.mesh;
      expect(isClosed(positions.length / 3, indices), what).toBe(true);
      expect(isManifoldAtVertices(positions.length / 3, indices), what).toBe(true);
      expect(positions.every(Number.isFinite), what).toBe(true);
      expect(made.facts.volumeMm3, what).toBeGreaterThan(0);
    }
  });

  it('would detect an open mesh, a reversed triangle, and two sheets that touch in a point', () => {
    const tetrahedron = [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3];
    expect(isClosed(4, Uint32Array.from(tetrahedron))).toBe(true);
    expect(isManifoldAtVertices(4, Uint32Array.from(tetrahedron))).toBe(true);
    expect(isClosed(4, Uint32Array.from(tetrahedron.slice(3)))).toBe(false);
    expect(isClosed(4, Uint32Array.from([0, 1, 2, ...tetrahedron.slice(3)]))).toBe(false);
    const other = tetrahedron.map((v) => (v === 0 ? 0 : v + 3));
    expect(isClosed(7, Uint32Array.from([...tetrahedron, ...other]))).toBe(true);
    expect(isManifoldAtVertices(7, Uint32Array.from([...tetrahedron, ...other]))).toBe(false);
  });
});
