import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import { inlinePool, stoppedBy } from '../pool.ts';
import { seededRandom } from '../random.ts';
import { openGrid } from '../surface/load-grid.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { medianFiltered } from './median-filter.ts';
import { eachPlanes } from './plane-reader.ts';
import { type CellBox, wholeGrid } from './region.ts';
import {
  bytesPerVoxel,
  type DataType,
  identityDirections,
  makeSlabs,
  type SlabSource,
  type Vector3,
  type Volume,
  type VoxelArray,
  voxelArray,
} from './volume.ts';

let one: KernelPool;
let three: KernelPool;
beforeAll(async () => {
  const module = await kernelModule();
  [one, three] = [inlinePool(module), inlinePool(module, 3)];
});

const whole: Record<string, [low: number, high: number]> = {
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65_535],
  int16: [-32_768, 32_767],
  uint32: [0, 4_294_967_295],
  int32: [-2_147_483_648, 2_147_483_647],
};

/** Random values of the type, some of them repeated, to include ties and both ends of the range. */
function scan(dimensions: Vector3, dataType: DataType, seed = 1): Volume {
  const random = seededRandom(seed);
  const data = voxelArray(dataType, dimensions[0] * dimensions[1] * dimensions[2]);
  const [low, high] = whole[dataType] ?? [-1e3, 1e3];
  for (let i = 0; i < data.length; i++) {
    const share = random();
    const value = low + (share < 0.1 ? 0 : share > 0.9 ? 1 : random()) * (high - low);
    data[i] = dataType in whole ? Math.round(value) : value;
  }
  return {
    dimensions,
    voxelSizeMm: [0.1, 0.1, 0.25],
    originMm: [1, 2, 3],
    directions: identityDirections(),
    dataType,
    data,
  };
}

/** Reference implementation: sorts all 27. */
function reference({ dimensions: [nx, ny, nz], dataType, data }: Volume): VoxelArray {
  const found = voxelArray(dataType, data.length);
  const within = (i: number, n: number) => Math.min(Math.max(i, 0), n - 1);
  for (let z = 0, at = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++, at++) {
        const around: number[] = [];
        for (let k = -1; k <= 1; k++) {
          for (let j = -1; j <= 1; j++) {
            const row = (within(z + k, nz) * ny + within(y + j, ny)) * nx;
            for (let i = -1; i <= 1; i++) around.push(data[row + within(x + i, nx)]);
          }
        }
        const numbers = around.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
        found[at] = Number.isNaN(data[at]) ? Number.NaN : numbers[(numbers.length - 1) >> 1] + 0;
      }
    }
  }
  return found;
}

const filtered = (volume: Volume, pool = one) =>
  medianFiltered(makeSlabs(volume), pool).readSlab(0, volume.dimensions[2]);

/** The filtered values of a region, read in pieces, at their positions in the whole volume; 0 elsewhere. */
async function inPieces(volume: Volume, pool: KernelPool, cells: CellBox, size: number): Promise<VoxelArray> {
  const { dataType, dimensions, data } = volume;
  const [nx, ny] = dimensions;
  const found = voxelArray(dataType, data.length);
  await pool.withArena((arena) =>
    eachPlanes(
      medianFiltered(makeSlabs(volume), pool),
      cells,
      arena,
      { from: cells.from[2], to: cells.to[2], size, before: 2, after: 1, purpose: 'A test' },
      async (zFrom, zTo, { address, first }) => {
        for (let z = zFrom; z < zTo; z++) {
          for (let y = cells.from[1]; y < cells.to[1]; y++) {
            const row = (z * ny + y) * nx;
            const at = address + ((z - first) * ny + y) * nx * bytesPerVoxel[dataType];
            const bytes = arena.bytes(at, nx * bytesPerVoxel[dataType]).slice();
            const values = voxelArray(dataType, bytes.buffer as unknown as ArrayBuffer, 0, nx);
            for (let x = cells.from[0]; x < cells.to[0]; x++) found[row + x] = values[x];
          }
        }
      },
    ),
  );
  return found;
}

describe('the median filter', () => {
  it.each(Object.keys(bytesPerVoxel) as DataType[])(
    'equals the median of 27 sorted values, bit by bit, for %s',
    async (dataType) => {
      const volume = scan([41, 7, 6], dataType);
      expect(await filtered(volume)).toEqual(reference(volume));
    },
  );

  it.each([
    [[1, 1, 1]],
    [[2, 1, 1]],
    [[1, 3, 1]],
    [[1, 1, 5]],
    [[3, 2, 1]],
    [[7, 8, 9]],
    [[9, 4, 2]],
    [[16, 5, 3]],
    [[17, 3, 4]],
    [[255, 2, 2]],
    [[256, 3, 2]],
    [[257, 2, 3]],
    [[515, 4, 2]],
  ] as [Vector3][])('repeats the outermost cells beyond the border of %j cells', async (dimensions) => {
    for (const dataType of ['uint8', 'uint16', 'int16', 'float32'] as const) {
      const volume = scan(dimensions, dataType, 2);
      expect(await filtered(volume)).toEqual(reference(volume));
    }
  });

  it.each(['uint16', 'float32', 'float64'] as const)(
    'gives the same for any number of planes, threads and any region for %s',
    async (dataType) => {
      const volume = scan([37, 11, 9], dataType, 3);
      const expected = reference(volume);
      const all = wholeGrid(volume);
      for (const pool of [one, three]) {
        for (const size of [1, 2, 4, 9]) expect(await inPieces(volume, pool, all, size)).toEqual(expected);
      }
      const region: CellBox = { from: [5, 3, 2], to: [30, 8, 7] };
      const part = await inPieces(volume, three, region, 2);
      const [nx, ny] = volume.dimensions;
      const within = expected.map((value: number, at: number) => {
        const cell = [at % nx, Math.floor(at / nx) % ny, Math.floor(at / (nx * ny))];
        return cell.every((c, k) => c >= region.from[k] && c < region.to[k]) ? value : 0;
      });
      expect(part).toEqual(within);
    },
  );

  it('leaves constant volumes unchanged', async () => {
    const volume = scan([20, 6, 5], 'uint16');
    volume.data.fill(40_000);
    expect(await filtered(volume)).toEqual(volume.data);
  });

  it.each(['float32', 'float64'] as const)('ignores NaN and keeps it in place, for %s', async (dataType) => {
    const volume = scan([23, 9, 7], dataType, 4);
    const random = seededRandom(5);
    for (let i = 0; i < volume.data.length; i++) {
      // Some single, some in one block, as around a round field of view.
      if (random() < 0.05 || i % 23 > 18) volume.data[i] = Number.NaN;
      else if (random() < 0.02) volume.data[i] = random() < 0.5 ? -Infinity : Infinity;
      else if (random() < 0.1) volume.data[i] = random() < 0.5 ? -0 : 0;
    }
    const found = await filtered(volume);
    expect(found).toEqual(reference(volume));
    expect([...found].some((value) => Object.is(value, -0))).toBe(false);
    volume.data.fill(Number.NaN);
    expect(await filtered(volume)).toEqual(volume.data);
  });

  it('removes single outliers and keeps flat edges in place', async () => {
    const dimensions: Vector3 = [16, 12, 10];
    const volume = scan(dimensions, 'int16');
    const clean = volume.data.map((_: number, i: number) => (i % 16 < 7 ? -500 : 1200)) as Int16Array;
    volume.data.set(clean);
    for (let i = 200; i < volume.data.length; i += 431) volume.data[i] = 32_767;
    expect(await filtered(volume)).toEqual(clean);
  });

  it('gives a surface the same grey values in windows as from a volume that was filtered beforehand', async () => {
    const volume = scan([22, 13, 19], 'uint16', 6);
    const before = makeSlabs({ ...volume, data: reference(volume) });
    const cells: CellBox = { from: [2, 1, 3], to: [21, 12, 18] };
    const options = {
      cells,
      isoValue: 30_000,
      range: [0, 65_535] as [number, number],
      air: 0,
      smoothing: 0.8,
    };
    const readBits = (source: SlabSource, pool: KernelPool, windowPlanes?: number) =>
      pool.withArena(async (arena) => {
        const grey = await openGrid(source, arena, { ...options, windowPlanes });
        const rows = new Map<number, string>();
        await grey.eachWindow(1, async (grid, zFrom, zTo) => {
          const bytes = 2 * grid.stride * (grid.cells[1] + 2);
          for (let z = zFrom; z < zTo; z++) {
            rows.set(z, Buffer.from(arena.bytes(grid.address + z * bytes, bytes).slice()).toString('base64'));
          }
        });
        return rows;
      });
    const expected = await readBits(before, one);
    expect(expected.size).toBe(17);
    const source = medianFiltered(makeSlabs(volume), one);
    expect(await readBits(source, one)).toEqual(expected);
    for (const planes of [1, 4, 7]) {
      expect(await readBits(medianFiltered(makeSlabs(volume), three), three, planes)).toEqual(expected);
    }
  });

  it('stops when its operation is cancelled', async () => {
    const pool = stoppedBy(one, AbortSignal.abort(new Error('stopped')));
    const source = medianFiltered(makeSlabs(scan([8, 8, 8], 'uint16')), pool);
    await expect(source.readSlab(0, 8)).rejects.toThrow('stopped');
  });
});
