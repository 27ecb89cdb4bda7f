import { beforeAll, expect, it } from 'vitest';
import type { Volume } from '#kernels/grid/volume.ts';
import { inlinePool, type KernelPool } from '#kernels/pool.ts';
import { box, movedBody } from '#kernels/testing/bodies.ts';
import { part, plainPart } from '#kernels/testing/families/bodies.ts';
import { renderPart } from '#kernels/testing/families/render-part.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { scan } from './testing/families/family.ts';
import { measureCase } from './testing/families/measure-case.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

it('a bar whose edges run through the middles of the cells that it is rendered in is rendered', () => {
  const bar = part(movedBody(box([16, 9, 9]), [0.5, 0, 0]));
  const { volumeMm3 } = renderPart(bar, [32, 16, 16], [1, 1, 1], 0.6);
  expect(Math.abs(volumeMm3 / (16 * 9 * 9) - 1)).toBeLessThan(0.02);
});

/** As scans of a region of interest have it: no value beyond the circle that turns through the view. */
const withoutCorners = (volume: Volume): Volume => {
  const [nx, ny] = volume.dimensions;
  const data = Float32Array.from(volume.data, (grey, i) => {
    const [x, y] = [(i % nx) - (nx - 1) / 2, (Math.floor(i / nx) % ny) - (ny - 1) / 2];
    return Math.hypot(x, y) > 0.48 * nx ? Number.NaN : grey;
  });
  return { ...volume, dataType: 'float32', data };
};

it('corners that hold no number are no lost slices', async () => {
  const judged = await measureCase(scan('masked', plainPart(3), { process: withoutCorners }), pool);
  expect(judged.filter((each) => each.class !== 'right' || each.isWarned)).toEqual([]);
});
