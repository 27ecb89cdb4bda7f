import { expect, it } from 'vitest';
import { wholeGrid } from '../grid/region.ts';
import { identityDirections, slabsOf, type Vector3 } from '../grid/volume.ts';
import { seededRandom } from '../phantoms/random.ts';
import { inlinePool } from '../pool.ts';
import { Arena } from '../simd/arena.ts';
import { extractSurface } from '../surface/extract.ts';
import { inOneWindow } from '../surface/grid-layout.ts';
import { loadGrid } from '../surface/load-grid.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { deepest, depthOf } from './depth.ts';

it.each([
  [[1, 1, 1], 1],
  [[23, 17, 19], 0.995],
  [[9, 41, 5], 0.9],
  [[70, 69, 68], 1],
] as [Vector3, number][])(
  'depths of %j cells, %d of them material, are those to the nearest air along any axis',
  async (dimensions, share) => {
    const random = seededRandom(11);
    const data = Uint16Array.from({ length: dimensions[0] * dimensions[1] * dimensions[2] }, () =>
      random() < share ? 40_000 : 8000,
    );
    const volume = {
      dimensions,
      voxelSizeMm: [1, 1, 1] as Vector3,
      originMm: [0, 0, 0] as Vector3,
      directions: identityDirections(),
      dataType: 'uint16' as const,
      data,
    };
    const source = slabsOf(volume);
    const arena = new Arena();
    const pool = inlinePool(await kernelModule(), 2);
    const levels = { isoValue: 24_000, air: 8000, range: [8000, 40_000] as [number, number] };
    const grid = await loadGrid(source, pool, arena, {
      cells: wholeGrid(source.grid),
      smoothing: 0,
      ...levels,
    });
    const surface = await extractSurface(inOneWindow(grid), pool, arena);
    const depth = await depthOf(grid, surface, pool, arena);
    const [nx, ny, nz] = dimensions.map((n) => n + 2);
    const found = arena.bytes(depth, grid.stride * ny * nz);
    const isAir = (x: number, y: number, z: number) => {
      const at = [x, y, z].map((n) => n - 1);
      if (at.some((n, k) => n < 0 || n >= dimensions[k])) return true;
      return data[(at[2] * dimensions[1] + at[1]) * dimensions[0] + at[0]] < 24_000;
    };
    const nearestAir = (x: number, y: number, z: number) => {
      for (let reach = 0; reach < deepest; reach++) {
        for (let dz = -reach; dz <= reach; dz++) {
          for (let dy = -reach; dy <= reach; dy++) {
            // Only the shell of the cube is new.
            const step = Math.max(Math.abs(dz), Math.abs(dy)) === reach ? 1 : Math.max(1, 2 * reach);
            for (let dx = -reach; dx <= reach; dx += step) if (isAir(x + dx, y + dy, z + dz)) return reach;
          }
        }
      }
      return deepest;
    };
    for (let i = 0; i < 200; i++) {
      const [x, y, z] = [nx, ny, nz].map((n) => Math.floor(random() * n));
      expect(found[(z * ny + y) * grid.stride + x], `${x} ${y} ${z}`).toBe(nearestAir(x, y, z));
    }
  },
);
