import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import type { Vector3 } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import { blurVolume } from '../testing/blur.ts';
import { box, movedBody } from '../testing/bodies.ts';
import { addNoise } from '../testing/carve.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { measureBody } from '../testing/measure-body.ts';
import { renderBody } from '../testing/render-body.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

const half: Vector3 = [1.31, 1.22, 1.18];

/**
 * Offset of the box's measured centre from its true position, in voxels: the mean of the mean positions of opposite
 * faces.
 */
async function findShift(at: Vector3, scan: { noise: number; blurMm: number }): Promise<number[]> {
  const body = movedBody(box(half.map((n) => 2 * n) as Vector3), at);
  const volume = renderBody(body, { dimensions: [36, 34, 34], voxelSizeMm: [0.1, 0.1, 0.1] });
  if (scan.blurMm > 0) blurVolume(volume, scan.blurMm);
  if (scan.noise > 0) addNoise(volume, scan.noise, 7);
  const { mesh } = await measureBody(volume, pool, { smoothing: 'raw' });
  const { positions } = mesh;
  return [0, 1, 2].map((axis) => {
    const means = [-1, 1].map((side) => {
      let [count, sum] = [0, 0];
      for (let v = 0; v < positions.length; v += 3) {
        const off = [0, 1, 2].map((k) => positions[v + k] - at[k]);
        const isInside = off.every((value, k) => k === axis || Math.abs(value) < half[k] - 0.3);
        if (!isInside || Math.abs(off[axis] - side * half[axis]) > 0.1) continue;
        count++;
        sum += off[axis];
      }
      expect(count).toBeGreaterThan(300);
      return sum / count;
    });
    return (means[0] + means[1]) / 2 / 0.1;
  });
}

describe('axis-parallel faces of the surface used for alignment', () => {
  it.each([
    ['noise', { noise: 1600, blurMm: 0 }],
    ['blur', { noise: 0, blurMm: 0.06 }],
    ['noise and blur', { noise: 1600, blurMm: 0.06 }],
  ])('stay in place under %s, wherever they cut the cells', async (_, scan) => {
    for (const at of [
      [0.013, 0.027, 0.041],
      [0.032, 0.046, -0.021],
    ] as Vector3[]) {
      for (const shift of await findShift(at, scan)) expect(Math.abs(shift)).toBeLessThan(0.02);
    }
  });
});
