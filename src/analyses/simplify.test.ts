import { expect, it } from 'vitest';
import { measureMesh } from '#kernels/mesh/measure.ts';
import { inlinePool } from '#kernels/pool.ts';
import { torus } from '#kernels/testing/bodies.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { measureBody } from '#kernels/testing/measure-body.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { simplifyMesh } from './simplify.ts';

it('a rough surface stays closed and without fins, however far it is simplified', async () => {
  const volume = renderBody(torus(1.1, 0.5), {
    dimensions: [44, 44, 20],
    voxelSizeMm: [0.1, 0.1, 0.1],
    noise: 2400,
  });
  const { mesh, facts } = await measureBody(volume, inlinePool(await kernelModule()), { smoothing: 0 });
  expect(facts.watertight).toBe(true);
  const open: number[] = [];
  for (let target = 300; target < facts.triangles; target *= 1.7) {
    const { positions, indices } = await simplifyMesh(mesh, Math.round(target));
    expect(indices.length).toBeLessThanOrEqual(3 * Math.round(target));
    if (!measureMesh(positions, indices).watertight) open.push(Math.round(target));
  }
  expect(open).toEqual([]);
});
