import { beforeAll, describe, expect, it } from 'vitest';
import { Arena, type KernelPool } from '../arena.ts';
import { inlinePool } from '../pool.ts';
import { hollowCylinder, steppedWedge } from '../testing/bodies.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { measureBody } from '../testing/measure-body.ts';
import { renderBody } from '../testing/render-body.ts';

let pool: KernelPool;
let largest = 0;
beforeAll(async () => {
  const inner = inlinePool(await kernelModule(), 2);
  pool = {
    ...inner,
    withArena: async (work) => {
      const arena = new Arena(inner);
      const result = await work(arena);
      largest = Math.max(largest, arena.size);
      return result;
    },
  };
});

describe('working memory', () => {
  it.each([64, 112])(
    'of the wall thickness follows from cells, vertices and triangles at %i³',
    async (edge) => {
      const size = edge * 0.04;
      const body = hollowCylinder(size, size * 0.7, size * 2);
      const volume = renderBody(body, { dimensions: [edge, edge, edge], voxelSizeMm: [0.1, 0.1, 0.1] });
      largest = 0;
      const { facts } = await measureBody(volume, pool, { smoothing: 1, method: 'sphere' });
      const cells = Math.ceil((edge + 2) / 16) * 16 * (edge + 2) ** 2;
      // The grid takes 2 bytes a cell, an eighth for its bits, and a little for rows and blocks. Both threads
      // temporarily hold two slabs of the source and of the filter's ring; later one byte a cell of depths takes their
      // place. Vertices: position, normal, thickness, two normals; triangles: three numbers.
      const slabs = 2 * 2 * (edge + 6) * edge * edge;
      const ring = 2 * 8 * 4 * edge * edge;
      const bound = 2.4 * cells + Math.max(slabs + ring, 60 * facts.vertices + 12 * facts.triangles) + 6e6;
      expect(largest).toBeLessThan(bound);
    },
  );

  it('of rays in a cone is no larger, and a wide cone finds no thicker walls', async () => {
    const body = steppedWedge([0.6, 1.2], 1.6, 1.6);
    const volume = renderBody(body, { dimensions: [48, 28, 24], voxelSizeMm: [0.08, 0.08, 0.08] });
    const [straight, wide] = [
      await measureBody(volume, pool, { smoothing: 1, method: 'ray' }),
      await measureBody(volume, pool, { smoothing: 1, method: 'ray', searchAngleDeg: 40 }),
    ];
    let shorter = 0;
    for (const [v, value] of straight.thicknessMm.entries()) {
      if (Number.isNaN(value)) continue;
      expect(wide.thicknessMm[v]).toBeLessThanOrEqual(value);
      if (wide.thicknessMm[v] < 0.8 * value) shorter++;
    }
    // Beside the step, tilted rays find its near side.
    expect(shorter).toBeGreaterThan(50);
  });
});
