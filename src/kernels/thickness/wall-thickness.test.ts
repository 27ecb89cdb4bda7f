import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import type { Vector3 } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import { type Body, box, hollowCylinder, sphere, steppedWedge, turnedBody } from '../testing/bodies.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { measureBody, thicknessErrors } from '../testing/measure-body.ts';
import { renderBody } from '../testing/render-body.ts';
import { findDisagreement } from './disagreement.ts';
import { thicknessStatistics, thinRegions } from './statistics.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

interface Case {
  name: string;
  body: Body;
  truth: (point: Vector3, normal: Vector3) => number | null;
}
/** Steps of 0.5, 0.9, 1.4 mm, 2 mm long, 3 mm wide; exact further from the edges than the wall thickness. */
const steps = [0.5, 0.9, 1.4];
const cases: Case[] = [
  {
    name: 'a plate',
    body: box([4, 4, 0.73]),
    truth: ([x, y], [, , nz]) =>
      Math.max(Math.abs(x), Math.abs(y)) < 1.2 && Math.abs(nz) > 0.9 ? 0.73 : null,
  },
  {
    name: 'a plate at an angle',
    body: turnedBody(box([4, 4, 0.73]), [21, 14, 33]),
    truth: (point) => (Math.hypot(...point) < 1.2 ? 0.73 : null),
  },
  { name: 'a sphere', body: sphere(1.9), truth: () => 3.8 },
  {
    name: 'a tube',
    body: hollowCylinder(2, 1.15, 3.4),
    truth: ([, , z]) => (Math.abs(z) < 0.8 ? 0.85 : null),
  },
  {
    name: 'a stepped wedge',
    body: steppedWedge(steps, 2, 3),
    truth: ([x, y, z], [, , nz]) => {
      const step = Math.floor((x + 3) / 2);
      const wall = steps[step];
      const toEdge = Math.min(1.5 - Math.abs(y), x + 3 - 2 * step, 2 * step - 1 - x);
      return wall !== undefined && Math.abs(nz) > 0.9 && toEdge > wall * 0.62 && Math.abs(z) > 0
        ? wall
        : null;
    },
  },
];

describe.each(cases)('wall thickness of $name', ({ body, truth }) => {
  const voxels: [string, Vector3][] = [
    ['cubic', [0.1, 0.1, 0.1]],
    ['anisotropic', [0.1, 0.1, 0.16]],
  ];
  for (const [kind, voxelSizeMm] of voxels) {
    for (const noise of [0, 1600]) {
      it(`is measured in ${kind} voxels ${noise > 0 ? 'with' : 'without'} noise`, async () => {
        const dimensions = [0, 1, 2].map((k) =>
          Math.ceil((body.boundsMm.max[k] - body.boundsMm.min[k]) / voxelSizeMm[k] + 7),
        ) as Vector3;
        const volume = renderBody(body, { dimensions, voxelSizeMm, noise });
        for (const method of ['sphere', 'ray'] as const) {
          const measured = await measureBody(volume, pool, { method });
          const { count, mean, largest } = thicknessErrors(measured, volume, truth);
          expect(count).toBeGreaterThan(200);
          expect(Math.abs(mean), method).toBeLessThan(0.25);
          if (body.name !== 'sphere') expect(largest, method).toBeLessThan(0.5);
        }
      });
    }
  }
});

describe('a ball between walls at its sides', () => {
  const narrow: { name: string; body: Body; isThere: (point: Vector3) => boolean; widthMm: number }[] = [
    {
      name: 'the narrow side of a plate',
      body: box([4, 4, 0.8]),
      isThere: ([x, y, z]) => Math.abs(x) > 1.98 && Math.abs(y) < 1.5 && Math.abs(z) < 0.25,
      widthMm: 0.8,
    },
    {
      name: 'the end of a square rod',
      body: box([0.9, 0.9, 4]),
      isThere: ([x, y, z]) => Math.abs(z) > 1.98 && Math.max(Math.abs(x), Math.abs(y)) < 0.2,
      widthMm: 0.9,
    },
    {
      name: 'the end of a rod at an angle',
      body: turnedBody(box([4, 0.9, 0.9]), [17, 31, 12]),
      isThere: (point) => Math.hypot(...point) > 1.97 && Math.hypot(...point) < 2.01,
      widthMm: 0.9,
    },
  ];
  it.each(narrow)('is as wide as the distance between them on $name', async ({ body, isThere, widthMm }) => {
    const dimensions = [0, 1, 2].map((k) =>
      Math.ceil((body.boundsMm.max[k] - body.boundsMm.min[k]) / 0.1 + 7),
    ) as Vector3;
    for (const noise of [0, 1600]) {
      const volume = renderBody(body, { dimensions, voxelSizeMm: [0.1, 0.1, 0.1], noise });
      const { mesh, thicknessMm } = await measureBody(volume, pool, { method: 'sphere' });
      const there = [...thicknessMm].filter((_, v) => {
        const [x, y, z] = mesh.positions.subarray(3 * v, 3 * v + 3);
        return isThere([x, y, z]);
      });
      expect(there.length).toBeGreaterThan(10);
      // On faces of nine voxels, whose normals noise tilts: three quarters of a voxel on average, two at worst.
      const mean = there.reduce((sum, found) => sum + found, 0) / there.length;
      expect(Math.abs(mean - widthMm)).toBeLessThan(0.075);
      for (const found of there) expect(Math.abs(found - widthMm)).toBeLessThan(0.2);
    }
  });
});

describe('disagreement of ray and ball', () => {
  it('counts differences above a quarter and a voxel, by area', () => {
    const sphere = new Float32Array([1, 1, 1, 0.1, Number.NaN, 1]);
    const ray = new Float32Array([1.2, 1.5, 0.6, 0.18, 3, Number.NaN]);
    const found = findDisagreement(sphere, ray, new Float32Array([1, 2, 3, 4, 5, 6]), 0.1);
    expect([...found.flags]).toEqual([0, 1, 1, 0, Number.NaN, 1]);
    expect(found.share).toBeCloseTo(11 / 16, 6);
  });
});

describe('statistics of the thickness', () => {
  it('weights by area and ignores unmeasured vertices', () => {
    const statistics = thicknessStatistics(
      new Float32Array([1, 3, Number.NaN, 2]),
      new Float32Array([3, 1, 50, 0]),
      1.5,
    );
    expect(statistics).toMatchObject({ count: 3, minMm: 1, maxMm: 3, meanMm: 1.5, belowMinimumShare: 0.75 });
    expect(statistics?.sdMm).toBeCloseTo(Math.sqrt(0.75), 6);
    expect(statistics?.histogram.areaMm2.reduce((a, b) => a + b)).toBe(4);
    expect(statistics?.histogram.edgesMm).toHaveLength(129);
  });

  it('keeps percentiles in order and inside the range', () => {
    const values = Float32Array.from({ length: 10_001 }, (_, i) => i / 1000);
    const statistics = thicknessStatistics(values, new Float32Array(10_001).fill(1));
    expect(statistics?.percentilesMm.p50).toBeCloseTo(5, 2);
    expect(statistics?.percentilesMm.p1).toBeCloseTo(0.1, 2);
    expect(statistics?.percentilesMm.p99).toBeCloseTo(9.9, 2);
  });

  it('is null when nothing was measured', () => {
    expect(thicknessStatistics(new Float32Array([Number.NaN]), new Float32Array([1]))).toBeNull();
  });

  it('finds connected thin regions, the largest first', () => {
    // Two separate thin triangles and a thick one.
    const positions = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 0, 0, 6, 0, 0, 5, 1, 0, 9, 9, 9]);
    const indices = new Uint32Array([0, 1, 2, 3, 4, 5, 2, 3, 6]);
    const thickness = new Float32Array([1, 1, 1, 0.5, 1, 5, 9]);
    const regions = thinRegions({ positions, indices }, thickness, new Float32Array(7).fill(1), 2);
    expect(regions.map((region) => region.areaMm2)).toEqual([5]);
    const apart = thinRegions(
      { positions, indices: indices.subarray(0, 6) },
      thickness,
      new Float32Array(7).fill(1),
      2,
    );
    expect(apart.map((region) => [region.areaMm2, region.minMm])).toEqual([
      [3, 1],
      [2, 0.5],
    ]);
  });
});
