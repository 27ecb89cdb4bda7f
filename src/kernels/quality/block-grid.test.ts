import { expect, it } from 'vitest';
import { identityDirections, makeSlabs, type Vector3 } from '../grid/volume.ts';
import { seededNormal } from '../random.ts';
import { blockCells, gatherBlocks, readBlocks } from './block-grid.ts';

/** Noise on a ramp, with a missing value, a duplicated plane, a plane and a column of one value. */
function noisyScan(dimensions: Vector3, seed: number) {
  const [nx, ny, nz] = dimensions;
  const random = seededNormal(seed);
  const data = Float32Array.from({ length: nx * ny * nz }, (_, at) => 100 * (at % nx) + random());
  for (let row = 0; row < ny * nz; row++) data[row * nx + 13] = 7;
  data.copyWithin(11 * nx * ny, 10 * nx * ny, 11 * nx * ny);
  data.fill(3, 20 * nx * ny, 21 * nx * ny);
  data[nx * ny * 17 + nx * 9 + 4] = Number.NaN;
  data[5] = Number.POSITIVE_INFINITY;
  data.fill(1e5, 31, 34);
  return {
    dimensions,
    voxelSizeMm: [1, 1, 1] as Vector3,
    originMm: [0, 0, 0] as Vector3,
    directions: identityDirections(),
    dataType: 'float32' as const,
    data,
  };
}

// The second and third are too long to be read completely: cells between blocks are skipped.
it.each([[[36, 34, 41]], [[36, 34, 530]], [[533, 36, 35]]] as [Vector3][])(
  'blocks of %j cells do not depend on how planes are delivered, and agree with a direct sum',
  async (size) => {
    const seed = 11;
    const scan = noisyScan(size, seed);
    const [nx, ny, nz] = size;
    const read = await readBlocks(makeSlabs(scan));
    if (!read) throw new Error('too small');
    for (const planes of [1, 5, 7, nz]) {
      const gathered = gatherBlocks(size);
      const reused = new Float32Array(planes * nx * ny);
      for (let z = 0; z < nz; z += planes) {
        const slab = scan.data.subarray(z * nx * ny, Math.min(nz, z + planes) * nx * ny);
        reused.set(slab);
        gathered?.add(reused.subarray(0, slab.length), z);
        reused.fill(0);
      }
      expect(gathered?.take(), `${planes} planes at a time, seed ${seed}`).toEqual(read);
    }

    const { size: blocks, stride, first, means, deviations } = read;
    for (let at = 0; at < means.length; at += 17) {
      const place = [
        at % blocks[0],
        Math.floor(at / blocks[0]) % blocks[1],
        Math.floor(at / (blocks[0] * blocks[1])),
      ];
      const [x, y, z] = place.map((block, axis) => first[axis] + block * stride);
      const values = Array.from({ length: blockCells ** 3 }, (_, cell) => {
        const [i, j, k] = [cell % 4, Math.floor(cell / 4) % 4, Math.floor(cell / 16)];
        return scan.data[x + i + nx * (y + j + ny * (z + k))];
      });
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
      expect(means[at]).toBeCloseTo(mean, 1);
      expect(deviations[at]).toBeCloseTo(Math.sqrt(variance), 2);
    }
    const isWhole = Math.max(...size) <= 512;
    expect(read.atTop).toBe(3);
    expect(read.cells).toBe(isWhole ? nx * ny * nz : blocks[2] * blockCells * nx * ny);
    expect(read.lostRuns).toEqual(
      isWhole
        ? [
            [11, 11],
            [20, 20],
          ]
        : null,
    );
    expect(read.deadPlanes).toBe(isWhole ? 0 : null);
  },
);

it('gathers nothing from a scan that is too small to be judged', () => {
  expect(gatherBlocks([64, 64, 27])).toBeNull();
});
