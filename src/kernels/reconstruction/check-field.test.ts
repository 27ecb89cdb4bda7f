import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import { inlinePool } from '../pool.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { anglesOver } from '../testing/radiographs.ts';
import { cone, makeScan, reconstructed } from '../testing/reconstructed.ts';
import { estimateErosion } from './eroded-edges.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

/** The body extends 15 mm from the axis; how much the detector sees depends on its number of columns. */
const readFacts = async (columns: number, noise = 0) => {
  const geometry = { ...cone, columns, rows: 12, isPoseGiven: true, anglesDeg: anglesOver(360, 24) };
  return (await reconstructed(makeScan(geometry, { noise }), pool, { maxDimension: 16 })).facts;
};

describe('the field of view', () => {
  it('is reported as too narrow where the part extends beyond the sides of the detector, with noise, too', async () => {
    const codes = async (columns: number, noise?: number) =>
      (await readFacts(columns, noise)).warnings.map(({ code }) => code);
    expect(await codes(40)).toContain('FIELD_TRUNCATED');
    expect(await codes(40, 0.05)).toContain('FIELD_TRUNCATED');
    expect(await codes(96)).not.toContain('FIELD_TRUNCATED');
    expect(await codes(96, 0.05)).not.toContain('FIELD_TRUNCATED');
  });

  it('is reported as saturated where the bright pixels of noisy radiographs are all equal', async () => {
    const isReported = async (noise: number, highest: number, flatLevel = 60_000) => {
      const geometry = { ...cone, rows: 12, isPoseGiven: true, anglesDeg: anglesOver(360, 8) };
      const scan = makeScan(geometry, { noise, flatLevel });
      const { projections } = scan;
      const readSlab = async (from: number, to: number) =>
        (await projections.readSlab(from, to)).map((count) => Math.min(count, highest * flatLevel));
      const clipped = { ...scan, projections: { ...projections, readSlab } };
      const { facts } = await reconstructed(clipped, pool, { maxDimension: 16 });
      return facts.warnings.some(({ code }) => code === 'BEAM_SATURATED');
    };
    expect(await isReported(0.006, 0.95)).toBe(true);
    expect(await isReported(0.002, 0.98, 4000)).toBe(true);
    // Only the brightest part of the noise is cut off.
    expect(await isReported(0.006, 1.003)).toBe(false);
    expect(await isReported(0, 0.95)).toBe(false);
    // Counts coarser than the noise are equal, too.
    expect(await isReported(0.002, 2, 100)).toBe(false);
  });

  it('provides the absorption of the dense places of the part', async () => {
    const { densestIntegral } = await readFacts(96);
    expect(densestIntegral).toBeGreaterThan(1);
    expect(densestIntegral).toBeLessThan(3.2);
  });
});

it('edges move inward with blur, absorption and its correction, and stay in place without blur or absorption', () => {
  expect(estimateErosion(2, 0, 0.3)).toBe(0);
  expect(estimateErosion(0, 0.1, 1)).toBe(0);
  const plain = estimateErosion(2, 0, 0.8);
  // An edge blurred by a logistic function reaches half of the depth where 1 / (1 + exp(−p/2)) of it is dark.
  expect(plain).toBeCloseTo(0.5 * 0.588 * Math.sqrt(0.55), 2);
  expect(estimateErosion(4, 0, 0.8)).toBeGreaterThan(1.5 * plain);
  expect(estimateErosion(2, 0.1, 0.8)).toBeGreaterThan(plain);
});
