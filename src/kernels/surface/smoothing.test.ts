import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import { wholeGrid } from '../grid/region.ts';
import { makeSlabs, type Vector3, type Volume } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import {
  type Body,
  box,
  movedBody,
  porousBlock,
  scatterPores,
  torus,
  turnedBody,
} from '../testing/bodies.ts';
import { impairPart } from '../testing/families/impair.ts';
import { steppedShaft } from '../testing/families/machined-parts.ts';
import { renderPart } from '../testing/families/render-part.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { measureBody } from '../testing/measure-body.ts';
import { renderBody } from '../testing/render-body.ts';
import { curvatureKeepingWeights } from './filter-weights.ts';
import { estimateNoise } from './noise.ts';
import { chooseSigma, smoothingFor } from './smoothing.ts';

let pool: KernelPool;
let threePieces: KernelPool;
beforeAll(async () => {
  const module = await kernelModule();
  pool = inlinePool(module);
  threePieces = inlinePool(module, 3);
});

const voxelMm: Vector3 = [0.1, 0.1, 0.1];
function renderScan(body: Body, options: { noise?: number; dataType?: Volume['dataType'] } = {}): Volume {
  const dimensions = [0, 1, 2].map((k) =>
    Math.ceil((body.boundsMm.max[k] - body.boundsMm.min[k]) / voxelMm[k] + 8),
  ) as Vector3;
  return renderBody(movedBody(body, [0.013, 0.027, 0.041]), { dimensions, voxelSizeMm: voxelMm, ...options });
}
const measureNoise = (volume: Volume) =>
  estimateNoise(makeSlabs(volume), {
    cells: wholeGrid(makeSlabs(volume).grid),
    isoValue: 24000,
    contrast: 32000,
  });

describe('the noise of a scan', () => {
  it.each(['uint16', 'float32'] as const)('is found within 5 percent in %s', async (dataType) => {
    for (const noise of [320, 1600, 2400]) {
      const found = await measureNoise(renderScan(torus(2, 0.9), { noise, dataType }));
      expect(Math.abs((found?.sd ?? 0) / noise - 1)).toBeLessThan(0.05);
      expect(found?.samples).toBeGreaterThan(1000);
    }
  });

  it('is zero in a scan without noise, however fine the structure', async () => {
    const plate = turnedBody(box([4, 4, 0.3]), [21, 14, 33]);
    expect((await measureNoise(renderScan(plate)))?.sd).toBe(0);
    expect((await measureNoise(renderScan(torus(2, 0.9))))?.sd).toBe(0);
  });

  it('is that of the material when the scan clips everything below air', async () => {
    const volume = renderScan(torus(2, 0.9), { noise: 1600 });
    volume.data = (volume.data as Uint16Array<ArrayBuffer>).map((grey) => Math.max(grey, 14000));
    expect(Math.abs(((await measureNoise(volume))?.sd ?? 0) / 1600 - 1)).toBeLessThan(0.1);
  });

  it('is not reported when the scan is too thin or full of structure', async () => {
    const thin = renderBody(box([2, 2, 2]), { dimensions: [40, 40, 4], voxelSizeMm: voxelMm, noise: 1600 });
    expect(await measureNoise(thin)).toBeNull();
    const grid = renderBody(box([2, 2, 2]), { dimensions: [40, 40, 40], voxelSizeMm: voxelMm });
    grid.data = grid.data.map((_: number, i: number) => (i % 4 < 2 ? 8000 : 40000)) as Volume['data'];
    expect(await measureNoise(grid)).toBeNull();
  });

  it('leaves out values that are missing', async () => {
    const volume = renderScan(torus(2, 0.9), { noise: 1600, dataType: 'float32' });
    for (let i = 0; i < volume.data.length; i += 997) volume.data[i] = Number.NaN;
    expect(Math.abs(((await measureNoise(volume))?.sd ?? 0) / 1600 - 1)).toBeLessThan(0.05);
  });
});

describe('smoothing chosen by noise', () => {
  it('is zero on quiet scans, grows with the noise, and is limited', () => {
    expect([0, 0.005, 0.0099].map(chooseSigma)).toEqual([0, 0, 0]);
    const sigmas = [0.01, 0.03, 0.05, 0.1, 0.2, 0.4, 3].map(chooseSigma);
    expect(sigmas).toEqual(sigmas.toSorted((a, b) => a - b));
    expect(sigmas[0]).toBe(0.9);
    expect(sigmas.at(-1)).toBe(2);
  });

  it('uses a given number without measuring the noise', async () => {
    const source = makeSlabs(renderScan(torus(2, 0.9), { noise: 1600 }));
    const given = { cells: wholeGrid(source.grid), isoValue: 24000, peaks: null };
    expect(await smoothingFor(source, 0.7, given)).toEqual({
      filter: { kind: 'gauss', sigma: 0.7, alike: 'length' },
      noise: null,
      noiseShare: null,
    });
  });

  it('has weights that sum to one and cancel the variance of a cell', () => {
    for (const sigma of [0.5, 1, 1.37, 2]) {
      const weights = curvatureKeepingWeights(sigma);
      const sum = (power: number) =>
        weights.reduce(
          (total, weight, k) => total + (k === 0 ? 1 : 2) * weight * (k === 0 && power > 0 ? 0 : k ** power),
          0,
        );
      expect(sum(0)).toBeCloseTo(1, 12);
      expect(sum(2)).toBeCloseTo(-1 / 12, 12);
    }
  });

  it('leaves a thin plate and small pores of a clean scan unchanged', async () => {
    const pores = scatterPores([3, 3, 3], 12, [0.12, 0.2], 4);
    for (const body of [turnedBody(box([3, 3, 0.25]), [21, 14, 33]), porousBlock([3, 3, 3], pores)]) {
      const volume = renderScan(body);
      const [auto, none] = [
        await measureBody(volume, pool),
        await measureBody(volume, pool, { smoothing: 0 }),
      ];
      expect(auto.mesh.indices).toEqual(none.mesh.indices);
      // No vertex moves by more than the curvature correction; vertices of flat faces do not move.
      let still = 0;
      for (const [i, place] of auto.mesh.positions.entries()) {
        const moved = Math.abs(place - none.mesh.positions[i]);
        expect(moved).toBeLessThan(0.031);
        if (moved < 0.0005) still++;
      }
      expect(still).toBeGreaterThan(auto.mesh.positions.length / 2);
      expect(Math.abs((auto.facts.volumeMm3 ?? Number.NaN) / body.volumeMm3 - 1)).toBeLessThan(0.01);
    }
  });

  it('keeps a wall of three voxels and pores of two and a half in a noisy scan', async () => {
    for (const turn of [
      [0, 0, 0],
      [21, 14, 33],
    ] as Vector3[]) {
      const plate = turnedBody(box([4, 4, 0.3]), turn);
      const { facts } = await measureBody(renderScan(plate, { noise: 1600 }), pool);
      expect(facts.watertight).toBe(true);
      expect(facts.components).toBe(1);
      expect(Math.abs((facts.volumeMm3 ?? Number.NaN) / plate.volumeMm3 - 1)).toBeLessThan(0.02);
      expect(Math.abs(facts.areaMm2 / plate.areaMm2 - 1)).toBeLessThan(0.05);
    }
    const pores = scatterPores([4, 4, 4], 20, [0.125, 0.13], 4);
    const { facts } = await measureBody(renderScan(porousBlock([4, 4, 4], pores), { noise: 1600 }), pool);
    expect(facts.components).toBe(1 + pores.length);
  });

  it('moves no face outward beside the edges of a part that is full of them', async () => {
    for (const [seed, contrastToNoise, bound] of [
      [1, 1000, 0.002],
      [2, 20, 0.0025],
    ]) {
      const rendered = renderPart(steppedShaft(seed), [64, 64, 64], [1, 1, 1], 0.6);
      const { facts } = await measureBody(impairPart(rendered, { contrastToNoise, seed }), pool);
      expect(Math.abs((facts.volumeMm3 ?? Number.NaN) / rendered.volumeMm3 - 1)).toBeLessThan(bound);
    }
  });

  it('gives the same mesh for every slab size and number of threads', async () => {
    const volume = renderBody(torus(2, 0.9), {
      dimensions: [70, 71, 23],
      voxelSizeMm: [0.09, 0.1, 0.12],
      noise: 1600,
    });
    const whole = await measureBody(volume, pool);
    for (const slabPlanes of [1, 5]) {
      const cut = await measureBody(volume, threePieces, { slabPlanes });
      expect(cut.mesh).toEqual(whole.mesh);
    }
  });
});
