import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import { inlinePool } from '../pool.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { type Material, type PolychromaticScan, simulatePolychromatic } from '../testing/polychromatic.ts';
import { anglesOver, type RayBody, simulateRadiographs } from '../testing/radiographs.ts';
import { reconstructed } from '../testing/reconstructed.ts';
import { estimateHardening } from './estimate-hardening.ts';
import { plainDetector, type ScanGeometry } from './geometry.ts';
import type { Radiographs } from './plan.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

const geometry: ScanGeometry = {
  beam: 'cone',
  sourceToAxisMm: 150,
  sourceToDetectorMm: 450,
  columns: 64,
  rows: 20,
  pixelSizeMm: [1.5, 1.5],
  anglesDeg: anglesOver(360, 100),
  detector: plainDetector(150, 450),
  isPoseGiven: true,
};
const cylinder = (attenuation: number, radiusMm: number, x = 0): RayBody => ({
  kind: 'cylinder',
  attenuation,
  center: [x, 0, 0],
  radiusMm,
  heightMm: 7,
});
const metalScan = (material: Material, more: Partial<PolychromaticScan> = {}) =>
  simulatePolychromatic({
    geometry,
    bodies: [{ material, body: cylinder(1, 11) }],
    photons: 200_000,
    ...more,
  });
const options = { maxDimension: 64, filter: 'ramLak' as const };
const estimate = (radiographs: Radiographs) => estimateHardening(radiographs, pool, options);

/** Relative excess brightness of the rim over the centre. */
const measureCupping = async (radiographs: Radiographs, beamHardening: number, scatterShare = 0) => {
  const { mean } = await reconstructed(radiographs, pool, { ...options, beamHardening, scatterShare });
  const rim = [1, -1].flatMap((side) => [mean(8.5 * side, 0, 0, 1), mean(0, 8.5 * side, 0, 1)]);
  return rim.reduce((sum, value) => sum + value, 0) / 4 / mean(0, 0, 0, 1.5) - 1;
};

describe('the estimated beam hardening of a scan', () => {
  it('is derived from the grey values of a part of one metal, and removes its cupping', async () => {
    const scan = await metalScan('aluminium');
    const { beamHardening, unevenness, doubt } = await estimate(scan);
    expect(doubt).toBeNull();
    expect(unevenness[1]).toBeLessThan(0.5 * unevenness[0]);
    const [before, after] = [await measureCupping(scan, 0), await measureCupping(scan, beamHardening)];
    expect(before).toBeGreaterThan(0.03);
    expect(Math.abs(after)).toBeLessThan(0.25 * before);
  });

  it('is zero for a monochromatic beam, and is not estimated for a part of two metals', async () => {
    const one = simulateRadiographs({ geometry, bodies: [cylinder(0.05, 11)], noise: 0.01 });
    expect((await estimate(one)).beamHardening).toBeLessThan(0.01);
    const two = await metalScan('aluminium', {
      bodies: [
        { material: 'aluminium', body: cylinder(1, 11) },
        { material: 'aluminium', body: cylinder(-1, 4, 5) },
        { material: 'iron', body: cylinder(1, 4, 5) },
      ],
    });
    expect(await estimate(two)).toMatchObject({
      beamHardening: 0,
      doubt: expect.stringMatching(/lighter material/),
    });
  });

  it('is determined after subtracting the scatter', async () => {
    const [clean, scattered] = [
      await metalScan('aluminium'),
      await metalScan('aluminium', { scatter: 0.08 }),
    ];
    const [truth, before, after] = [
      await measureCupping(clean, 0),
      await measureCupping(scattered, 0),
      await measureCupping(scattered, 0, 0.08),
    ];
    expect(before - truth).toBeGreaterThan(0.02);
    expect(Math.abs(after - truth)).toBeLessThan(0.25 * (before - truth));
    await expect(measureCupping(clean, 0, 1.5)).rejects.toThrow(/share of scatter is 1.5/);
  });
});
