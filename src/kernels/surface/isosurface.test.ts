import { beforeAll, describe, expect, it } from 'vitest';
import { Arena, type KernelPool } from '../arena.ts';
import { wholeGrid } from '../grid/region.ts';
import { identityDirections, makeSlabs, type Vector3, type Volume, voxelArray } from '../grid/volume.ts';
import { measureMesh } from '../mesh/measure.ts';
import { inlinePool } from '../pool.ts';
import { seededRandom } from '../random.ts';
import { blurVolume } from '../testing/blur.ts';
import { box, hollowCylinder, porousBlock, scatterPores, sphere, torus } from '../testing/bodies.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { measureBody } from '../testing/measure-body.ts';
import { renderBody } from '../testing/render-body.ts';
import { trianglesOfPattern } from './case-table.ts';
import { extractSurface } from './extract.ts';
import { inOneWindow } from './grid-layout.ts';
import { loadGrid } from './load-grid.ts';
import { measureSurface } from './measure-surface.ts';

let pool: KernelPool;
let threePieces: KernelPool;
beforeAll(async () => {
  const module = await kernelModule();
  pool = inlinePool(module);
  threePieces = inlinePool(module, 3);
});

const renderVolume = (
  dimensions: Vector3,
  dataType: Volume['dataType'],
  fill: (i: number) => number,
): Volume => {
  const data = voxelArray(dataType, dimensions[0] * dimensions[1] * dimensions[2]);
  for (let i = 0; i < data.length; i++) data[i] = fill(i);
  return {
    dimensions,
    voxelSizeMm: [0.5, 1, 2],
    originMm: [0, 0, 0],
    directions: identityDirections(),
    dataType,
    data,
  };
};
const atValue = (value: number) => ({ surface: { mode: 'value' as const, value } });

describe('the case table', () => {
  it('has triangles for every pattern but all air and all material', () => {
    const empty = Array.from({ length: 256 }, (_, pattern) => pattern).filter(
      (pattern) => trianglesOfPattern(pattern).length === 0,
    );
    expect(empty).toEqual([0, 255]);
  });
});

describe('the isosurface', () => {
  it('is a closed manifold on random volumes of any size and type', async () => {
    const random = seededRandom(20260101);
    for (const dataType of ['uint8', 'int8', 'uint16', 'int16', 'int32', 'float32', 'float64'] as const) {
      for (let round = 0; round < 12; round++) {
        const dimensions = [0, 1, 2].map(() => 1 + Math.floor(random() ** 2 * 70 ** (1 / 1.5))) as Vector3;
        const volume = renderVolume(
          dimensions,
          dataType,
          () => Math.floor(random() * 4) - (dataType[0] === 'u' ? 0 : 2),
        );
        if (volume.data.length < 2) continue;
        volume.data[0] = 1;
        volume.data[volume.data.length - 1] = dataType[0] === 'u' ? 0 : -1;
        const iso = dataType[0] === 'u' ? 0.5 : 0;
        const { facts } = await measureBody(volume, pool, atValue(iso));
        expect(facts.watertight, `${dataType} ${dimensions} round ${round}`).toBe(true);
        expect(facts.volumeMm3).toBeGreaterThan(0);
      }
    }
  });

  it('is the same for every slab size and number of threads', async () => {
    const volume = renderBody(torus(3, 1.2), {
      dimensions: [70, 45, 17],
      voxelSizeMm: [0.13, 0.21, 0.17],
      noise: 3000,
    });
    const whole = await measureBody(volume, pool, { smoothing: 0.8, method: 'sphere' });
    for (const slabPlanes of [1, 3, 7]) {
      const cut = await measureBody(volume, threePieces, {
        smoothing: 0.8,
        method: 'sphere',
        slabPlanes,
        batch: 777,
      });
      expect(cut.mesh).toEqual(whole.mesh);
      expect(cut.thicknessMm).toEqual(whole.thicknessMm);
    }
  });

  it.each([
    ['with noise, filtered', 3000, 'auto', [0.13, 0.21, 0.17]],
    ['without, its edges placed anew', 0, 'raw', [0.13, 0.14, 0.15]],
    ['with coarse planes', 1500, 'auto', [0.1, 0.1, 0.34]],
  ] as const)(
    'is the same when the grid is loaded window by window, %s',
    async (_, noise, smoothing, voxelSizeMm) => {
      const dimensions: Vector3 = [70, 45, Math.round(3.1 / voxelSizeMm[2])];
      const volume = renderBody(torus(3, 1.2), { dimensions, voxelSizeMm: [...voxelSizeMm], noise });
      if (!noise) blurVolume(volume, 0.08);
      const whole = await measureBody(volume, pool, { smoothing });
      for (const windowPlanes of [1, 2, 5, 11]) {
        const cut = await measureBody(volume, threePieces, { smoothing, windowPlanes });
        expect(cut.mesh).toEqual(whole.mesh);
        expect(cut.facts).toEqual(whole.facts);
      }
    },
  );

  it.each(['sphere', 'ray'] as const)(
    'has the same wall thickness by %s when the grid is loaded window by window',
    async (method) => {
      const volume = renderBody(hollowCylinder(2.2, 1.5, 3.1), {
        dimensions: [51, 49, 37],
        voxelSizeMm: [0.1, 0.1, 0.1],
        noise: 1600,
      });
      const whole = await measureBody(volume, pool, { method });
      expect([...whole.thicknessMm].some((value) => value > 0)).toBe(true);
      for (const windowPlanes of [1, 7, 12]) {
        const options = { method, windowPlanes, layersAtOnce: 1, batch: 777 };
        const cut = await measureBody(volume, threePieces, options);
        expect(cut.mesh).toEqual(whole.mesh);
        expect(cut.thicknessMm).toEqual(whole.thicknessMm);
      }
    },
  );

  it('is refined and measured identically in pieces of any size and as a whole mesh', async () => {
    const volume = renderBody(porousBlock([2.9, 2.7, 2.5], scatterPores([2.9, 2.7, 2.5], 6, [0.2, 0.4], 4)), {
      dimensions: [37, 35, 33],
      voxelSizeMm: [0.1, 0.1, 0.1],
      noise: 1600,
    });
    const whole = await measureBody(volume, pool, { pieceVertices: 1e9 });
    for (const pieceVertices of [1, 500, 3000]) {
      const cut = await measureBody(volume, threePieces, { pieceVertices });
      expect(cut.mesh).toEqual(whole.mesh);
      expect(cut.facts).toEqual(whole.facts);
    }
    const known = measureMesh(whole.mesh.positions, whole.mesh.indices);
    expect(whole.facts.components).toBe(7);
    expect({ ...whole.facts, volumeMm3: 0, areaMm2: 0 }).toEqual({ ...known, volumeMm3: 0, areaMm2: 0 });
    expect(whole.facts.volumeMm3).toBeCloseTo(known.volumeMm3 ?? Number.NaN, 5);
    expect(whole.facts.areaMm2).toBeCloseTo(known.areaMm2, 5);
  });

  it('is reported open when a triangle is missing or reversed, in any piece', async () => {
    const volume = renderBody(sphere(1), { dimensions: [27, 27, 27], voxelSizeMm: [0.1, 0.1, 0.1] });
    const source = makeSlabs(volume);
    const arena = new Arena(pool);
    const options = { cells: wholeGrid(source.grid), isoValue: 24_000, air: 8000, smoothing: 0 };
    const grid = await loadGrid(source, arena, { ...options, range: [8000, 40_000] });
    const surface = await extractSurface(inOneWindow(grid), arena);
    const isClosed = async () => (await measureSurface(grid, surface, arena, 200)).watertight;
    expect(await isClosed()).toBe(true);
    for (const triangle of [0, Math.floor(surface.triangles / 2), surface.triangles - 1]) {
      const corners = arena.integers(surface.indices + 12 * triangle, 3);
      const [a, b, c] = corners;
      for (const wrong of [
        [a, c, b],
        [a, a, a],
      ]) {
        corners.set(wrong);
        expect(await isClosed(), `${triangle} as ${wrong}`).toBe(false);
      }
      corners.set([a, b, c]);
    }
    expect(await isClosed()).toBe(true);
  });

  it('closes bodies that touch the border half a cell beyond it', async () => {
    const volume = renderVolume([5, 4, 3], 'uint16', () => 100);
    volume.data[2 + 5 * (1 + 4 * 1)] = 0;
    const { facts } = await measureBody(volume, pool, { ...atValue(20), smoothing: 0 });
    expect(facts.watertight).toBe(true);
    const bounds = [...facts.boundsMm.min, ...facts.boundsMm.max];
    for (const [i, expected] of [-0.25, -0.5, -1, 2.25, 3.5, 5].entries())
      expect(bounds[i]).toBeCloseTo(expected, 5);
  });

  it('takes NaN for air', async () => {
    const volume = renderVolume([6, 6, 6], 'float32', (i) => (i % 6 < 3 ? Number.NaN : 1));
    volume.data[0] = -1;
    const { facts } = await measureBody(volume, pool, atValue(0));
    expect(facts.watertight).toBe(true);
    expect(facts.components).toBe(1);
    expect(facts.boundsMm.min[0]).toBeGreaterThan(1);
  });

  it('says why there is no surface in a volume of one grey value', async () => {
    await expect(
      measureBody(
        renderVolume([4, 4, 4], 'int16', () => -7),
        pool,
      ),
    ).rejects.toThrow('No surface: every voxel has the grey value -7.');
  });

  it('states the range of grey values when the level lies outside of it', async () => {
    const volume = renderVolume([4, 4, 4], 'uint8', (i) => i % 9);
    await expect(measureBody(volume, pool, atValue(200))).rejects.toThrow(
      'the level 200 lies outside of the grey values 0 … 8',
    );
  });

  it('counts the inner surfaces of pores as parts', async () => {
    const pores = scatterPores([5, 5, 5], 7, [0.4, 0.7], 5);
    const volume = renderBody(porousBlock([5, 5, 5], pores), {
      dimensions: [62, 62, 62],
      voxelSizeMm: [0.1, 0.1, 0.1],
    });
    const { facts } = await measureBody(volume, pool);
    expect(pores).toHaveLength(7);
    expect(facts.components).toBe(8);
  });

  const cases = [
    { body: box([4.03, 3.47, 2.91]), round: false },
    { body: sphere(2.11), round: true },
    { body: hollowCylinder(2.3, 1.27, 3.9), round: false },
    { body: torus(1.6, 0.93), round: true },
  ];
  for (const { body, round } of cases) {
    for (const [kind, voxelSizeMm] of [
      ['cubic', [0.08, 0.08, 0.08]],
      ['anisotropic', [0.07, 0.08, 0.12]],
    ] as [string, Vector3][]) {
      it(`meets volume and area of a ${body.name} in ${kind} voxels`, async () => {
        const dimensions = [0, 1, 2].map((k) =>
          Math.ceil((body.boundsMm.max[k] - body.boundsMm.min[k]) / voxelSizeMm[k] + 6),
        ) as Vector3;
        const volume = renderBody(body, { dimensions, voxelSizeMm });
        const { facts, mesh } = await measureBody(volume, pool);
        expect(facts.watertight).toBe(true);
        expect(facts.components).toBe(1);
        expect(Math.abs((facts.volumeMm3 ?? Number.NaN) / body.volumeMm3 - 1)).toBeLessThan(0.005);
        if (round) expect(Math.abs(facts.areaMm2 / body.areaMm2 - 1)).toBeLessThan(0.005);
        expect(measureMesh(mesh.positions, mesh.indices).volumeMm3).toBeCloseTo(
          facts.volumeMm3 ?? Number.NaN,
          2,
        );
      });
    }
  }

  it('stays within half a percent of the volume with noise', async () => {
    const body = sphere(2.11);
    const volume = renderBody(body, {
      dimensions: [60, 60, 60],
      voxelSizeMm: [0.08, 0.08, 0.08],
      noise: 1600,
    });
    const { facts } = await measureBody(volume, pool);
    expect(facts.watertight).toBe(true);
    expect(Math.abs((facts.volumeMm3 ?? Number.NaN) / body.volumeMm3 - 1)).toBeLessThan(0.005);
  });

  it('is oriented outward in a mirrored frame, too', async () => {
    const volume = renderBody(sphere(1), { dimensions: [26, 26, 26], voxelSizeMm: [0.1, 0.1, 0.1] });
    const mirrored: Volume = { ...volume, directions: [0, 1, 0, 1, 0, 0, 0, 0, 1] };
    const { mesh } = await measureBody(mirrored, pool);
    expect(measureMesh(mesh.positions, mesh.indices).volumeMm3).toBeGreaterThan(4);
  });
});
