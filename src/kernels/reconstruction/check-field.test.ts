import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import { inlinePool } from '../pool.ts';
import { seededNormal } from '../random.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { anglesOver } from '../testing/radiographs.ts';
import { cone, makeScan, reconstructed } from '../testing/reconstructed.ts';
import { estimateErosion } from './eroded-edges.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

/** The body extends 15 mm from the axis; how much the detector sees depends on its number of columns. */
const readFacts = async (columns: number, noise = 0, beam = 1) => {
  const geometry = { ...cone, columns, rows: 12, isPoseGiven: true, anglesDeg: anglesOver(360, 24) };
  const scan = makeScan(geometry, { noise });
  const readSlab = async (from: number, to: number) =>
    (await scan.projections.readSlab(from, to)).map((integral) => integral - Math.log(beam));
  const darker = { ...scan, projections: { ...scan.projections, readSlab } };
  return (await reconstructed(darker, pool, { maxDimension: 16 })).facts;
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

  it('is not reported as too narrow when only the beam is darker than the flat field', async () => {
    const codes = async (columns: number, noise: number, beam: number) =>
      (await readFacts(columns, noise, beam)).warnings.map(({ code }) => code);
    for (const [noise, beam] of [
      [0, 0.7],
      [0.05, 0.6],
    ] as const) {
      expect(await codes(96, noise, beam)).not.toContain('FIELD_TRUNCATED');
      // Here the part covers both sides over the whole height in all views.
      for (const columns of [24, 40]) expect(await codes(columns, noise, beam)).toContain('FIELD_TRUNCATED');
    }
  });

  /** Codes for noisy radiographs (counts) after the detector changed each projection. */
  const readCodes = async (
    change: (counts: Float64Array, columns: number) => Float64Array,
    { noise = 0.006, flatLevel = 60_000 } = {},
  ) => {
    const geometry = { ...cone, rows: 12, isPoseGiven: true, anglesDeg: anglesOver(360, 16) };
    const scan = makeScan(geometry, { noise, flatLevel });
    const { projections } = scan;
    const pixels = geometry.columns * geometry.rows;
    const readSlab = async (from: number, to: number) => {
      const counts = Float64Array.from(await projections.readSlab(from, to));
      for (let view = 0; view < to - from; view++) {
        const one = counts.subarray(view * pixels, (view + 1) * pixels);
        one.set(change(one.slice(), geometry.columns));
      }
      return Uint16Array.from(counts, (count) => Math.max(0, Math.round(count)));
    };
    const changed = { ...scan, projections: { ...projections, readSlab } };
    const { facts } = await reconstructed(changed, pool, { maxDimension: 16 });
    return facts.warnings.map(({ code }) => code);
  };

  it('is reported as saturated where the bright counts of noisy radiographs are all equal', async () => {
    const readClipped = (noise: number, highest: number, flatLevel = 60_000) =>
      readCodes((counts) => counts.map((n) => Math.min(n, highest * flatLevel)), { noise, flatLevel });
    expect(await readClipped(0.006, 0.95)).toContain('BEAM_SATURATED');
    expect(await readClipped(0.002, 0.98, 4000)).toContain('BEAM_SATURATED');
    // Only the brightest part of the noise is cut off.
    expect(await readClipped(0.006, 1.003)).not.toContain('BEAM_SATURATED');
    expect(await readClipped(0, 0.95)).not.toContain('BEAM_SATURATED');
    // Counts coarser than the noise are equal, too.
    expect(await readClipped(0.002, 2, 100)).not.toContain('BEAM_SATURATED');
  });

  it('is reported as saturated in the middle only, and after each pixel was scaled by its own flat image', async () => {
    const light = (i: number, columns: number) => 1 - 0.3 * (((i % columns) - 47.5) / 48) ** 2;
    const clip = (counts: Float64Array, columns: number) =>
      counts.map((n, i) => Math.min(n * light(i, columns), 44_000));
    expect(await readCodes(clip)).toContain('BEAM_SATURATED');
    const normal = seededNormal(2);
    const gains = Float64Array.from({ length: 96 * 12 }, () => 1 + 0.01 * normal());
    const scale = (counts: Float64Array, columns: number) =>
      clip(counts, columns).map((n, i) => (n / light(i, columns)) * gains[i]);
    expect(await readCodes(scale)).toContain('BEAM_SATURATED');
    const uneven = (counts: Float64Array, columns: number) => counts.map((n, i) => n * light(i, columns));
    expect(await readCodes(uneven, { noise: 0 })).not.toContain('BEAM_SATURATED');
  });

  it('is reported where a row of noisy radiographs occurs twice', async () => {
    const repeat = (counts: Float64Array, columns: number) => {
      counts.copyWithin(8 * columns, 7 * columns, 11 * columns);
      return counts;
    };
    expect(await readCodes(repeat)).toContain('ROW_REPEATED');
    expect(await readCodes((counts) => counts)).not.toContain('ROW_REPEATED');
    // Radiographs that were enlarged have every row twice.
    const enlarge = (counts: Float64Array, columns: number) =>
      counts.map((_, i) => counts[i - (Math.floor(i / columns) % 2) * columns]);
    expect(await readCodes(enlarge)).not.toContain('ROW_REPEATED');
  });

  it('is reported where nothing but noise is left behind the part, or counts end at zero', async () => {
    const normal = seededNormal(3);
    const darken = (share: number) => (counts: Float64Array) => counts.map((n) => n - share * 60_000);
    const addNoise = (share: number) => (counts: Float64Array) =>
      counts.map((n) => n + share * 60_000 * normal());
    expect(await readCodes(addNoise(0.06))).toContain('BEAM_ABSORBED');
    expect(await readCodes(addNoise(0.006))).not.toContain('BEAM_ABSORBED');
    expect(await readCodes(darken(0.2))).toContain('BEAM_ABSORBED');
    expect(await readCodes(darken(0.02))).not.toContain('BEAM_ABSORBED');
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
