import { beforeAll, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import { type DataType, identityDirections, type Vector3, voxelArray } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import { seededRandom } from '../random.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { measureBody } from '../testing/measure-body.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

const surface = { mode: 'value' as const, value: 50 };
const contents: Record<string, (x: number, y: number, z: number, random: () => number) => number> = {
  noise: (_x, _y, _z, random) => 100 * random(),
  specks: (_x, _y, _z, random) => (random() < 0.25 ? 90 : 5),
  /** sheets thinner than a cell, at all angles to the grid */
  sheets: (x, y, z, random) => 90 - 90 * Math.abs(((x + 0.4 * y + 0.7 * z + 0.3 * random()) % 6) - 3),
};
const cases = Object.keys(contents).flatMap((name) =>
  (['uint16', 'float32'] as const).flatMap((type) =>
    ([0, 'auto'] as const).map((smoothing): [string, DataType, 0 | 'auto'] => [name, type, smoothing]),
  ),
);

it.each(cases)(
  'walls in %s of %s, smoothing %s, have a positive thickness or none',
  async (name, dataType, smoothing) => {
    const random = seededRandom(20261121);
    const dimensions: Vector3 = [19, 22, 17];
    const voxelSizeMm: Vector3 = [0.1, 0.1, 0.15];
    const data = voxelArray(dataType, dimensions[0] * dimensions[1] * dimensions[2]);
    let i = 0;
    for (let z = 0; z < dimensions[2]; z++) {
      for (let y = 0; y < dimensions[1]; y++) {
        for (let x = 0; x < dimensions[0]; x++) data[i++] = contents[name](x, y, z, random);
      }
    }
    const volume = {
      dimensions,
      voxelSizeMm,
      originMm: [0, 0, 0] as Vector3,
      directions: identityDirections(),
      dataType,
      data,
    };
    const diagonalMm = Math.hypot(...dimensions.map((n, k) => (n + 2) * voxelSizeMm[k]));
    for (const method of ['ray', 'sphere'] as const) {
      const { thicknessMm } = await measureBody(volume, pool, { surface, smoothing, method });
      const finite = thicknessMm.filter((value) => !Number.isNaN(value));
      expect(finite.length, method).toBeGreaterThan(0.3 * thicknessMm.length);
      expect(Math.min(...finite), method).toBeGreaterThan(0);
      expect(Math.max(...finite), method).toBeLessThan(diagonalMm);
    }
  },
);
