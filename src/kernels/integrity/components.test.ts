import { beforeAll, describe, expect, it } from 'vitest';
import { Arena } from '../arena.ts';
import { wholeGrid } from '../grid/region.ts';
import { makeSlabs, type Vector3, type Volume } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import { seededRandom } from '../random.ts';
import type { WasmModule } from '../simd/webassembly.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { ballRows, dilateBits, makeBitGrid, thresholdBits } from './bit-grid.ts';
import { type Connectivity, findComponents } from './components.ts';
import { tabulate } from './tasks.ts';

let kernels: WasmModule;
beforeAll(async () => {
  kernels = await kernelModule();
});

function randomVolume(dimensions: Vector3, share: number, seed: number): Volume {
  const random = seededRandom(seed);
  const data = new Float32Array(dimensions[0] * dimensions[1] * dimensions[2]);
  for (let i = 0; i < data.length; i++) data[i] = random() < share ? 1 : 0;
  // A missing value counts as air.
  if (data.length > 5) data[5] = Number.NaN;
  return {
    dimensions,
    voxelSizeMm: [1, 1, 1],
    originMm: [0, 0, 0],
    directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    dataType: 'float32',
    data,
  };
}

/** Sorted sizes of the components of cells that are not above 0.5, by flood fill. */
function flooded({ dimensions: [nx, ny, nz], data }: Volume, connectivity: Connectivity): number[] {
  const isSet = (i: number) => !(data[i] > 0.5);
  const seen = new Uint8Array(data.length);
  const sizes: number[] = [];
  for (let start = 0; start < data.length; start++) {
    if (seen[start] || !isSet(start)) continue;
    const stack = [start];
    seen[start] = 1;
    let size = 0;
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      size++;
      const [x, y, z] = [at % nx, Math.floor(at / nx) % ny, Math.floor(at / (nx * ny))];
      for (let dz = -1; dz <= 1; dz++) {
        for (let dy = -1; dy <= 1; dy++) {
          for (let dx = -1; dx <= 1; dx++) {
            if (connectivity === 6 && Math.abs(dx) + Math.abs(dy) + Math.abs(dz) !== 1) continue;
            const [u, v, w] = [x + dx, y + dy, z + dz];
            if (u < 0 || v < 0 || w < 0 || u >= nx || v >= ny || w >= nz) continue;
            const next = (w * ny + v) * nx + u;
            if (seen[next] || !isSet(next)) continue;
            seen[next] = 1;
            stack.push(next);
          }
        }
      }
    }
    sizes.push(size);
  }
  return sizes.sort((a, b) => a - b);
}

async function listSizes(volume: Volume, connectivity: Connectivity, lanes: number, slabPlanes?: number) {
  const arena = new Arena(inlinePool(kernels, lanes));
  const grid = makeBitGrid(arena, volume.dimensions, [3, 3, 3]);
  // Inverted, so that cells not above the level become cells above it and the margin stays empty.
  const inverted = { ...volume, data: Float32Array.from(volume.data, (v) => (v > 0.5 ? 0 : 1)) };
  const threshold = [{ level: 0.5, keep: 'above' as const }];
  const stage = { grid, arena, slabPlanes };
  const source = makeSlabs(inverted);
  const request = { cells: wholeGrid(source.grid), thresholds: threshold };
  const [bits] = await thresholdBits(source, request, stage);
  const components = await findComponents(bits, connectivity, stage);
  const { voxels } = await arena.run(tabulate, { grid, components, mask: 0 });
  return { voxels: [...voxels], numbers: [...arena.integers(components.numbers, components.runCount)] };
}

describe('components of a bit grid', () => {
  const dimensions: Vector3[] = [
    [17, 9, 11],
    [1, 1, 1],
    [130, 3, 5],
    [1, 20, 7],
    [64, 8, 1],
  ];
  for (const [i, size] of dimensions.entries()) {
    for (const connectivity of [6, 26] as const) {
      for (const share of [0.35, 0.7, 0.93]) {
        const seed = 1000 + 10 * i + Math.round(share * 100);
        it(`match a flood fill: ${size.join(' × ')}, ${connectivity} neighbours, seed ${seed}`, async () => {
          const volume = randomVolume(size, share, seed);
          const { voxels } = await listSizes(volume, connectivity, 1);
          expect(voxels.sort((a, b) => a - b)).toEqual(flooded(volume, connectivity));
        });
      }
    }
  }

  it('have the same numbers for any slabs and threads', async () => {
    const volume = randomVolume([40, 21, 33], 0.75, 77);
    const whole = await listSizes(volume, 26, 1, 100);
    expect(await listSizes(volume, 26, 3, 1)).toEqual(whole);
    expect(await listSizes(volume, 26, 2, 7)).toEqual(whole);
  });
});

describe('dilation by a ball', () => {
  it.each([
    ['few', 0.004, false],
    ['nearly all', 0.996, true],
  ] as const)(
    'sets the cells whose centres lie within its radius of %s, also with anisotropic voxels',
    async (_, share, invert) => {
      const spacing: Vector3 = [0.5, 1, 0.8];
      const volume = { ...randomVolume([205, 12, 13], share, 5), voxelSizeMm: spacing };
      volume.data[5] = 0;
      const arena = new Arena(inlinePool(kernels, 2));
      const grid = makeBitGrid(arena, volume.dimensions, [3, 3, 3]);
      const source = makeSlabs(volume);
      const keep = [{ level: 0.5, keep: 'above' as const }];
      const stage = { grid, arena, slabPlanes: 4 };
      const [bits] = await thresholdBits(source, { cells: wholeGrid(source.grid), thresholds: keep }, stage);
      if (invert) {
        // Clear the margin, and set the few cells inside that are not set.
        const all = arena.integers(bits, grid.words * grid.rows * grid.planes * 2);
        const [nx, ny, nz] = volume.dimensions;
        const kept = all.slice();
        all.fill(0xffffffff);
        for (let z = 0; z < nz; z++) {
          for (let y = 0; y < ny; y++) {
            const row = (z + grid.margin[2]) * grid.rows + y + grid.margin[1];
            for (let x = 0; x < nx; x++) {
              const at = x + grid.margin[0];
              const word = row * grid.words * 2 + (at >> 5);
              if (((kept[word] >>> (at & 31)) & 1) === 0) all[word] &= ~(1 << (at & 31));
            }
          }
        }
      }
      const target = arena.allocate(grid.words * grid.rows * grid.planes * 8, 'test');
      const request = { bits, invert, ball: ballRows(2.6, spacing), make: 'dilation', target } as const;
      await dilateBits(request, stage);
      const words = arena.integers(target, grid.words * grid.rows * grid.planes * 2);
      const [nx, ny, nz] = volume.dimensions;
      const seeds: Vector3[] = [];
      for (const [i, v] of volume.data.entries()) {
        if (v > 0.5 !== invert) seeds.push([i % nx, Math.floor(i / nx) % ny, Math.floor(i / (nx * ny))]);
      }
      expect(seeds.length).toBeGreaterThan(5);
      let wrong = 0;
      for (let z = 0; z < nz; z++) {
        for (let y = 0; y < ny; y++) {
          for (let x = 0; x < nx; x++) {
            const near = seeds.some(
              (s) => Math.hypot((x - s[0]) * 0.5, y - s[1], (z - s[2]) * 0.8) <= 2.6 + 1e-9,
            );
            const row = (z + grid.margin[2]) * grid.rows + y + grid.margin[1];
            const at = x + grid.margin[0];
            const isSet = ((words[row * grid.words * 2 + (at >> 5)] >>> (at & 31)) & 1) === 1;
            if (isSet !== near) wrong++;
          }
        }
      }
      expect(wrong).toBe(0);
    },
  );
});
