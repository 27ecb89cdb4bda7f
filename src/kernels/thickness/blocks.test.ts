import { expect, it } from 'vitest';
import { Arena } from '../arena.ts';
import { wholeGrid } from '../grid/region.ts';
import { identityDirections, makeSlabs, type Vector3 } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import { seededRandom } from '../random.ts';
import { extractSurface } from '../surface/extract.ts';
import { inOneWindow } from '../surface/grid-layout.ts';
import { loadGrid } from '../surface/load-grid.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { blockEdge, blocksAround, deepest } from './blocks.ts';

it.each([
  [[1, 1, 1], 1],
  [[23, 17, 19], 0.995],
  [[9, 41, 5], 0.9],
  [[70, 69, 68], 1],
] as [Vector3, number][])(
  'depths in %j cells, %d of them material, are distances to the nearest air along any axis',
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
    const source = makeSlabs(volume);
    const arena = new Arena(inlinePool(await kernelModule(), 2));
    const levels = { isoValue: 24_000, air: 8000, range: [8000, 40_000] as [number, number] };
    const grid = await loadGrid(source, arena, {
      cells: wholeGrid(source.grid),
      smoothing: 0,
      ...levels,
    });
    const surface = await extractSurface(inOneWindow(grid), arena);
    const { table, size } = await blocksAround(grid, surface, arena, 2);
    const [nx, ny, nz] = dimensions.map((n) => n + 2);
    /** The known depth of a grid point, and whether it is its own or that of a whole block. */
    const depthAt = (...place: Vector3) => {
      const [bx, by, bz] = place.map((n) => Math.floor(n / blockEdge));
      const [block] = arena.integers(table + 4 * ((bz * size[1] + by) * size[0] + bx), 1);
      if (block <= deepest) return { depth: block, isOwn: false };
      const [x, y, z] = place.map((n) => n % blockEdge);
      return { depth: arena.bytes(block + 1472 + (z * blockEdge + y) * blockEdge + x, 1)[0], isOwn: true };
    };
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
      const { depth, isOwn } = depthAt(x, y, z);
      const nearest = nearestAir(x, y, z);
      if (isOwn || depth === 0) expect(depth, `${x} ${y} ${z}`).toBe(nearest);
      else {
        // The smallest in its block; depths within a block differ by at most its edge length.
        expect(depth, `${x} ${y} ${z}`).toBeLessThanOrEqual(nearest);
        expect(depth, `${x} ${y} ${z}`).toBeGreaterThan(Math.min(nearest, deepest) - blockEdge);
      }
    }
  },
);
