import { cp } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { meanPlane } from '#kernels/grid/mean-plane.ts';
import type { DataType, Grid, Vector3, VoxelArray } from '#kernels/grid/volume.ts';
import { pyramid } from './layout.ts';
import { filled, grid, hash, openVolumeFolder } from './testing/volume-folder.ts';
import { openVolumeReader, type VolumeReader } from './volume-reader.ts';

let folder: Awaited<ReturnType<typeof openVolumeFolder>>;
beforeAll(async () => {
  folder = await openVolumeFolder();
});
afterAll(() => folder.remove());

/** Byte by byte, because comparing millions of values one by one takes seconds. */
function expectSame(actual: VoxelArray, expected: VoxelArray): void {
  expect(actual.constructor).toBe(expected.constructor);
  expect(actual.length).toBe(expected.length);
  const bytes = ({ buffer, byteOffset, byteLength }: VoxelArray) =>
    Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  expect(bytes(actual).equals(bytes(expected))).toBe(true);
}

/** The next coarser level by definition: the mean of the voxels that exist. */
function averageByDefinition(
  voxels: VoxelArray,
  [nx, ny, nz]: Vector3,
  dataType: DataType,
): { voxels: VoxelArray; size: Vector3 } {
  const size: Vector3 = [Math.ceil(nx / 2), Math.ceil(ny / 2), Math.ceil(nz / 2)];
  const isFloat = dataType.startsWith('float');
  const mean = filled(size, dataType, (x, y, z) => {
    const found: number[] = [];
    for (let k = 2 * z; k < Math.min(2 * z + 2, nz); k += 1)
      for (let j = 2 * y; j < Math.min(2 * y + 2, ny); j += 1)
        for (let i = 2 * x; i < Math.min(2 * x + 2, nx); i += 1) {
          const value = voxels[(k * ny + j) * nx + i];
          if (!Number.isNaN(value)) found.push(value);
        }
    const value = found.reduce((sum, next) => sum + next, 0) / found.length;
    return isFloat ? value : Math.floor(value + 0.5);
  });
  return { voxels: mean, size };
}

describe('a stored volume', () => {
  const dimensions: Vector3 = [150, 131, 133];
  const voxels = filled(dimensions, 'uint16', hash);
  let reader: VolumeReader;
  beforeAll(async () => {
    reader = await folder.written(voxels, 'uint16', grid(dimensions));
  });
  const at = (x: number, y: number, z: number) => voxels[(z * dimensions[1] + y) * dimensions[0] + x];

  it('returns any slab', async () => {
    const plane = dimensions[0] * dimensions[1];
    for (const [start, end] of [
      [0, 133],
      [0, 1],
      [120, 132],
      [132, 133],
      [127, 129],
    ]) {
      expectSame(await reader.readSlab(0, start, end), voxels.subarray(start * plane, end * plane));
    }
  });

  it('returns its chunks as stored, cut to the requested planes', async () => {
    const from: unknown[] = [];
    let sum = 0;
    await reader.slabs(0).boxes.read([0, 0, 5], [reader.meta.levels[0].dimensions[0], 1, 7], async (box) => {
      from.push(box.from);
      expect(box.size[2]).toBe(2);
      const bytes = new Uint8Array(2 * box.size[0] * box.size[1] * box.size[2]);
      await box.load(bytes);
      sum += new Uint16Array(bytes.buffer)[0];
    });
    expect(from).toContainEqual([0, 0, 5]);
    const slab = await reader.readSlab(0, 5, 6);
    expect(sum).toBe(from.reduce<number>((all, at) => all + slab[(at as number[])[0]], 0));
  });

  it('returns the plane across each axis', async () => {
    const x = await reader.readPlane(0, 'x', 149);
    expect([x.width, x.height, x.data]).toEqual([
      131,
      133,
      filled([131, 133, 1], 'uint16', (y, z) => at(149, y, z)),
    ]);
    const y = await reader.readPlane(0, 'y', 128);
    expect([y.width, y.height, y.data]).toEqual([
      150,
      133,
      filled([150, 133, 1], 'uint16', (i, z) => at(i, 128, z)),
    ]);
    const z = await reader.readPlane(0, 'z', 7);
    expect([z.width, z.height, z.data]).toEqual([
      150,
      131,
      filled([150, 131, 1], 'uint16', (i, j) => at(i, j, 7)),
    ]);
  });

  it('returns a part of a plane that lies in four chunks', async () => {
    const part = await reader.readPlane(0, 'x', 126, { rect: [127, 125, 131, 130] });
    expect(part.data).toEqual(filled([4, 5, 1], 'uint16', (y, z) => at(126, 127 + y, 125 + z)));
  });

  it('has levels that average the previous one, down to 64 voxels', async () => {
    let level: { voxels: VoxelArray; size: Vector3 } = { voxels, size: dimensions };
    expect(reader.meta.levels.map((l) => l.dimensions)).toEqual([
      [150, 131, 133],
      [75, 66, 67],
      [38, 33, 34],
    ]);
    for (const index of [1, 2]) {
      level = averageByDefinition(level.voxels, level.size, 'uint16');
      expectSame(await reader.readSlab(index, 0, level.size[2]), level.voxels);
    }
  });

  it('names a request beyond its end', async () => {
    await expect(reader.readSlab(0, 100, 134)).rejects.toThrow(
      'cells 100 to 134 along z are not within 0 to 133 of level 0',
    );
    await expect(reader.readPlane(0, 'x', 150)).rejects.toThrow(RangeError);
    expect(() => reader.slabs(3)).toThrow('there is no level 3: the volume has levels 0 to 2');
  });

  it('stops reading when aborted', async () => {
    await expect(reader.readSlab(0, 0, 133, AbortSignal.abort(new Error('enough')))).rejects.toThrow(
      'enough',
    );
  });
});

describe('a volume stored by an earlier version, one file per chunk', () => {
  it('is read like any other', async () => {
    await cp(
      path.join(import.meta.dirname, 'testing/earlier-volume'),
      path.join(folder.directory, 'earlier'),
      {
        recursive: true,
      },
    );
    const reader = await openVolumeReader(folder.store, 'earlier');
    expect(reader.meta.levels.map(({ chunk, shard }) => [chunk, shard])).toEqual([
      [[128, 5, 3], null],
      [[65, 3, 2], null],
      [[33, 2, 1], null],
    ]);
    const value = (x: number, y: number, z: number) => 1000 * z + 200 * y + x;
    expectSame(
      await reader.readSlab(0, 1, 3),
      filled([130, 5, 2], 'uint16', (x, y, z) => value(x, y, z + 1)),
    );
    expect((await reader.readPlane(0, 'x', 129)).data).toEqual(
      filled([5, 3, 1], 'uint16', (y, z) => value(129, y, z)),
    );
    expect((await reader.readSlab(1, 0, 1))[0]).toBe(601);
  });
});

describe('a volume of each type', () => {
  it.each(['uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'float32', 'float64'] as const)(
    'of %s keeps its values and rounds its means',
    async (dataType) => {
      const dimensions: Vector3 = [67, 5, 3];
      const shift = dataType.startsWith('u') ? 0 : 90;
      const voxels = filled(dimensions, dataType, (x, y, z) => (hash(x, y, z) % 120) - shift);
      const reader = await folder.written(voxels, dataType, grid(dimensions));
      expect(await reader.readSlab(0, 0, 3)).toEqual(voxels);
      const coarser = averageByDefinition(voxels, dimensions, dataType);
      expect(await reader.readSlab(1, 0, 2)).toEqual(coarser.voxels);
    },
  );

  it('excludes NaN from its means', async () => {
    const voxels = new Float32Array([
      1,
      Number.NaN,
      3,
      Number.NaN,
      Number.NaN,
      Number.NaN,
      Number.NaN,
      Number.NaN,
    ]);
    const target = new Float32Array(1);
    meanPlane(voxels, 0, 2, 2, 2, target);
    expect(target[0]).toBe(2);
    meanPlane(new Float32Array(8).fill(Number.NaN), 0, 2, 2, 2, target);
    expect(target[0]).toBeNaN();
  });

  it('of one plane keeps its thickness in every level', async () => {
    const dimensions: Vector3 = [200, 3, 1];
    const reader = await folder.written(
      filled(dimensions, 'uint8', (x) => x % 200),
      'uint8',
      grid(dimensions, { voxelSizeMm: [1, 1, 5] }),
    );
    expect(reader.meta.levels.map((level) => [level.dimensions, level.voxelSizeMm])).toEqual([
      [
        [200, 3, 1],
        [1, 1, 5],
      ],
      [
        [100, 2, 1],
        [2, 2, 5],
      ],
      [
        [50, 1, 1],
        [4, 4, 5],
      ],
    ]);
  });
});

describe('the levels', () => {
  it('are centred on the voxels that they average, also in a rotated frame', () => {
    const turned = grid([10, 10, 10], {
      voxelSizeMm: [1, 2, 3],
      originMm: [5, 5, 5],
      directions: [0, 1, 0, -1, 0, 0, 0, 0, 1],
    });
    const [, coarse] = pyramid(turned, 2);
    expect(coarse.voxelSizeMm).toEqual([2, 4, 6]);
    expect(coarse.originMm).toEqual([5 - 1, 5 + 0.5, 5 + 1.5]);
  });

  it.each([
    [{ dimensions: [0, 1, 1] as Vector3 }, /dimensions are 0 × 1 × 1/],
    [{ voxelSizeMm: [1, -1, 1] as Vector3 }, /voxel size is 1 × -1 × 1 mm/],
    [{ originMm: [Number.NaN, 0, 0] as Vector3 }, /finite/],
  ])('are refused for %j', (change, message) => {
    expect(() => pyramid({ ...grid([4, 4, 4]), ...change })).toThrow(message);
  });
});

describe('a volume on an oblique plane', () => {
  const dimensions: Vector3 = [140, 40, 30];
  // Linear in the position, so trilinear interpolation must be exact.
  const change = {
    voxelSizeMm: [0.5, 1, 2] as Vector3,
    originMm: [10, -4, 3] as Vector3,
    directions: [0, 1, 0, -1, 0, 0, 0, 0, 1] as Grid['directions'],
  };
  const linear = ([x, y, z]: Vector3) => 2 * x - 3 * y + 0.25 * z;
  let reader: VolumeReader;
  beforeAll(async () => {
    const positionMm = (i: number, j: number, k: number): Vector3 => [10 - j * 1, -4 + i * 0.5, 3 + k * 2];
    reader = await folder.written(
      filled(dimensions, 'float32', (i, j, k) => linear(positionMm(i, j, k))),
      'float32',
      grid(dimensions, change),
    );
  });

  it('is exact for a linear field, and NaN outside', async () => {
    const plane = {
      originMm: [5, 10, 20] as Vector3,
      uMm: [-0.11, 0.33, 0.2] as Vector3,
      vMm: [-0.2, 0.1, 0.15] as Vector3,
      width: 400,
      height: 100,
    };
    const values = await reader.samplePlane(0, plane);
    let [inside, outside, worst] = [0, 0, 0];
    for (let y = 0; y < plane.height; y += 1) {
      for (let x = 0; x < plane.width; x += 1) {
        const p = plane.originMm.map((mm, a) => mm + x * plane.uMm[a] + y * plane.vMm[a]) as Vector3;
        const cell = [(p[1] + 4) / 0.5, 10 - p[0], (p[2] - 3) / 2];
        const value = values[y * plane.width + x];
        if (cell.every((c, a) => c >= 0 && c <= dimensions[a] - 1)) {
          inside += 1;
          worst = Math.max(worst, Math.abs(value - linear(p)));
        } else if (cell.some((c, a) => c < -0.51 || c > dimensions[a] - 0.49)) {
          outside += 1;
          expect(value).toBeNaN();
        }
      }
    }
    expect(inside).toBeGreaterThan(2000);
    expect(outside).toBeGreaterThan(1000);
    expect(worst).toBeLessThan(1e-4);
  });

  it('refuses a degenerate plane', async () => {
    const plane = {
      originMm: [0, 0, 0] as Vector3,
      uMm: [1, 0, 0] as Vector3,
      vMm: [0, 1, 0] as Vector3,
      width: 0,
      height: 5,
    };
    await expect(reader.samplePlane(0, plane)).rejects.toThrow('a plane of 0 × 5 pixels');
    await expect(reader.samplePlane(0, { ...plane, width: 5, uMm: [Number.NaN, 0, 0] })).rejects.toThrow(
      'finite',
    );
  });
});
